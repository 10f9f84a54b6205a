// buffers: how much must be kept to be forwarded.
//
// The queue of a rank after step t: the chunks that it has received by then, did not start with,
// and still sends in a later step. What is still sent is known only at the end, so the steps go by
// twice: the first time the sends of each chunk are counted, the second time they are counted down.
//
// The queue of a router's link after step t: the chunks that arrived at the router before step t
// and leave over the link after it; a chunk that leaves in the step after its arrival never waits.
// These are known when the chunk leaves, so that only those that did wait are kept, and counted at
// the end. Of a schedule at endpoint level none does: lowering lets nothing wait.

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "checker/checks.hpp"
#include "checker/layout.hpp"
#include "machine/fattree.hpp"

namespace schedcc {

namespace {

/// For each (rank, chunk): how often it is still sent, and whether it is in the rank's queue.
class Forwards {
 public:
  void expect(const Cell& at) {
    std::uint8_t& cell = cells_.at(at);
    if ((cell & count_mask) < count_mask) {
      ++cell;
    } else {
      ++overflow_[{at.block, at.offset}];
    }
  }

  /// A send of it goes by; true if it leaves the queue with that.
  bool sent(const Cell& at) {
    std::uint8_t& cell = *cells_.find(at);  // it was expected
    if ((cell & count_mask) == count_mask) {
      const auto more = overflow_.find({at.block, at.offset});
      if (more != overflow_.end() && more->second > 0) {
        --more->second;
        return false;
      }
    }
    --cell;
    if (cell != queued) return false;
    cell = 0;
    return true;
  }

  /// It arrives; true if it enters the queue with that.
  bool received(const Cell& at) {
    std::uint8_t* const cell = cells_.find(at);
    if (cell == nullptr || *cell == 0 || (*cell & queued) != 0) return false;
    *cell |= queued;
    return true;
  }

  bool none() const { return cells_.empty(); }

  static constexpr std::uint32_t block_size = 64;

 private:
  static constexpr std::uint8_t queued = 128, count_mask = 127;
  BlockTable<std::uint8_t, block_size> cells_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> overflow_;  ///< sends beyond 127
};

class BuffersCheck : public Check {
 public:
  explicit BuffersCheck(const Context& c)
      : Check(c),
        latency_(c.machine.latency()),
        copies_(!c.problem.reduction()),
        custom_(c.problem.custom != nullptr),
        layout_(c.nodes, c.problem.total_chunks()) {
    if (!custom_) start_ = c.problem.start();
    for (std::size_t i = 0; i < c.machine.capacities.size(); ++i)
      levels_.push_back({.level = static_cast<std::uint32_t>(i + 1)});
  }

  bool previews() const override { return true; }

  void preview(const Step& step) override {
    for (const Transfer& t : step.transfers) {
      if (!is_rank(t.src)) continue;
      each_forwarded(t, [&](const Cell& cell) { forwards_.expect(cell); });
    }
  }

  void step(const StepView& view) override {
    const Step& step = view.step;
    arrive(step.number);
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (!is_rank(t.src)) {
        if (context.hop_level) leave(step, t);
      } else if (!forwards_.none()) {
        each_forwarded(t, [&](const Cell& cell) {
          if (forwards_.sent(cell)) --queues_[t.src];
        });
      }
    }
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (!is_rank(t.dst)) {
        if (!context.hop_level) continue;
        for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
          arrived_.at(arrivals_.cell(t.dst, c)) = step.number + 1;
        }
      } else if (forwards_.none()) {
        continue;
      } else if (latency_ == 1 && t.count == 1) {
        if (forwards_.received(layout_.cell(t.dst, t.first))) keep(t.dst, t.first, step.number);
      } else if (latency_ == 1) {
        receive(t, step.number);
      } else {
        flights_.push_back({step.number + latency_, t});
      }
    }
  }

  void finish(const Holdings*) override {
    arrive(UINT64_MAX);
    count_waits();
    context.report.max_buffer = longest_;
    context.report.queues = levels_;
    if (exceeded_) context.reporter.error("buffers", [&] { return *exceeded_; });
  }

 private:
  /// A chunk waited for a link: after each of the steps first..last it was in the queue.
  struct Wait {
    std::uint64_t link, first, last;
    Rank from, to;
  };
  struct Flight {
    std::uint64_t arrival;
    Transfer transfer;
  };

  using Arrivals = Layout<8>;

  bool is_rank(Rank node) const { return node < context.problem.ranks; }

  /// Calls f with the cell of each chunk of `t` that its sender may have had to keep.
  template <typename F>
  void each_forwarded(const Transfer& t, F f) const {
    if (t.count == 1) {  // most of them
      if (!owns(t.src, t.first)) f(layout_.cell(t.src, t.first));
      return;
    }
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      if (!owns(t.src, static_cast<Chunk>(c))) f(layout_.cell(t.src, c));
    }
  }

  /// Does the rank have the chunk from the start, as it is at the end?
  bool owns(Rank rank, Chunk chunk) const {
    if (!custom_) return copies_ && start_.has(rank, chunk);
    return context.problem.custom->starts_with(rank, chunk) && !context.problem.reduced(chunk);
  }

  void receive(const Transfer& t, std::uint64_t step) {
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      if (forwards_.received(layout_.cell(t.dst, c))) keep(t.dst, c, step);
    }
  }

  void keep(Rank rank, std::uint64_t chunk, std::uint64_t step) {
    const std::uint32_t length = ++queues_[rank];
    if (length <= longest_ && length <= limit_) return;
    longest_ = std::max<std::uint64_t>(longest_, length);
    if (length <= limit_ || step >= first_step_) return;
    exceed(step, fmt::format("rank {} must keep {} after step {}", rank, counted(length), step));
    exceeded_->rank = rank;
    exceeded_->chunk = chunk;
  }

  void arrive(std::uint64_t time) {
    while (!flights_.empty() && (time == UINT64_MAX || flights_.front().arrival <= time)) {
      const Flight flight = flights_.front();
      flights_.pop_front();
      receive(flight.transfer, flight.arrival);
    }
  }

  void leave(const Step& step, const Transfer& t) {
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      // Arrived in step a, kept as a + 1.
      const std::uint64_t next = arrived_.get(arrivals_.cell(t.src, c));
      if (next == 0 || next >= step.number) continue;
      const auto link = context.machine.network->link(t.src, t.dst);
      if (link) waits_.push_back({link->index, next, step.number - 1, t.src, t.dst});
    }
  }

  void count_waits() {
    std::ranges::sort(waits_, {}, [](const Wait& w) { return std::pair(w.link, w.first); });
    std::vector<std::uint64_t> ends;  // a heap: the last steps of those that wait
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      const Wait& wait = waits_[i];
      if (i == 0 || waits_[i - 1].link != wait.link) ends.clear();
      while (!ends.empty() && ends.front() < wait.first) {
        std::ranges::pop_heap(ends, std::greater<>());
        ends.pop_back();
      }
      ends.push_back(wait.last);
      std::ranges::push_heap(ends, std::greater<>());
      longest_ = std::max<std::uint64_t>(longest_, ends.size());
      if (!levels_.empty()) count_level(wait, ends.size());
      if (ends.size() <= limit_ || wait.first >= first_step_) continue;
      exceed(wait.first, fmt::format("{} must wait at {} for the link to {} after step {}",
                                     counted(ends.size()), context.node(wait.from),
                                     context.node(wait.to), wait.first));
      exceeded_->src = wait.from;
      exceeded_->dst = wait.to;
    }
  }

  /// The same by level, on a fat tree, where parents have the higher numbers.
  void count_level(const Wait& wait, std::uint64_t length) {
    LevelQueues& queues = levels_[FatTreeNodes{context.problem.ranks}.level(wait.from) - 1];
    std::uint64_t& longest = wait.to > wait.from ? queues.up : queues.down;
    longest = std::max(longest, length);
  }

  /// A queue is too long, earlier than any seen before. (Those of links are counted at the end.)
  void exceed(std::uint64_t step, const std::string& what) {
    first_step_ = step;
    exceeded_ = Finding{};
    exceeded_->step = step;
    exceeded_->message = fmt::format("{}; at most {} may", what, limit_);
  }

  static std::string counted(std::uint64_t chunks) {
    return fmt::format("{} chunk{}", chunks, chunks == 1 ? "" : "s");
  }

  std::uint64_t latency_;
  bool copies_, custom_;
  Problem::Start start_{};  ///< standard collectives
  Layout<Forwards::block_size> layout_;
  Forwards forwards_;
  NodeArray<std::uint32_t> queues_;
  std::deque<Flight> flights_;
  // What passes a router has little to do with what passes the next.
  Arrivals arrivals_{context.nodes, context.problem.total_chunks(), 1};
  BlockTable<std::uint64_t, 8> arrived_;  ///< by (router, chunk): the step after the last arrival
  std::vector<Wait> waits_;
  std::vector<LevelQueues> levels_;  ///< fat trees
  std::uint64_t longest_ = 0;
  std::uint64_t limit_ = context.options.max_buffer.value_or(UINT64_MAX);
  std::uint64_t first_step_ = UINT64_MAX;  ///< after which a queue was too long
  std::optional<Finding> exceeded_;
};

}  // namespace

extern const CheckEntry buffers_check;
const CheckEntry buffers_check{
    .name = "buffers",
    .summary = "the longest queue of a rank or of a router's link; --max-buffer bounds it",
    .make = make_check<BuffersCheck>,
};

}  // namespace schedcc
