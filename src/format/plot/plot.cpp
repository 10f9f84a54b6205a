// A plot is a frame, ticks at round numbers, a polyline for each curve, and a legend on the right.
//
// Linear axes have ticks at multiples of 1, 2 or 5 times a power of ten; logarithmic ones at powers
// of ten, or, if these are too few or for bytes, of two. Curves differ in dashes and in the shape
// of their points as well as in colour.

#include "format/plot/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "format/text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

namespace {

constexpr double left = 76, right = 540, top = 62, bottom = 380, least_width = 760,
                 least_height = 440;
constexpr double legend = right + 32, legend_names = legend + 32, letter_width = 7;

constexpr std::array<std::string_view, 5> dashes{"none", "7 3", "2 3", "9 3 2 3", "12 4"};
constexpr std::size_t colours = 8;
constexpr std::size_t shapes = 4;
constexpr std::size_t styles = colours * dashes.size() * shapes;
constexpr std::size_t max_marks = 40;  ///< points of a curve that are marked; of more, every n-th

/// "1 us", "64 KiB": a power of ten, or of two, with its unit.
std::string label(double value, Axis::Unit unit) {
  if (unit == Axis::Unit::bytes) {
    return value < 1 ? fmt::format("{:g} B", value)
                     : format_bytes(static_cast<std::uint64_t>(std::llround(value)));
  }
  constexpr std::array<std::string_view, 5> names{"s", "ms", "us", "ns", "ps"};
  std::size_t i = 0;
  for (; i + 1 < names.size() && value < 0.9999; ++i) value *= 1000;
  return fmt::format("{:g} {}", value, names[i]);
}

/// 4096 -> "4096", 1e6 -> "10^6" as a superscript, 0.5 -> "0.5".
std::string label(double value, double base) {
  const double exponent = std::log(value) / std::log(base);
  const double whole = std::round(exponent);
  const bool power = std::abs(exponent - whole) < 1e-9 && (value >= 9999 || value < 0.0101);
  if (!power) return fmt::format("{:g}", value);
  return fmt::format(R"({}<tspan dy="-5" font-size="9">{}</tspan>)", base, whole);
}

/// An axis: the position of values, and the ticks.
class Scale {
 public:
  Scale(const Axis& axis, double least, double most, double from, double to)
      : logarithmic_(axis.logarithmic), unit_(axis.unit), from_(from), to_(to) {
    if (logarithmic_) {
      set_logarithmic(least, most);
    } else {
      set_linear(least, most);
    }
  }

  double operator()(double value) const {
    return from_ + (to_ - from_) * (position(value) - first_) / (last_ - first_);
  }
  const std::vector<double>& ticks() const { return ticks_; }
  std::string text(double tick) const {
    if (unit_ != Axis::Unit::none) return label(tick, unit_);
    return logarithmic_ ? label(tick, base_) : fmt::format("{:g}", tick);
  }

 private:
  double position(double value) const { return logarithmic_ ? std::log10(value) : value; }

  void set_logarithmic(double least, double most) {
    first_ = std::log10(least);
    last_ = std::log10(most);
    if (last_ - first_ < 1e-9) {
      first_ -= 0.5;
      last_ += 0.5;
    }
    base_ = last_ - first_ >= 2 && unit_ != Axis::Unit::bytes ? 10 : 2;
    const double step = std::log10(base_);
    const double room = unit_ == Axis::Unit::none ? 10 : 7;  // for labels
    const double every = std::max(1.0, std::ceil((last_ - first_) / step / room));
    for (double i = std::ceil(first_ / step - 1e-9); i * step <= last_ + 1e-9; ++i) {
      if (std::fmod(i, every) == 0) ticks_.push_back(std::pow(base_, i));
    }
  }

  void set_linear(double least, double most) {
    if (most - least < 1e-12 * std::max(1.0, std::abs(most))) {
      least -= 0.5;
      most += 0.5;
    }
    const double rough = (most - least) / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double digit = rough / power;
    const double step = (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
    const double begin = std::floor(least / step + 1e-9), end = std::ceil(most / step - 1e-9);
    first_ = begin * step;
    last_ = end * step;
    for (double i = begin; i <= end; ++i) ticks_.push_back(i * step);
  }

  bool logarithmic_;
  Axis::Unit unit_;
  double from_, to_, first_ = 0, last_ = 1, base_ = 10;
  std::vector<double> ticks_;
};

/// The least and the largest of some values.
struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

bool shown(const Axis& axis, double value) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

/// Styles that differ, as long as there are enough. A curve keeps its own unless an earlier one has
/// it.
std::vector<std::size_t> distinct_styles(const std::vector<Curve>& curves) {
  std::vector<std::size_t> result;
  std::vector<bool> taken(styles), kept(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::size_t style = curves[i].style % styles;
    kept[i] = curves[i].bound || !taken[style];
    if (!curves[i].bound) taken[style] = true;
    result.push_back(style);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (kept[i]) continue;
    std::size_t& style = result[i];
    for (std::size_t tries = 1; taken[style] && tries < styles; ++tries)
      style = (style + (tries % (styles / colours) == 0 ? colours + 1 : colours)) % styles;
    taken[style] = true;
  }
  return result;
}

class Writer {
 public:
  Writer(const Plot& plot, Output& out)
      : plot_(plot), text_(out), styles_(distinct_styles(plot.curves)) {}

  void write() {
    Range x, y;
    for (const Curve& curve : plot_.curves) {
      for (const auto& [a, b] : curve.points) {
        if (!shown(plot_.x, a) || !shown(plot_.y, b)) continue;
        x.add(a);
        y.add(b);
      }
    }
    if (x.least > x.most) throw InputError("the plot has no points");
    const Scale across(plot_.x, x.least, x.most, left, right);
    const Scale up(plot_.y, y.least, y.most, bottom, top);
    head();
    axes(across, up);
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) draw(i, across, up);
    if (!plot_.note.empty()) {
      text_.print("<text class=\"subtitle\" x=\"{:g}\" y=\"{:g}\">{}</text>\n", legend,
                  legend_line(plot_.curves.size()), element_text(plot_.note));
    }
    text_.put("</svg>\n");
    text_.flush();
  }

 private:
  double width() const {
    std::size_t longest = 0;
    for (const Curve& curve : plot_.curves) longest = std::max(longest, curve.name.size());
    return std::max({least_width, legend_names + letter_width * static_cast<double>(longest),
                     legend + letter_width * static_cast<double>(plot_.note.size())});
  }

  void head() {
    text_.print(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" role=\"img\" aria-labelledby=\"title description\">\n",
        width(),
        std::max(least_height, top + 20 * static_cast<double>(plot_.curves.size() +
                                                              (plot_.note.empty() ? 1 : 2))));
    text_.print("<title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n",
                element_text(plot_.title), element_text(plot_.description));
    text_.put(
        "<style>\n"
        "  text { font: 12px sans-serif; fill: #333; }\n"
        "  .title { font-size: 14px; font-weight: bold; }\n"
        "  .frame { fill: none; stroke: #666; }\n"
        "  .grid { stroke: #999; stroke-opacity: 0.3; }\n"
        "  .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }\n"
        "  .mark { fill: none; stroke-width: 1.5; }\n"
        "  .bound { stroke: #888; stroke-width: 1.5; }\n"
        "  .subtitle { font-size: 11px; }\n"
        "  .c0 { stroke: #1f77b4; } .c1 { stroke: #d1495b; } .c2 { stroke: #2a9d5c; }\n"
        "  .c3 { stroke: #8f63c9; } .c4 { stroke: #c77d1e; } .c5 { stroke: #1b9aaa; }\n"
        "  .c6 { stroke: #b5508f; } .c7 { stroke: #7a7a7a; }\n"
        "  @media (prefers-color-scheme: dark) { text { fill: #ddd; } .frame { stroke: #aaa; } }\n"
        "</style>\n");
    text_.print("<text class=\"title\" x=\"{:g}\" y=\"24\">{}</text>\n", left,
                element_text(plot_.title));
    if (plot_.subtitle.empty()) return;
    text_.print("<text class=\"subtitle\" x=\"{:g}\" y=\"42\">{}</text>\n", left,
                element_text(plot_.subtitle));
  }

  void axes(const Scale& across, const Scale& up) {
    for (const double tick : across.ticks()) {
      const double x = across(tick);
      text_.print("<path class=\"grid\" d=\"M{0:.1f} {1:g}V{2:g}\"/>\n", x, top, bottom);
      text_.print("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", x,
                  bottom + 18, across.text(tick));
    }
    for (const double tick : up.ticks()) {
      const double y = up(tick);
      text_.print("<path class=\"grid\" d=\"M{1:g} {0:.1f}H{2:g}\"/>\n", y, left, right);
      text_.print("<text x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 6, y + 4,
                  up.text(tick));
    }
    text_.print("<path class=\"frame\" d=\"M{:g} {:g}V{:g}H{:g}V{:g}Z\"/>\n", left, top, bottom,
                right, top);
    text_.print("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n",
                (left + right) / 2, bottom + 42, element_text(plot_.x.label));
    text_.print(
        "<text x=\"18\" y=\"{0:g}\" text-anchor=\"middle\" transform=\"rotate(-90 18 "
        "{0:g})\">{1}</text>\n",
        (top + bottom) / 2, element_text(plot_.y.label));
  }

  /// How many of the later curves have nearly the same points.
  std::size_t covered(std::size_t i) const {
    std::size_t result = 0;
    for (std::size_t j = i + 1; j < plot_.curves.size(); ++j) {
      const auto same = [](const auto& a, const auto& b) {
        return a.first == b.first && std::abs(a.second - b.second) <= 0.005 * std::abs(a.second);
      };
      const Curve &a = plot_.curves[i], &b = plot_.curves[j];
      std::size_t shared = 0;
      for (const auto& p : a.points) {
        shared += std::ranges::any_of(b.points, [&](const auto& q) { return same(p, q); });
      }
      result += 2 * shared > a.points.size();
    }
    return std::min<std::size_t>(result, 4);
  }

  std::string classes(std::size_t i) const {
    if (plot_.curves[i].bound) return "curve bound";
    return fmt::format("curve c{}", styles_[i] % colours);
  }
  /// Styles of one colour have different dashes, and so have neighbours in colour.
  std::string_view dashing(std::size_t i) const {
    const std::size_t style = styles_[i];
    return plot_.curves[i].bound ? "1 4" : dashes[(style / colours + style) % dashes.size()];
  }

  /// The shape of a point: a circle, a square, a triangle or a cross; another for styles that share
  /// colour and dashes.
  void mark(std::size_t i, double x, double y) {
    static constexpr std::array<std::string_view, shapes> drawn{
        "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z",
        "m-3 -3l6 6m0 -6l-6 6"};
    if (plot_.curves[i].bound) return;
    const std::size_t style = styles_[i];
    text_.print("<path class=\"mark c{}\" d=\"M{:.1f} {:.1f}{}\"/>\n", style % colours, x, y,
                drawn[(style + style / (colours * dashes.size())) % shapes]);
  }

  static double legend_line(std::size_t i) { return top + 12 + 20 * static_cast<double>(i); }

  void draw(std::size_t i, const Scale& across, const Scale& up) {
    const Curve& curve = plot_.curves[i];
    const std::size_t more = covered(i);
    text_.print(R"(<polyline class="{}" stroke-dasharray="{}")", classes(i), dashing(i));
    if (more > 0)
      text_.print(" style=\"stroke-width: {:.1f}\"", 1.8 + 2.2 * static_cast<double>(more));
    text_.put(" points=\"");
    std::vector<std::pair<double, double>> points;
    for (const auto& [x, y] : curve.points) {
      if (!shown(plot_.x, x) || !shown(plot_.y, y)) continue;
      text_.print("{}{:.1f},{:.1f}", points.empty() ? "" : " ", across(x), up(y));
      points.emplace_back(across(x), up(y));
    }
    text_.print("\"><title>{}</title></polyline>\n", element_text(curve.name));
    // Where not every point is marked, those of another curve are others.
    const std::size_t every = points.size() <= max_marks ? 1 : points.size() / 12;
    for (std::size_t k = 2 * i % every; k < points.size(); k += every)
      mark(i, points[k].first, points[k].second);
    const double y = legend_line(i);
    text_.print("<path class=\"{}\" stroke-dasharray=\"{}\" d=\"M{:g} {:g}h26\"/>\n", classes(i),
                dashing(i), legend, y - 4);
    mark(i, legend + 13, y - 4);
    text_.print("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", legend_names, y,
                element_text(curve.name));
  }

  const Plot& plot_;
  Text text_;
  std::vector<std::size_t> styles_;  ///< by curve
};

}  // namespace

void write_svg(const Plot& plot, Output& out) { Writer(plot, out).write(); }

}  // namespace schedcc
