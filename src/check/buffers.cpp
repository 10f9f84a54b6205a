// buffers: the lengths of the queues of chunks that are to be forwarded.
//
// The queue of a rank after step t: the chunks that it has received by then, did not start with,
// and still sends in a later step (queue_parts.hpp).
//
// The queue of a router's link after step t: the chunks that arrived at the router before step t
// and leave over the link after it; a chunk that leaves in the step after its arrival never waits.
// How long it did is known when it leaves, so that waits come in the order of their ends, as those
// of ranks do (IntervalTracks). In a schedule at endpoint level none waits: lowering never delays a
// hop.
//
// If a queue exceeds the limit, the waits of all chunks are collected in another pass, and counted:
// that finds the first step after which one does.
//
// Of an excerpt of a schedule ranks keep chunks that are not in its steps, too (Context::kept). Of
// one block the queues of all ranks are those of one rank (symmetry/one_block.hpp): then they are
// counted as one.

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include <fmt/core.h>

#include "analysis/block_table.hpp"
#include "analysis/chunk_table.hpp"
#include "analysis/layout.hpp"
#include "analysis/queue_parts.hpp"
#include "analysis/route_ends.hpp"
#include "analysis/run_map.hpp"
#include "check/checks.hpp"
#include "core/counted.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

class BuffersCheck : public Check {
 public:
  explicit BuffersCheck(const Context& c)
      : Check(c),
        queues_(c.problem, own_ranks(), parts_for(c), c.machine.latency(), c.one_queue, c.reopen),
        kept_(queues_.size()) {
    if (network_ == nullptr) return;
    for (std::size_t i = 0; i < network_->levels().size(); ++i)
      levels_.push_back({.level = static_cast<std::uint32_t>(i + 1)});
  }

  std::size_t parts() const override { return queues_.size(); }

  void follow(const StepEnds& ends, std::size_t part) override {
    while (kept_[part] < context.kept.size() && context.kept[kept_[part]].next <= ends.step.number)
      keep(part, context.kept[kept_[part]++]);
    queues_.follow(ends.sent, ends.received, part);
    if (context.hop_level && part == 0) pass_routers(ends.step);
  }

  QueueParts* queues() override { return &queues_; }

  void finish(const Holdings*) override {
    longest_ = std::max(longest_, queues_.longest());
    // The place is needed only where all is checked, and by the process that reports.
    const bool reports = context.share.whole() && context.kept.empty() && !context.one_queue;
    if (longest_ > limit_ && !reports) exceeded_.emplace();
    if (longest_ > limit_ && reports) find_exceeded();
    context.report.max_buffer = longest_;
    context.report.queues = levels_;
    if (exceeded_) context.reporter.error("buffers", [&] { return *exceeded_; });
  }

 private:
  /// Chunks waited: after each of the steps first..last they were in the queue of a link, or of the
  /// rank `from` if that is also `to`.
  struct Wait {
    std::uint64_t queue, first, last;
    Rank from, to;
    Run chunks;
  };

  /// When a chunk arrived at a rank, and the step after its last send; both plus one, so that 0
  /// means never.
  struct Stay {
    std::uint64_t arrived = 0, left = 0;
    friend bool operator==(const Stay&, const Stay&) = default;
  };

  /// With the first error one thread does all.
  static std::size_t parts_for(const Context& c) {
    return c.options.fail_fast ? 1 : std::min(c.threads, most_parts);
  }

  QueueParts::Ranks own_ranks() const {
    const auto [first, next] = context.share.among(context.problem.ranks);
    return {static_cast<Rank>(first), static_cast<Rank>(next)};
  }

  bool is_rank(Rank node) const { return node < context.problem.ranks; }
  bool is_own_router(Rank node) const {
    return !is_rank(node) && node >= routers_.first && node < routers_.second;
  }

  /// At the end of their time: intervals are added in the order of their ends.
  void keep(std::size_t part, const KeptChunks& kept) {
    // A chunk that arrives in step t is in the queue from time t + 1 + latency on.
    const std::uint64_t from = 1 + context.machine.latency();
    queues_.keep(part, kept.first + from, kept.next + from, kept.by_rank);
  }

  /// By (router, chunk): the step after the last arrival. Neighbouring routers rarely carry the
  /// same chunks at a time.
  using Arrivals = ChunkTable<std::uint64_t, 8>;
  Arrivals no_arrivals() const {
    return Arrivals(Layout<8>(context.nodes, context.problem.total_chunks(), 1));
  }

  void pass_routers(const Step& step) {
    each_wait_at_routers(step, arrived_, [&](const Transfer& t, const Wait& wait) {
      IntervalTracks& queue = *link_queues_.at(wait.queue);
      if (queue.put(wait.first, wait.last + 1, wait.chunks.count)) note_length(t, queue.number());
    });
  }

  /// Calls f(transfer, wait) for the waits of routers' links that end in a step.
  template <typename F>
  void each_wait_at_routers(const Step& step, Arrivals& arrived, F f) const {
    for (const Transfer& t : step.transfers) {
      if (!is_own_router(t.src)) continue;
      arrived.expect(t.count);
      arrived.each(t.src, {t.first, t.count}, [&](Run run, std::uint64_t next) {
        // Arrived in step a, kept as a + 1.
        if (next == 0 || next >= step.number) return;
        const auto link = network_->link(t.src, t.dst);
        if (link) f(t, Wait{link->index, next, step.number - 1, t.src, t.dst, run});
      });
    }
    for (const Transfer& t : step.transfers) {
      if (!is_own_router(t.dst)) continue;
      arrived.expect(t.count);
      arrived.assign(t.dst, {t.first, t.count}, step.number + 1);
    }
  }

  /// The queue of a link has been so long.
  void note_length(const Transfer& t, std::uint64_t length) {
    longest_ = std::max(longest_, length);
    if (levels_.empty()) return;
    const std::uint32_t level = network_->level(t.src);
    LevelQueues& queues = levels_[level - 1];
    std::uint64_t& longest = network_->level(t.dst) > level ? queues.up : queues.down;
    longest = std::max(longest, length);
  }

  void find_exceeded() {
    collect_waits_at_ranks();
    if (context.hop_level) collect_waits_at_routers();
    count_waits();
  }

  void collect_waits_at_routers() {
    const auto stream = context.reopen();
    Arrivals arrived = no_arrivals();
    for (Step step; stream->next(step);) {
      each_wait_at_routers(step, arrived,
                           [&](const Transfer&, const Wait& wait) { waits_.push_back(wait); });
    }
  }

  /// The waits of all chunks that ranks forward, from their arrivals to their last sends.
  void collect_waits_at_ranks() {
    std::unordered_map<Rank, RunMap<Stay>> stays;
    std::vector<std::pair<Run, Stay>> changed;
    const auto change = [&](RunMap<Stay>& of_rank, Run run, auto now) {
      changed.clear();
      of_rank.each(run, [&](Run part, const Stay& stay) { changed.emplace_back(part, now(stay)); });
      for (const auto& [part, stay] : changed) of_rank.assign(part, stay);
    };
    const auto stream = context.reopen();
    RouteEnds ends;
    for (Step step; stream->next(step);) {
      ends.read(step);
      for (const Transfer& t : ends.sent().transfers) {
        const auto of_rank = stays.find(t.src);
        if (of_rank == stays.end()) continue;
        queues_.each_forwarded(t, [&](Run run) {
          change(of_rank->second, run, [&](Stay stay) {
            const bool there = stay.arrived != 0 && stay.arrived <= step.number;
            return there ? Stay{stay.arrived, step.number} : stay;
          });
        });
      }
      const std::uint64_t arrival = step.number + context.machine.latency();
      for (const Transfer& t : ends.received().transfers) {
        if (!is_rank(t.dst)) continue;
        change(stays[t.dst], {t.first, t.count}, [&](Stay stay) {
          return stay.arrived == 0 ? Stay{arrival, 0} : stay;
        });
      }
    }
    add_waits(stays);
  }

  void add_waits(const std::unordered_map<Rank, RunMap<Stay>>& stays) {
    const std::uint64_t links = network_ != nullptr ? network_->links() : 0;
    const auto chunks = static_cast<std::uint32_t>(context.problem.total_chunks());
    for (const auto& [node, of_rank] : stays) {
      const Rank rank = node;
      of_rank.each({0, chunks}, [&](Run run, const Stay& stay) {
        if (stay.left == 0) return;  // not sent
        waits_.push_back({links + rank, stay.arrived - 1, stay.left - 1, rank, rank, run});
      });
    }
  }

  void count_waits() {
    std::ranges::sort(waits_, {},
                      [](const Wait& w) { return std::tuple(w.queue, w.first, w.chunks.first); });
    using End =
        std::pair<std::uint64_t, std::uint64_t>;  // the last step of a wait, its number of chunks
    std::vector<End> ends;                        // a heap: of the waiting chunks
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      const Wait& wait = waits_[i];
      if (i == 0 || waits_[i - 1].queue != wait.queue) {
        ends.clear();
        length = 0;
      }
      while (!ends.empty() && ends.front().first < wait.first) {
        length -= ends.front().second;
        std::ranges::pop_heap(ends, std::greater<>());
        ends.pop_back();
      }
      ends.emplace_back(wait.last, wait.chunks.count);
      std::ranges::push_heap(ends, std::greater<>());
      length += wait.chunks.count;
      if (length > limit_ && (!exceeded_ || wait.first < *exceeded_->step)) exceed(wait, length);
    }
  }

  /// A queue is too long after `wait.first`, earlier than any seen before, with one of the chunks.
  void exceed(const Wait& wait, std::uint64_t with_all) {
    const std::uint64_t length = limit_ + 1;
    const auto chunk = static_cast<Chunk>(end(wait.chunks) - 1 - (with_all - length));
    exceeded_ = Finding{};
    exceeded_->step = wait.first;
    const std::string chunks = counted(length, "chunk");
    if (wait.from == wait.to) {
      exceeded_->rank = wait.from;
      exceeded_->chunk = chunk;
      exceeded_->message = fmt::format("rank {} must keep {} after step {}; at most {} may",
                                       wait.from, chunks, wait.first, limit_);
    } else {
      exceeded_->src = wait.from;
      exceeded_->dst = wait.to;
      exceeded_->message =
          fmt::format("{} must wait at {} for the link to {} after step {}; at most {} may", chunks,
                      context.node(wait.from), context.node(wait.to), wait.first, limit_);
    }
  }

  /// More do not pay: each part reads all steps, and a step is made by one thread, which takes a
  /// fifth of the time.
  static constexpr std::size_t most_parts = 4;

  const Network* network_ = context.machine.network();
  QueueParts queues_;
  std::vector<std::size_t> kept_;  ///< by part: of Context::kept, those that are in the queues
  /// The first node whose routers' links it follows, and the one after the last.
  std::pair<std::uint64_t, std::uint64_t> routers_ = context.share.among(context.nodes);
  Arrivals arrived_ = no_arrivals();
  BlockTable<IntervalTracks, 1> link_queues_;  ///< by link
  std::vector<Wait> waits_;                    ///< where a queue is too long
  std::vector<LevelQueues> levels_;            ///< of a network that has some
  std::uint64_t longest_ = 0;
  std::uint64_t limit_ = context.options.max_buffer.value_or(UINT64_MAX);
  std::optional<Finding> exceeded_;
};

}  // namespace

extern const CheckEntry buffers_check;
const CheckEntry buffers_check{
    .name = "buffers",
    .summary = "the longest queue of a rank or of a router's link; --max-buffer bounds it",
    .follows = true,
    .by_step = true,
    .make = make_check<BuffersCheck>,
};

}  // namespace schedcc
