#include "format/ti/overlap.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "analysis/run_map.hpp"

namespace schedcc::ti {

namespace {

Run run_of(const mpi::Operation& operation) { return {operation.first, operation.count}; }

/// For each message, if it is a receive: the first later step in which one of its chunks is sent.
std::vector<std::uint64_t> steps_of_need(std::span<const Message> messages) {
  std::vector<std::uint64_t> result(messages.size(), UINT64_MAX);
  RunMap<std::uint64_t> next;  // the step of a chunk's next send, from the end: 0 is none
  for (std::size_t i = messages.size(); i-- > 0;) {
    for (const mpi::Operation& o : messages[i].operations) {
      if (!messages[i].receive) {
        next.assign(run_of(o), messages[i].step + 1);
        continue;
      }
      next.each(run_of(o), [&](const Run&, std::uint64_t step) {
        if (step > 0) result[i] = std::min(result[i], step - 1);
      });
    }
  }
  return result;
}

/// The receive of each chunk that comes last, by its place, counted from 1.
class LastReceives {
 public:
  void add(const Message& receive, std::size_t place) {
    for (const mpi::Operation& o : receive.operations) {
      pieces_.clear();
      last_.each(run_of(o), [&](const Run& run, std::size_t before) {
        pieces_.emplace_back(run, std::max(before, place));
      });
      for (const auto& [run, later] : pieces_) last_.assign(run, later);
    }
  }
  std::size_t before(const Message& send) const {
    std::size_t result = 0;
    for (const mpi::Operation& o : send.operations) {
      last_.each(run_of(o),
                 [&](const Run&, std::size_t place) { result = std::max(result, place); });
    }
    return result;
  }

 private:
  RunMap<std::size_t> last_;
  std::vector<std::pair<Run, std::size_t>> pieces_;
};

}  // namespace

OverlappingCalls overlapping_calls(std::span<const Message> messages) {
  const std::vector<std::uint64_t> need = steps_of_need(messages);
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return !messages[i].receive; });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return need[i]; });

  OverlappingCalls result;
  std::vector<std::size_t> place(messages.size());
  for (const std::size_t i : order) {
    result.receives.push_back(&messages[i]);
    place[i] = result.receives.size();
  }
  result.sends.resize(order.size() + 1);
  LastReceives last;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    m.receive ? last.add(m, place[i]) : result.sends[last.before(m)].push_back(&m);
  }
  return result;
}

}  // namespace schedcc::ti
