// Messages as walks from channel to channel: all routes are walks, and all walks routes.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "prove/sat/clauses/channel_walks.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

using Route = std::vector<std::size_t>;

/// The routes between ranks that take channels, by their ends.
using Routes = std::set<std::pair<std::pair<Rank, Rank>, Route>>;

/// Follows walks from a start, move by move, as long as no moves are broken.
class Follower {
 public:
  explicit Follower(const ChannelWalks& walks) : walks_(walks) {}

  Routes all() {
    for (const auto& [rank, channel] : walks_.starts) {
      from_ = rank;
      channels_ = {channel};
      follow();
    }
    return found_;
  }

 private:
  void follow() {
    REQUIRE(channels_.size() < 100);
    for (const auto& [channel, rank] : walks_.stops) {
      if (channel == channels_.back()) found_.insert({{from_, rank}, channels_});
    }
    for (std::size_t m = 0; m < walks_.moves.size(); ++m) {
      if (walks_.moves[m].from != channels_.back()) continue;
      moves_.push_back(m);
      channels_.push_back(walks_.moves[m].to);
      if (!is_broken()) follow();
      moves_.pop_back();
      channels_.pop_back();
    }
  }

  bool is_broken() const {
    return std::ranges::any_of(walks_.broken, [this](const std::vector<std::size_t>& broken) {
      return std::search(moves_.begin(), moves_.end(), broken.begin(), broken.end()) !=
             moves_.end();
    });
  }

  const ChannelWalks& walks_;
  Rank from_ = 0;
  Route channels_, moves_;
  Routes found_;
};

std::vector<std::size_t> arcs_of(const Instance& instance, std::size_t most_channels) {
  std::vector<std::size_t> result;
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    if (instance.arcs[a].channels.size() <= most_channels) result.push_back(a);
  }
  return result;
}

/// Grids, whose routes go along one dimension after the other.
std::vector<std::string> grids(Rank P) {
  std::vector<std::string> result;
  for (Rank a = 1; a * a <= P; ++a) {
    if (P % a != 0) continue;
    for (const char* kind : {"mesh", "torus"})
      result.push_back(fmt::format("{}:{}x{}", kind, a, P / a));
  }
  return result;
}

}  // namespace

TEST_CASE("prove: walks from channel to channel are the routes of messages") {
  std::uint64_t broken = 0;
  for (Rank P = 2; P <= 20; ++P) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
      for (const std::string& machine : grids(P)) {
        const auto copies = copy_question(question(Collective::broadcast, P, 1, machine, 1));
        REQUIRE(copies);
        INFO(machine << ", at most " << most << " channels");
        const auto arcs = arcs_of(copies->instance, most);
        const auto walks = channel_walks(copies->instance, arcs);
        REQUIRE(walks);
        Routes routes;
        std::size_t direct = 0;
        for (const std::size_t a : arcs) {
          const Arc& arc = copies->instance.arcs[a];
          if (arc.channels.empty())
            ++direct;
          else
            routes.insert({{arc.from, arc.to}, arc.channels});
        }
        CHECK(Follower(*walks).all() == routes);
        CHECK(walks->direct.size() == direct);
        broken += walks->broken.size();
      }
    }
  }
  CHECK(broken > 100);
}

TEST_CASE("prove: messages are no walks where channels carry several, or where there are none") {
  const auto walk = [](const char* machine) {
    const auto copies = copy_question(question(Collective::broadcast, 8, 1, machine, 1));
    return walks_from_channel_to_channel(copies->instance);
  };
  CHECK(walk("torus:1x8"));
  CHECK(walk("mesh:2x4"));
  CHECK_FALSE(walk("torus:1x8,congestion=2"));
  CHECK_FALSE(walk("duplex"));
}

TEST_CASE("prove: a row without a step to spare") {
  if (no_solver()) return;
  const struct {
    const char* machine;
    Rank P;
    std::uint32_t K;
    Answer answer;
  } cases[] = {{"mesh:1x16", 16, 3, Answer::sat},   {"mesh:1x16", 16, 4, Answer::unsat},
               {"mesh:1x16", 16, 8, Answer::unsat}, {"torus:1x16", 16, 4, Answer::sat},
               {"torus:1x15", 15, 6, Answer::sat},  {"mesh:1x32", 32, 2, Answer::sat},
               {"torus:1x32", 32, 4, Answer::sat},  {"torus:1x32", 32, 8, Answer::unsat},
               {"mesh:1x64", 64, 8, Answer::unsat}};
  for (const auto& [machine, P, K, answer] : cases) {
    const Question asked = at_bound(Collective::broadcast, P, 0, K, machine);
    INFO(describe(asked));
    CHECK(answer_with({}, asked) == answer);
  }
}
