#include "program/plan/values.hpp"

#include <utility>

namespace schedcc::program {

namespace {

/// The buffers of a plan as those of a program, whose contents are known.
Program shell(const Plan& plan) {
  Program result;
  result.problem = plan.problem;
  result.in_place = plan.in_place;
  for (const PlanGpu& gpu : plan.gpus) {
    Gpu g;
    g.input = gpu.input;
    g.output = gpu.output;
    g.scratch = gpu.scratch;
    result.gpus.push_back(std::move(g));
  }
  return result;
}

}  // namespace

PlanValues::PlanValues(const PlanTrace& trace)
    : trace_(trace),
      problem_(trace.plan().problem),
      shell_(shell(trace.plan())),
      contents_(shell_),
      cells_(trace.memory().size()) {}

void PlanValues::run(const std::vector<Node>& order) {
  for (const Node node : order) {
    const PlanAction& action = trace_.actions()[node];
    switch (action.kind) {
      case PlanAction::Kind::user:
        user(action);
        break;
      case PlanAction::Kind::data:
        data(node, action.first, action.count);
        break;
      case PlanAction::Kind::move:
        for (std::uint32_t i = 0; i < action.count; i += 2) data(node, action.first + i, 2);
        break;
      default:
        break;
    }
  }
}

void PlanValues::user(const PlanAction& action) {
  const Rank gpu = trace_.blocks()[action.block].gpu;
  if (action.invocation > 0) end(gpu, action.invocation - 1);
  if (action.invocation < trace_.invocations()) begin(gpu, action.invocation);
}

/// New inputs, and outputs with nothing in them.
void PlanValues::begin(Rank gpu, std::uint32_t invocation) {
  const PlanMemory& memory = trace_.memory();
  for (Cell cell = memory.first(gpu); cell < memory.scratch_first(gpu); ++cell) cells_[cell] = {};
  const std::uint32_t cells = trace_.grid().cells;
  for (std::uint64_t offset = 0; offset < input_chunks_of(trace_.plan(), gpu); ++offset) {
    const auto chunk = contents_.start(gpu, offset);
    if (!chunk) continue;
    SymbolicValue value = data_.start(gpu, *chunk);
    for (value.part = 0; value.part < cells; ++value.part) {
      const auto cell = memory.find(gpu, BufferKind::input, offset * cells + value.part, 0);
      if (cell) cells_[*cell] = {value, invocation};
    }
  }
}

void PlanValues::end(Rank gpu, std::uint32_t invocation) {
  WrongEnd end{gpu, invocation, 0, {}, {}, 0};
  contents_.for_each_goal(
      gpu, [&](std::uint32_t offset, Chunk chunk) { check_end(end, offset, chunk); });
  if (end.count > 0) wrong_ends_.push_back(end);
}

void PlanValues::check_end(WrongEnd& end, std::uint32_t offset, Chunk chunk) {
  const PlanMemory& memory = trace_.memory();
  const std::uint32_t cells = trace_.grid().cells;
  SymbolicValue wanted = data_.goal(end.gpu, chunk);
  bool right = true;
  for (wanted.part = 0; wanted.part < cells; ++wanted.part) {
    const auto cell =
        memory.find(end.gpu, BufferKind::output, std::uint64_t{offset} * cells + wanted.part, 0);
    const SymbolicValue value = cell ? cells_[*cell].value : SymbolicValue{};
    if (value == wanted) {
      sums_.add(end.gpu, value);
      continue;
    }
    if (right && end.count == 0) {
      end.chunk = chunk;
      end.slot = {BufferKind::output, static_cast<std::int32_t>(offset)};
      end.why = data_.error(value, wanted);
    }
    right = false;
  }
  if (!right) ++end.count;
}

void PlanValues::data(Node node, std::uint32_t first, std::uint32_t count) {
  SymbolicValue value;
  bool begun = false;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const PlanAccess& access = trace_.accesses()[i];
    if (access.kind == AccessKind::write) {
      write(node, access, value);
      continue;
    }
    const SymbolicValue operand = read(node, access);
    if (!begun) {
      value = operand;
      begun = true;
      continue;
    }
    if (!data_.combine(value, operand)) report(InvalidUse::Kind::combines, node, access.cell);
  }
}

SymbolicValue PlanValues::read(Node node, const PlanAccess& access) {
  const std::uint32_t invocation = trace_.actions()[node].invocation;
  const HeldValue* held = &cells_[access.cell];
  if (access.packet) {
    const auto found = packets_.find(access.cell);
    held = found == packets_.end() ? nullptr : &found->second;
  }
  if (held == nullptr || held->value.empty() || held->invocation != invocation) {
    report(InvalidUse::Kind::reads_nothing, node, access.cell);
    return {};
  }
  return held->value;
}

void PlanValues::write(Node node, const PlanAccess& access, const SymbolicValue& value) {
  const std::uint32_t invocation = trace_.actions()[node].invocation;
  if (access.packet) {
    packets_[access.cell] = {value, invocation};
    // They are not plain data.
    cells_[access.cell] = cells_[access.cell + 1] = {};
    return;
  }
  const Rank gpu = trace_.memory().owner(access.cell);
  if (!trace_.plan().in_place && trace_.memory().slot(access.cell).buffer == BufferKind::input) {
    report(InvalidUse::Kind::writes_input, node, access.cell);
  }
  cells_[access.cell] = {value, invocation};
  if (!trace_.memory().is_scratch(gpu, access.cell) || packets_.empty()) return;
  const Cell begin = trace_.memory().scratch_first(gpu);
  packets_.erase(begin + (access.cell - begin) / 2 * 2);
}

void PlanValues::report(InvalidUse::Kind kind, Node node, Cell cell) {
  const PlanAction& a = trace_.actions()[node];
  for (const InvalidUse& known : invalid_uses_) {
    const PlanAction& other = trace_.actions()[known.action];
    if (known.kind == kind && other.owner == a.owner && other.step == a.step) return;
  }
  const PlanMemory& memory = trace_.memory();
  if (invalid_uses_.size() < 64)
    invalid_uses_.push_back({kind, node, memory.owner(cell), memory.slot(cell)});
}

}  // namespace schedcc::program
