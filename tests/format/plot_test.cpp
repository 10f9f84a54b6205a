// Plots: curves are told apart without their colours.

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "format/plot/plot.hpp"
#include "formats.hpp"

using namespace schedcc;

namespace {

/// Colour, dashes and shape of the points of each curve, as the legend has them.
std::vector<std::array<std::string, 3>> looks(const Plot& plot) {
  formats::StringOutput out;
  write_svg(plot, out);
  static const std::regex entry(
      "<path class=\"curve (c\\d)\" stroke-dasharray=\"([^\"]+)\" d=\"[^\"]+\"/>\n"
      "<path class=\"mark c\\d\" d=\"M[0-9.]+ [0-9.]+(m[^\"]+)\"/>\n");
  std::vector<std::array<std::string, 3>> result;
  for (std::sregex_iterator i(out.text.begin(), out.text.end(), entry), end; i != end; ++i)
    result.push_back({(*i)[1], (*i)[2], (*i)[3]});
  return result;
}

Plot plot_of(std::size_t curves, std::size_t points) {
  Plot plot;
  for (std::size_t i = 0; i < curves; ++i) {
    Curve curve{"curve", {}, i};
    for (std::size_t x = 0; x < points; ++x) curve.points.emplace_back(x, x);
    plot.curves.push_back(curve);
  }
  return plot;
}

}  // namespace

TEST_CASE("160 styles differ, and neighbours in more than their colour") {
  const auto all = looks(plot_of(160, 2));
  REQUIRE(all.size() == 160);
  CHECK(std::set(all.begin(), all.end()).size() == 160);
  for (std::size_t i = 1; i < all.size(); ++i) {
    INFO(i);
    CHECK((all[i][1] != all[i - 1][1] || all[i][2] != all[i - 1][2]));
  }
}

TEST_CASE("curves that ask for one style differ, and keep its colour") {
  const auto wanted = looks(plot_of(160, 2));
  Plot plot = plot_of(24, 2);
  for (std::size_t i = 0; i < 24; ++i) plot.curves[i].style = i % 2 == 0 ? 3 : 11 + 160;
  const auto drawn = looks(plot);
  REQUIRE(drawn.size() == 24);
  CHECK(std::set(drawn.begin(), drawn.end()).size() == 24);
  CHECK(drawn[0] == wanted[3]);
  CHECK(drawn[1] == wanted[11]);
  // 5 dashes and 4 marks: of one colour there are no more.
  CHECK(std::ranges::count(drawn, wanted[3][0], [](const auto& look) { return look[0]; }) == 20);
}

TEST_CASE("what is not drawn is said below the legend") {
  Plot plot = plot_of(2, 2);
  CHECK(looks(plot).size() == 2);
  plot.note = "3 more & others";
  formats::StringOutput out;
  write_svg(plot, out);
  CHECK(out.text.find(">3 more &amp; others</text>") != std::string::npos);
}

TEST_CASE("curves of many points are marked, too, where others of the same points are not") {
  formats::StringOutput out;
  write_svg(plot_of(3, 121), out);
  static const std::regex mark("<path class=\"mark c(\\d)\" d=\"M([0-9.]+) ");
  std::map<std::string, std::set<std::string>> marked;  // by colour, in the frame
  for (std::sregex_iterator i(out.text.begin(), out.text.end(), mark), end; i != end; ++i) {
    if (std::stod((*i)[2]) <= 540) marked[(*i)[1]].insert((*i)[2]);
  }
  REQUIRE(marked.size() == 3);
  std::set<std::string> all;
  std::size_t count = 0;
  for (const auto& [colour, places] : marked) {
    CHECK(places.size() >= 12);
    all.insert(places.begin(), places.end());
    count += places.size();
  }
  CHECK(all.size() == count);
}
