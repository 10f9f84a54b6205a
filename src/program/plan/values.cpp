#include "program/plan/values.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "program/sum_error.hpp"

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
    const bool reduced = problem_.reduced(*chunk);
    for (std::uint32_t i = 0; i < cells; ++i) {
      const auto cell = memory.find(gpu, BufferKind::input, offset * cells + i, 0);
      if (!cell) continue;
      cells_[*cell] = {{ends_.start(gpu, *chunk), *chunk, i, false,
                        reduced ? expressions_.only(gpu) : Expressions::value},
                       invocation};
    }
  }
}

void PlanValues::end(Rank gpu, std::uint32_t invocation) {
  const PlanMemory& memory = trace_.memory();
  const std::uint32_t cells = trace_.grid().cells;
  PlanWrongEnd wrong{gpu, invocation, 0, {}, {}, 0};
  contents_.for_each_goal(gpu, [&](std::uint32_t offset, Chunk chunk) {
    const Contributions::Id goal = ends_.goal(gpu, chunk);
    bool right = true;
    for (std::uint32_t i = 0; i < cells; ++i) {
      const auto cell = memory.find(gpu, BufferKind::output, std::uint64_t{offset} * cells + i, 0);
      const PlanValue wanted{goal, chunk, i, false, Expressions::empty};
      const PlanValue value = cell ? cells_[*cell].value : PlanValue{};
      if (value == wanted) {
        const std::uint64_t key = std::uint64_t{chunk} * cells + i;
        Sum& sum = sums_.try_emplace(key, Sum{gpu, value.sum, value.sum, gpu}).first->second;
        if (sum.sum == sum.other && sum.sum != value.sum) {
          sum.other = value.sum;
          sum.other_gpu = gpu;
        }
        continue;
      }
      if (!right) continue;
      right = false;
      if (wrong.count++ > 0) continue;
      wrong.chunk = chunk;
      wrong.slot = {BufferKind::output, static_cast<std::int32_t>(offset)};
      wrong.why = explain(value, wanted);
    }
  });
  if (wrong.count > 0) wrong_.push_back(wrong);
}

void PlanValues::data(Node node, std::uint32_t first, std::uint32_t count) {
  PlanValue value;
  bool begun = false;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const PlanAccess& access = trace_.accesses()[i];
    if (access.write) {
      write(node, access, value);
      continue;
    }
    const PlanValue operand = read(node, access);
    if (!begun) {
      value = operand;
      begun = true;
      continue;
    }
    const bool known = !value.empty() && !operand.empty() && !value.invalid && !operand.invalid;
    if (known && problem_.reduced(value.chunk) && value.chunk == operand.chunk &&
        value.cell == operand.cell) {
      value.id = contributions_.unite(value.id, operand.id);
      value.sum = expressions_.add(value.sum, operand.sum);
      continue;
    }
    if (known) misuse(PlanMisuse::What::combines, node, access.cell);
    value = {Contributions::value, value.chunk, value.cell, true, Expressions::empty};
  }
}

PlanValue PlanValues::read(Node node, const PlanAccess& access) {
  const std::uint32_t invocation = trace_.actions()[node].invocation;
  const Held* held = &cells_[access.cell];
  if (access.packet) {
    const auto found = packets_.find(access.cell);
    held = found == packets_.end() ? nullptr : &found->second;
  }
  if (held == nullptr || held->value.empty() || held->invocation != invocation) {
    misuse(PlanMisuse::What::reads_nothing, node, access.cell);
    return {};
  }
  return held->value;
}

void PlanValues::write(Node node, const PlanAccess& access, const PlanValue& value) {
  const std::uint32_t invocation = trace_.actions()[node].invocation;
  if (access.packet) {
    packets_[access.cell] = {value, invocation};
    // They are no plain data.
    cells_[access.cell] = cells_[access.cell + 1] = {};
    return;
  }
  const Rank gpu = trace_.memory().owner(access.cell);
  if (!trace_.plan().in_place && trace_.memory().slot(access.cell).buffer == BufferKind::input) {
    misuse(PlanMisuse::What::writes_input, node, access.cell);
  }
  cells_[access.cell] = {value, invocation};
  if (!trace_.memory().is_scratch(gpu, access.cell) || packets_.empty()) return;
  const Cell begin = trace_.memory().scratch_first(gpu);
  packets_.erase(begin + (access.cell - begin) / 2 * 2);
}

void PlanValues::misuse(PlanMisuse::What what, Node node, Cell cell) {
  const PlanAction& a = trace_.actions()[node];
  for (const PlanMisuse& known : misuses_) {
    const PlanAction& other = trace_.actions()[known.action];
    if (known.what == what && other.owner == a.owner && other.step == a.step) return;
  }
  if (misuses_.size() < 64) misuses_.push_back({what, node, cell});
}

std::optional<PlanDisagreement> PlanValues::disagreement() const {
  std::optional<PlanDisagreement> result;
  const Sum* sums = nullptr;
  for (const auto& [key, sum] : sums_) {
    if (sum.sum == sum.other) continue;
    const auto chunk = static_cast<Chunk>(key / trace_.grid().cells);
    if (result && result->chunk <= chunk) continue;
    result = PlanDisagreement{chunk, sum.gpu, sum.other_gpu, {}};
    sums = &sum;
  }
  if (result) result->difference = difference(expressions_, sums->sum, sums->other);
  return result;
}

std::string PlanValues::explain(const PlanValue& value, const PlanValue& wanted) {
  if (value.empty()) return "nothing has been written there";
  if (value.invalid) return "different data were combined";
  if (value.chunk != wanted.chunk) return fmt::format("it is chunk {}", value.chunk);
  if (value.cell != wanted.cell) return "it is another part of the chunk";
  return sum_error(contributions_, value.id, wanted.id);
}

}  // namespace schedcc::program
