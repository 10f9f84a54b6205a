// Since all ranks do the same, a class of ports has one load. One packet after another, of any
// rank, gets a way by another rank: that with which the excess of the loads over what the steps
// allow falls most, then the largest load of a channel, up to some noise.

#include "prove/sat/exchange/torus_ways.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace schedcc::prover {

namespace {

using Load = std::vector<std::uint64_t>;

class WayChoice {
 public:
  WayChoice(const Translations& translations, const TranslatedPorts& ports, std::uint64_t each,
            std::uint64_t steps, Dice& dice)
      : translations_(translations),
        steps_(steps),
        dice_(dice),
        direct_(translations.size(), each),
        uses_(translations.size(), Load(ports.classes())),
        capacity_(ports.classes()) {
    ways_.load.resize(ports.classes());
    for (std::size_t p = 0; p < ports.size(); ++p) capacity_[ports.class_of(p)] = ports.capacity(p);
    for (Rank to = 1; to < translations.size(); ++to) {
      for (const std::size_t p : ports.taken(to)) ++uses_[to][ports.class_of(p)];
      for (std::size_t c = 0; c < ports.classes(); ++c) ways_.load[c] += each * uses_[to][c];
    }
  }

  std::optional<TorusWays> run(std::uint64_t detours) {
    while (excess(ways_.load) > 0) {
      if (!relieve()) return std::nullopt;
    }
    while (detours > 0 && relieve()) --detours;
    list();
    return std::move(ways_);
  }

 private:
  /// More than the steps allow, over all classes.
  std::uint64_t excess(const Load& load) const {
    std::uint64_t result = 0;
    for (std::size_t c = 0; c < load.size(); ++c) {
      result += load[c] - std::min(load[c], steps_ * capacity_[c]);
    }
    return result;
  }
  /// What is to fall.
  double cost(const Load& load) const {
    std::uint64_t most = 0;
    for (std::size_t c = 2; c < load.size(); ++c) most = std::max(most, load[c]);
    return static_cast<double>(excess(load) + most);
  }
  Load with_detour(Rank goal, Rank by) const {
    Load load = ways_.load;
    const Rank rest = translations_.difference(goal, by);
    for (std::size_t c = 0; c < load.size(); ++c) {
      load[c] += uses_[by][c] + uses_[rest][c];
      load[c] -= uses_[goal][c];
    }
    return load;
  }

  /// Sends one packet by another rank; false if none would be of use.
  bool relieve() {
    constexpr double noise = 1.5;
    const std::uint64_t before = excess(ways_.load);
    double least = 0;
    std::pair<Rank, Rank> best{0, 0};
    for (Rank goal = 1; goal < translations_.size(); ++goal) {
      for (Rank by = 1; direct_[goal] > 0 && by < translations_.size(); ++by) {
        if (by == goal) continue;
        const Load load = with_detour(goal, by);
        if (excess(load) >= std::max<std::uint64_t>(before, 1)) continue;
        const double all = cost(load) + noise * dice_.fraction();
        if (best.first != 0 && all >= least) continue;
        least = all;
        best = {goal, by};
      }
    }
    if (best.first == 0) return false;
    ways_.load = with_detour(best.first, best.second);
    --direct_[best.first];
    ++detours_[best];
    return true;
  }

  void list() {
    for (Rank goal = 1; goal < translations_.size(); ++goal) {
      if (direct_[goal] > 0) ways_.messages.push_back({goal, 0, goal, 0, direct_[goal], {}});
    }
    std::vector<std::uint64_t> first = direct_;
    for (const auto& [way, count] : detours_) {
      const auto [goal, by] = way;
      const std::size_t earlier = ways_.messages.size();
      ways_.messages.push_back({by, 0, goal, first[goal], count, {}});
      ways_.messages.push_back(
          {translations_.difference(goal, by), by, goal, first[goal], count, earlier});
      first[goal] += count;
    }
  }

  const Translations& translations_;
  const std::uint64_t steps_;
  Dice& dice_;
  std::vector<std::uint64_t> direct_;                       ///< packets in one message, by goal
  std::map<std::pair<Rank, Rank>, std::uint64_t> detours_;  ///< by goal and the rank between
  std::vector<Load> uses_;  ///< of a message from rank 0, by its receiver
  Load capacity_;
  TorusWays ways_;
};

}  // namespace

std::optional<TorusWays> choose_torus_ways(const Translations& translations,
                                           const TranslatedPorts& ports, std::uint64_t each,
                                           std::uint64_t steps, std::uint64_t detours, Dice& dice) {
  return WayChoice(translations, ports, each, steps, dice).run(detours);
}

}  // namespace schedcc::prover
