#include "analysis/held_expressions.hpp"

#include <algorithm>
#include <utility>

#include "analysis/route_ends.hpp"

namespace schedcc {

namespace {

/// From the first to the last chunk of ascending runs.
Run hull(const std::vector<Run>& runs) {
  if (runs.empty()) return {};
  const Chunk first = runs.front().first;
  return {first, static_cast<std::uint32_t>(end(runs.back()) - first)};
}

}  // namespace

HeldExpressions::HeldExpressions(const Problem& problem, std::uint64_t nodes, std::uint64_t latency,
                                 const std::vector<Run>& chunks, Expressions& expressions)
    : problem_(problem),
      latency_(latency),
      starts_(problem),
      expressions_(expressions),
      all_followed_(chunks.size() == 1 && chunks[0].count == problem.total_chunks()),
      states_(Layout<block_size>(nodes, hull(chunks))) {
  for (const Run run : chunks) followed_.assign(run, 1);
}

void HeldExpressions::follow(StepStream& steps) {
  RouteEnds ends;
  for (Step step; steps.next(step);) {
    ends.read(step);
    advance(ends.sent());
  }
  arrive(UINT64_MAX);
  states_.prepare_reads(problem_.total_chunks(), problem_.ranks);
}

/// Sends all transfers of a step, of those that leave their sources in it.
void HeldExpressions::advance(const Step& step) {
  step_ = step.number;
  arrive(step.number);
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const std::uint64_t time =
        step.number + (step.origins.empty() ? latency_ : step.origins[i].hops);
    budget_.add_transfer();
    load(step.transfers[i], flights_.at(time));
  }
}

/// Calls f(run) for the chunks of a transfer that are followed.
template <typename F>
void HeldExpressions::each_followed(const Transfer& t, F f) const {
  const Run whole{t.first, t.count};
  if (all_followed_) return f(whole);
  followed_.each(whole, [&](Run run, std::uint8_t followed) {
    if (followed != 0) f(run);
  });
}

void HeldExpressions::load(const Transfer& t, Load& load) {
  states_.expect(t.count);
  const std::size_t begin = load.values.size();
  each_followed(t, [&](Run run) {
    each(t.src, run, [&](Run piece, Id id) {
      if (id == Expressions::empty) return;
      Value* const last = load.values.size() > begin ? &load.values.back() : nullptr;
      if (last != nullptr && last->id == id && schedcc::end(last->run) == piece.first) {
        last->run.count += piece.count;
      } else {
        load.values.push_back({piece, id});
      }
    });
  });
  if (load.values.size() == begin) return;
  if (states_.by_runs()) budget_.spend(load.values.size() - begin, step_);
  load.arrivals.push_back({t.dst, t.reduce != 0, begin, load.values.size()});
}

void HeldExpressions::arrive(std::uint64_t time) {
  flights_.arrive(time, [&](const Load& load) { deliver(load); });
}

/// Does a node receive more than one of the transfers?
bool HeldExpressions::several(const Load& load) {
  ++loads_;
  bool result = false;
  for (const Arrival& a : load.arrivals)
    result |= std::exchange(received_[a.dst], loads_) == loads_;
  return result;
}

void HeldExpressions::deliver(const Load& load) {
  if (!several(load)) {
    for (const Arrival& a : load.arrivals) {
      for (std::size_t i = a.begin; i < a.end; ++i) deliver(a.dst, load.values[i], a.reduce);
    }
    return;
  }
  std::vector<std::size_t> order(load.arrivals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return load.arrivals[i].dst; });
  for (std::size_t i = 0; i < order.size();) {
    const Rank dst = load.arrivals[order[i]].dst;
    incoming_.clear();
    for (; i < order.size() && load.arrivals[order[i]].dst == dst; ++i) {
      const Arrival& a = load.arrivals[order[i]];
      for (std::size_t v = a.begin; v < a.end; ++v) incoming_.push_back({load.values[v], a.reduce});
    }
    deliver_together(dst);
  }
}

void HeldExpressions::deliver(Rank dst, const Value& value, bool reduce) {
  if (!reduce) return states_.assign(dst, value.run, value.id);
  if (!states_.by_runs()) return add_to_cells(dst, value);
  pieces_.clear();
  each(dst, value.run, [&](Run piece, Id before) { pieces_.push_back({piece, before}); });
  budget_.spend(pieces_.size(), step_);
  for (const Value& piece : pieces_)
    states_.assign(dst, piece.run, expressions_.add(piece.id, value.id));
}

/// Neighbouring chunks often have the same expression: their sum is looked up once.
void HeldExpressions::add_to_cells(Rank dst, const Value& value) {
  Id before = Expressions::unset, after = Expressions::unset;
  states_.each_cell_at(dst, value.run, [&](Chunk chunk, Id& cell) {
    const Id here = cell != Expressions::unset ? cell : at_start(dst, chunk);
    if (here != before) {
      before = here;
      after = expressions_.add(here, value.id);
    }
    cell = after;
  });
}

/// Delivers all of incoming_, which come to one node: from one end of a run to the next, the same
/// ones meet.
void HeldExpressions::deliver_together(Rank dst) {
  std::ranges::stable_sort(incoming_, {}, [](const IncomingValue& m) { return m.value.run.first; });
  std::vector<IncomingValue> here;
  std::uint64_t chunk = 0;
  for (std::size_t next = 0; next < incoming_.size() || !here.empty();) {
    if (here.empty()) chunk = incoming_[next].value.run.first;
    while (next < incoming_.size() && incoming_[next].value.run.first == chunk)
      here.push_back(incoming_[next++]);
    std::uint64_t until = next < incoming_.size() ? incoming_[next].value.run.first : UINT64_MAX;
    for (const IncomingValue& m : here) until = std::min(until, end(m.value.run));
    deliver_piece(dst, {static_cast<Chunk>(chunk), static_cast<std::uint32_t>(until - chunk)},
                  here);
    chunk = until;
    std::erase_if(here, [&](const IncomingValue& m) { return end(m.value.run) == until; });
  }
}

void HeldExpressions::deliver_piece(Rank dst, Run run, const std::vector<IncomingValue>& incoming) {
  if (incoming.size() == 1) return deliver(dst, {run, incoming[0].value.id}, incoming[0].reduce);
  pieces_.clear();
  each(dst, run, [&](Run piece, Id before) { pieces_.push_back({piece, before}); });
  if (states_.by_runs()) budget_.spend(pieces_.size() * incoming.size(), step_);
  for (const Value& piece : pieces_) {
    operands_.assign(1, piece.id);
    for (const IncomingValue& m : incoming) {
      if (!m.reduce) operands_.clear();  // an error of the check `shape`
      operands_.push_back(m.value.id);
    }
    states_.assign(dst, piece.run, expressions_.add_together(operands_, dst));
  }
}

}  // namespace schedcc
