#include "program/values.hpp"

#include <utility>

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
    cells_.emplace_back(memories_.back().size());
  }
}

SymbolicValue Values::initial(Rank gpu, std::uint64_t cell) const {
  // In place, a chunk of the input may be one of the output, shifted or not.
  const Memory& memory = memories_[gpu];
  const std::uint64_t output = cell - memory.inputs();
  for (const std::uint64_t offset : {cell, output, output - std::uint64_t{gpu} * problem_.chunks}) {
    const auto chunk = contents_.start(gpu, offset);
    if (!chunk) continue;
    if (memory.cell({BufferKind::input, 0}, static_cast<std::uint32_t>(offset)) == cell) {
      return data_.start(gpu, *chunk);
    }
  }
  return {};
}

SymbolicValue Values::at(Rank gpu, Slot slot, std::uint32_t i) const {
  const std::uint64_t cell = memories_[gpu].cell(slot, i);
  const SymbolicValue* written = cells_[gpu].find(cell);
  return written == nullptr ? initial(gpu, cell) : *written;
}

void Values::run(const std::vector<Event>& order, const OnInvalidUse& invalid_use,
                 const std::function<void(const Arrival&)>& arrival) {
  for (const Event e : order) carry_out(e, invalid_use, arrival);
}

void Values::carry_out(Event e, const OnInvalidUse& invalid_use,
                       const std::function<void(const Arrival&)>& arrival) {
  const Instruction& step = wiring_[e];
  const OpEffects effect = effects(step.op);
  std::vector<SymbolicValue> values;
  if (effect.receives) {
    auto& fifo = under_way_[wiring_.owner(e).in];
    values = std::move(fifo.front());
    fifo.pop_front();
    values.resize(step.count);
    if (arrival) arrival({wiring_.sender_of(e), e, values});
  }
  if (effect.reads_src) {
    std::vector<SymbolicValue> local = read(e, step.src, invalid_use);
    if (step.op == Op::reduce) values = read(e, step.dst, invalid_use);
    if (values.empty()) {
      values = std::move(local);
    } else {
      combine(e, values, local, invalid_use);
    }
  }
  if (effect.writes_dst) write(e, values, invalid_use);
  if (effect.sends) under_way_[wiring_.owner(e).out].push_back(std::move(values));
}

std::vector<SymbolicValue> Values::read(Event e, Slot slot, const OnInvalidUse& invalid_use) {
  const Rank gpu = wiring_.owner(e).gpu;
  std::vector<SymbolicValue> values(wiring_[e].count);
  bool reported = false;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    values[i] = at(gpu, slot, i);
    if (!values[i].empty() || reported) continue;
    reported = true;
    report(InvalidUse::Kind::reads_nothing, e, slot, i, invalid_use);
  }
  return values;
}

void Values::write(Event e, const std::vector<SymbolicValue>& values,
                   const OnInvalidUse& invalid_use) {
  const Slot dst = wiring_[e].dst;
  const Rank gpu = wiring_.owner(e).gpu;
  if (call_ == Call::out_of_place && dst.buffer == BufferKind::input) {
    report(InvalidUse::Kind::writes_input, e, dst, 0, invalid_use);
  }
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    cells_[gpu][memories_[gpu].cell(dst, i)] = values[i];
  }
}

void Values::combine(Event e, std::vector<SymbolicValue>& values,
                     const std::vector<SymbolicValue>& local, const OnInvalidUse& invalid_use) {
  bool reported = false;
  for (std::uint32_t i = 0; i < wiring_[e].count; ++i) {
    if (data_.combine(values[i], local[i]) || reported) continue;
    reported = true;
    report(InvalidUse::Kind::combines, e, wiring_[e].src, i, invalid_use);
  }
}

void Values::report(InvalidUse::Kind kind, Event e, Slot slot, std::uint32_t i,
                    const OnInvalidUse& invalid_use) const {
  slot.offset += static_cast<std::int32_t>(i);
  invalid_use({kind, e, wiring_.owner(e).gpu, slot});
}

std::optional<WrongEnd> Values::wrong_end(Rank rank) {
  std::optional<WrongEnd> result;
  contents_.for_each_goal(rank, [&](std::uint32_t offset, Chunk chunk) {
    const Slot slot{BufferKind::output, static_cast<std::int32_t>(offset)};
    const SymbolicValue value = at(rank, slot), wanted = data_.goal(rank, chunk);
    if (value == wanted) return;
    if (!result) result = WrongEnd{rank, 0, chunk, slot, data_.error(value, wanted), 0};
    ++result->count;
  });
  return result;
}

std::optional<Disagreement> Values::disagreement() {
  FinalSums sums;
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    contents_.for_each_goal(rank, [&](std::uint32_t offset, Chunk chunk) {
      const SymbolicValue value = at(rank, {BufferKind::output, static_cast<std::int32_t>(offset)});
      if (value == data_.goal(rank, chunk)) sums.add(rank, value);
    });
  }
  return sums.disagreement(data_);
}

}  // namespace schedcc::program
