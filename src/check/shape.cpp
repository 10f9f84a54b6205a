// shape: ranks, chunks and counts exist, no rank sends to itself, and the arrivals of a step do not
// conflict.
//
// The first part is a filter before all others, so that no other check needs to test whether a rank
// or a chunk exists. The second part finds a chunk that is twice in a message, and a copy that
// arrives together with another transfer of the same chunk; it runs only for steps in which a chunk
// may arrive twice at a node. Where few transfers arrive at each node they are compared with one
// another; else, and to report conflicts in order, they are sorted.

#include "check/shape.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "analysis/block_table.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

class WellFormedStream : public StepStream {
 public:
  WellFormedStream(std::unique_ptr<StepStream> stream, const Context& context, Malformed malformed)
      : stream_(std::move(stream)),
        context_(context),
        malformed_(malformed),
        chunks_(context.problem.total_chunks()),
        all_reduced_(context.problem.reduced(Run{0, static_cast<std::uint32_t>(chunks_)})) {
    context_.nodes = std::max<std::uint64_t>(context.nodes, context.problem.ranks);
  }

  bool next(Step& step) override {
    if (!stream_->next(step)) return false;
    if (all_well_formed(step.transfers)) return true;
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      if (well_formed(step.transfers[i])) continue;
      drop_malformed(step, i);
      break;
    }
    return true;
  }
  void read_ahead(std::size_t threads) override { stream_->read_ahead(threads); }

 private:
  /// Branch-free, since nearly all steps are well-formed; false also if chunks must be examined one
  /// by one.
  bool all_well_formed(std::span<const Transfer> transfers) const {
    const auto nodes = static_cast<Rank>(context_.nodes);
    const unsigned may_reduce = all_reduced_;
    unsigned bad = 0;
    for (const Transfer& t : transfers) {
      bad |= static_cast<unsigned>(t.src >= nodes) | static_cast<unsigned>(t.dst >= nodes) |
             static_cast<unsigned>(t.src == t.dst) | static_cast<unsigned>(t.count == 0) |
             static_cast<unsigned>(std::uint64_t{t.first} + t.count > chunks_) |
             static_cast<unsigned>(t.reduce > may_reduce);
    }
    return bad == 0;
  }

  bool well_formed(const Transfer& t) const {
    return schedcc::well_formed(t, context_.problem, context_.nodes);
  }

  bool has_ends(const Transfer& t) const {
    return t.src < context_.nodes && t.dst < context_.nodes && t.src != t.dst;
  }

  /// Keeps only well-formed transfers; those before `i` are known to be.
  void drop_malformed(Step& step, std::size_t i) {
    kept_.assign(step.transfers.begin(), step.transfers.begin() + static_cast<std::ptrdiff_t>(i));
    lines_.clear();
    if (!step.lines.empty()) {
      lines_.assign(step.lines.begin(), step.lines.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::set<std::pair<Rank, Rank>> without_ends;
    for (; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (!well_formed(t)) {
        // That its ends are wrong is an error of the message.
        if (malformed_ == Malformed::reported &&
            (has_ends(t) || without_ends.emplace(t.src, t.dst).second))
          report(step, i);
        continue;
      }
      kept_.push_back(step.transfers[i]);
      if (!step.lines.empty()) lines_.push_back(step.lines[i]);
    }
    step.transfers = kept_;
    step.lines = lines_;
  }

  void report(const Step& step, std::size_t i) const {
    context_.reporter.error("shape", [&] {
      return about(locate(step, i), step.transfers[i].first, what(step.transfers[i]));
    });
  }

  std::string what(const Transfer& t) const {
    const bool routers = context_.nodes > context_.problem.ranks;
    const std::string_view kind = routers ? "node" : "rank";
    for (const Rank node : {t.src, t.dst}) {
      if (node >= context_.nodes) return no_such_node(kind, node, context_.nodes);
    }
    if (t.src == t.dst) return fmt::format("{} {} sends to itself", kind, t.src);
    if (t.count == 0) return fmt::format("{} {} sends nothing to {}", kind, t.src, t.dst);
    const std::uint64_t last = std::uint64_t{t.first} + t.count - 1;
    if (last >= chunks_) return no_such_chunk(last, chunks_);
    Chunk chunk = t.first;
    while (context_.problem.reduced(chunk)) ++chunk;
    return fmt::format("{} {} reduces into {} {} chunk {}, which is not a reduction chunk", kind,
                       t.src, kind, t.dst, chunk);
  }

  std::unique_ptr<StepStream> stream_;
  Context context_;
  Malformed malformed_;
  std::uint64_t chunks_;
  bool all_reduced_;
  Transfers kept_;
  std::vector<std::uint32_t> lines_;
};

class ShapeCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    if (!view.digest.chunks_meet()) return;
    const Step step = view.step.origins.empty() ? view.step : arrivals(view);
    if (are_apart(step.transfers)) return;
    std::vector<std::size_t> order(step.transfers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    twice_in_a_message(step, order);
    const auto is_copy = [](const Transfer& t) { return t.reduce == 0; };
    if (std::ranges::any_of(step.transfers, is_copy)) meeting_copies(step, order);
  }

 private:
  /// The arrivals in a step of a lowered schedule: at ranks the transfers at the end of their
  /// routes, at routers the hops. A router has one buffer for a chunk; transfers through a rank
  /// need none.
  Step arrivals(const StepView& view) {
    const Step& ends = view.received;
    transfers_.assign(ends.transfers.begin(), ends.transfers.end());
    origins_.assign(ends.origins.begin(), ends.origins.end());
    for (std::size_t i = 0; i < view.step.transfers.size(); ++i) {
      if (view.step.transfers[i].dst < context.problem.ranks) continue;
      transfers_.push_back(view.step.transfers[i]);
      origins_.push_back(view.step.origins[i]);
    }
    Step step = view.step;
    step.transfers = transfers_;
    step.origins = origins_;
    return step;
  }

  static std::uint64_t end(const Transfer& t) { return std::uint64_t{t.first} + t.count; }

  /// Does no arrival conflict with an earlier one at its receiver? False also if these are many.
  bool are_apart(std::span<const Transfer> transfers) {
    constexpr std::size_t none = SIZE_MAX, most_compared = 8;  // for each transfer
    std::size_t left = most_compared * transfers.size();
    earlier_.resize(transfers.size());
    ++stamp_;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      Arrival& last = last_[transfers[i].dst];
      earlier_[i] = last.stamp == stamp_ ? last.transfer : none;
      last = {stamp_, i};
      for (std::size_t j = earlier_[i]; j != none; j = earlier_[j]) {
        if (left-- == 0 || conflict(transfers[j], transfers[i])) return false;
      }
    }
    return true;
  }

  /// Of two arrivals at a node.
  static bool conflict(const Transfer& a, const Transfer& b) {
    const bool may_meet = a.reduce != 0 && b.reduce != 0 && a.src != b.src;
    return !may_meet && a.first < end(b) && b.first < end(a);
  }

  /// The transfers of a message in the order of their chunks: does one begin before the end of an
  /// earlier one?
  void twice_in_a_message(const Step& step, std::vector<std::size_t>& order) {
    const auto transfers = step.transfers;
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::tuple(transfers[i].dst, transfers[i].src, transfers[i].first, i);
    });
    std::optional<std::size_t> reaching;  // of those before, the one that reaches furthest
    for (const std::size_t i : order) {
      const Transfer& t = transfers[i];
      const bool other =
          !reaching || transfers[*reaching].dst != t.dst || transfers[*reaching].src != t.src;
      if (!other && end(transfers[*reaching]) > t.first) {
        report(step, std::min(i, *reaching), std::max(i, *reaching));
      }
      if (other || end(t) > end(transfers[*reaching])) reaching = i;
    }
  }

  /// The arrivals at a node in the order of their chunks: does a copy overlap a transfer from
  /// another sender?
  void meeting_copies(const Step& step, std::vector<std::size_t>& order) {
    const auto transfers = step.transfers;
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::tuple(transfers[i].dst, transfers[i].first, i);
    });
    std::optional<std::size_t> copy, any;  // of those before, the ones that reach furthest
    for (const std::size_t i : order) {
      const Transfer& t = transfers[i];
      if (any && transfers[*any].dst != t.dst) copy = any = std::nullopt;
      const auto meets = t.reduce != 0 ? copy : any;
      if (meets && transfers[*meets].src != t.src && end(transfers[*meets]) > t.first) {
        report(step, std::min(i, *meets), std::max(i, *meets));
      }
      if (!any || end(t) > end(transfers[*any])) any = i;
      if (t.reduce == 0 && (!copy || end(t) > end(transfers[*copy]))) copy = i;
    }
  }

  void report(const Step& step, std::size_t earlier, std::size_t later) {
    const Transfer& a = step.transfers[earlier];
    const Transfer& b = step.transfers[later];
    const Chunk chunk = std::max(a.first, b.first);
    context.reporter.error("shape", [&] {
      return about_receiver(
          locate(step, later), chunk,
          a.src == b.src
              ? fmt::format("chunk {} is twice in the message from {}", chunk, context.ends(b))
              : fmt::format("chunk {} arrives at {} twice in one step, from {} and from {}, and "
                            "not all are contributions",
                            chunk, context.node(b.dst), context.node(a.src), context.node(b.src)));
    });
  }

  /// The last one at a node, in the step with this stamp.
  struct Arrival {
    std::uint64_t stamp = 0;
    std::size_t transfer = 0;
  };

  Transfers transfers_;
  std::vector<Origin> origins_;
  NodeArray<Arrival> last_;
  std::vector<std::size_t> earlier_;  ///< by transfer: the one before at its receiver
  std::uint64_t stamp_ = 0;
};

}  // namespace

bool well_formed(const Transfer& t, const Problem& problem, std::uint64_t nodes) {
  return t.src < nodes && t.dst < nodes && t.src != t.dst && t.count != 0 &&
         std::uint64_t{t.first} + t.count <= problem.total_chunks() &&
         (t.reduce == 0 || problem.reduced(Run{t.first, t.count}));
}

std::unique_ptr<StepStream> well_formed_steps(std::unique_ptr<StepStream> stream,
                                              const Context& context, Malformed malformed) {
  return std::make_unique<WellFormedStream>(std::move(stream), context, malformed);
}

extern const CheckEntry shape_check;
const CheckEntry shape_check{
    .name = "shape",
    .summary = "ranks, chunks and counts are in range; no arrivals conflict",
    .by_step = true,
    .make = make_check<ShapeCheck>,
};

}  // namespace schedcc
