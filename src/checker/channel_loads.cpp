#include "checker/channel_loads.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace schedcc {

namespace {

/// The runs, as numbers, that take the channel at hand.
class Takers {
 public:
  explicit Takers(std::size_t runs) : sums_(runs + 1) {}

  void add(std::size_t run, std::int64_t change) {
    number_ += static_cast<std::uint64_t>(change);
    for (std::size_t i = run + 1; i < sums_.size(); i += i & -i) sums_[i] += change;
  }
  std::uint64_t number() const { return number_; }

  /// The run of which `before` come before it; there are more than that.
  std::size_t at(std::uint64_t before) const {
    std::size_t place = 0;
    auto left = static_cast<std::int64_t>(before);
    for (std::size_t leap = std::bit_floor(sums_.size()); leap > 0; leap /= 2) {
      if (place + leap >= sums_.size() || sums_[place + leap] > left) continue;
      place += leap;
      left -= sums_[place];
    }
    return place;
  }

 private:
  std::vector<std::int64_t> sums_;  ///< a Fenwick tree
  std::uint64_t number_ = 0;
};

/// A run begins or ends. Channels with the same remainder by their stride are a line.
struct Border {
  std::uint64_t stride, line, place;
  std::size_t run;
  bool begins;
};

}  // namespace

std::uint64_t count_loads(std::span<const ChannelRun> runs, const Channels& machine,
                          std::vector<Excess>& excesses) {
  std::vector<Border> borders;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [first, count, stride, downward] = runs[i];
    borders.push_back({stride, first % stride, first / stride, i, true});
    borders.push_back({stride, first % stride, first / stride + count, i, false});
  }
  const auto line = [](const Border& b) { return std::tuple(b.stride, b.line, b.place); };
  std::ranges::sort(borders, {}, line);

  const std::size_t begin = excesses.size();
  Takers takers(runs.size());
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < borders.size();) {
    const Border& here = borders[i];
    for (; i < borders.size() && line(borders[i]) == line(here); ++i)
      takers.add(borders[i].run, borders[i].begins ? 1 : -1);
    if (takers.number() == 0) continue;
    most = std::max(most, takers.number());
    const std::uint64_t channel = here.line + here.place * here.stride;
    const std::uint64_t capacity = machine.capacity(channel);
    if (takers.number() <= capacity) continue;
    const std::size_t run = takers.at(capacity);
    excesses.push_back(
        {run, {channel, borders[i].place - here.place, here.stride, runs[run].downward}});
  }
  std::ranges::sort(excesses.begin() + static_cast<std::ptrdiff_t>(begin), excesses.end(), {},
                    [](const Excess& e) {
                      const std::uint64_t place = e.channels.first;
                      return std::pair(e.run, e.channels.downward ? ~place : place);
                    });
  return most;
}

}  // namespace schedcc
