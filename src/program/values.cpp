#include "program/values.hpp"

#include <map>
#include <utility>

#include <fmt/core.h>

#include "program/sum_error.hpp"

namespace schedcc::program {

Values::Values(const Wiring& wiring, Call call)
    : wiring_(wiring),
      problem_(wiring.program().problem),
      call_(call),
      contents_(wiring.program()),
      under_way_(wiring.connections().size()) {
  const Program& program = wiring.program();
  for (Rank gpu = 0; gpu < program.gpus.size(); ++gpu) {
    memories_.emplace_back(program, gpu, call);
    cells_.emplace_back();
  }
}

Value Values::initial(Rank gpu, std::uint64_t cell) const {
  // In place, a chunk of the input may be one of the output, shifted or not.
  const Memory& memory = memories_[gpu];
  const std::uint64_t output = cell - memory.inputs();
  for (const std::uint64_t offset : {cell, output, output - std::uint64_t{gpu} * problem_.chunks}) {
    const auto chunk = contents_.start(gpu, offset);
    if (!chunk) continue;
    if (memory.cell({BufferKind::input, 0}, static_cast<std::uint32_t>(offset)) == cell) {
      const bool reduced = problem_.reduced(*chunk);
      return {ends_.start(gpu, *chunk), *chunk, false,
              reduced ? expressions_.only(gpu) : Expressions::value};
    }
  }
  return {};
}

Value Values::at(Rank gpu, Slot slot, std::uint32_t i) const {
  const std::uint64_t cell = memories_[gpu].cell(slot, i);
  const auto found = cells_[gpu].find(cell);
  return found == cells_[gpu].end() ? initial(gpu, cell) : found->second;
}

void Values::run(const std::vector<Event>& order,
                 const std::function<void(const InvalidUse&)>& invalid_use,
                 const std::function<void(const Arrival&)>& arrival) {
  for (const Event e : order) carry_out(e, invalid_use, arrival);
}

void Values::carry_out(Event e, const std::function<void(const InvalidUse&)>& invalid_use,
                       const std::function<void(const Arrival&)>& arrival) {
  const Instruction& step = wiring_[e];
  const OpEffects effect = effects(step.op);
  std::vector<Value> values;
  if (effect.receives) {
    auto& fifo = under_way_[wiring_.owner(e).in];
    values = std::move(fifo.front());
    fifo.pop_front();
    values.resize(step.count);
    if (arrival) arrival({wiring_.sender_of(e), e, values});
  }
  if (effect.reads_src) {
    std::vector<Value> local = read(e, step.src, invalid_use);
    if (step.op == Op::reduce) values = read(e, step.dst, invalid_use);
    if (values.empty()) {
      values = std::move(local);
    } else {
      bool fits = true;
      for (std::uint32_t i = 0; i < step.count; ++i) fits &= combine(values[i], local[i]);
      if (!fits) invalid_use({InvalidUse::What::combines_chunks, e, step.src});
    }
  }
  if (effect.writes_dst) write(e, values, invalid_use);
  if (effect.sends) under_way_[wiring_.owner(e).out].push_back(std::move(values));
}

std::vector<Value> Values::read(Event e, Slot slot,
                                const std::function<void(const InvalidUse&)>& invalid_use) {
  const Rank gpu = wiring_.owner(e).gpu;
  std::vector<Value> values(wiring_[e].count);
  bool reported = false;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    values[i] = at(gpu, slot, i);
    if (!values[i].empty() || reported) continue;
    reported = true;
    invalid_use({InvalidUse::What::reads_nothing,
                 e,
                 {slot.buffer, slot.offset + static_cast<std::int32_t>(i)}});
  }
  return values;
}

void Values::write(Event e, const std::vector<Value>& values,
                   const std::function<void(const InvalidUse&)>& invalid_use) {
  const Slot dst = wiring_[e].dst;
  const Rank gpu = wiring_.owner(e).gpu;
  if (call_ == Call::out_of_place && dst.buffer == BufferKind::input) {
    invalid_use({InvalidUse::What::writes_input, e, dst});
  }
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    cells_[gpu][memories_[gpu].cell(dst, i)] = values[i];
  }
}

bool Values::combine(Value& into, const Value& with) {
  const bool fits = !into.empty() && !with.empty() && !into.invalid && !with.invalid &&
                    problem_.reduced(into.chunk) && into.chunk == with.chunk;
  if (fits) {
    into.id = contributions_.unite(into.id, with.id);
    into.sum = expressions_.add(into.sum, with.sum);
    return true;
  }
  // Missing and invalid values have been reported already.
  const bool reported = into.empty() || with.empty() || into.invalid || with.invalid;
  into = {Contributions::value, into.chunk, true};
  return reported;
}

std::optional<WrongEnd> Values::wrong_end(Rank rank) {
  std::optional<WrongEnd> result;
  contents_.for_each_goal(rank, [&](std::uint32_t offset, Chunk chunk) {
    const Slot slot{BufferKind::output, static_cast<std::int32_t>(offset)};
    const Value value = at(rank, slot), needed{ends_.goal(rank, chunk), chunk};
    if (value == needed) return;
    if (!result) result = WrongEnd{chunk, slot, explain(value, needed), 0};
    ++result->count;
  });
  return result;
}

std::optional<Disagreement> Values::disagreement() {
  std::map<Chunk, std::pair<Rank, Expressions::Id>> firsts;
  std::optional<Disagreement> result;
  std::pair<Expressions::Id, Expressions::Id> sums;
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    contents_.for_each_goal(rank, [&](std::uint32_t offset, Chunk chunk) {
      const Value value = at(rank, {BufferKind::output, static_cast<std::int32_t>(offset)});
      if (value != Value{ends_.goal(rank, chunk), chunk}) return;
      const auto& [first, sum] = firsts.try_emplace(chunk, rank, value.sum).first->second;
      if (sum == value.sum || (result && result->chunk <= chunk)) return;
      result = Disagreement{chunk, first, rank, {}};
      sums = {sum, value.sum};
    });
  }
  if (result) result->difference = difference(expressions_, sums.first, sums.second);
  return result;
}

std::string Values::explain(const Value& value, const Value& wanted) {
  if (value.empty()) return "nothing has been written there";
  if (value.invalid) return "different values were combined";
  if (value.chunk != wanted.chunk) return fmt::format("it is chunk {}", value.chunk);
  return sum_error(contributions_, value.id, wanted.id);
}

}  // namespace schedcc::program
