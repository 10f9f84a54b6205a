#include "model/scaling.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The steps `times` times, each turn `period` steps after the one before, its transfers changed by
/// `edit(transfers, turn)`. Rows that can be divided remain so.
template <typename Edit>
Steps repeated(const Steps& steps, std::uint64_t times, std::uint64_t period, Edit edit) {
  const std::uint64_t size = steps.size();
  const std::uint64_t parts = steps.parts();
  const auto fill = [=](std::uint64_t row, Transfers& out) {
    const std::size_t before = out.size();
    const std::uint64_t number = steps.fill(row % size, out);
    edit(std::span(out).subspan(before), row / size);
    return row / size * period + number;
  };
  if (parts == 1) return Steps(size * times, fill);
  const auto read = [=](std::uint64_t row, const RowParts& some, Transfers& buffer) {
    Step step = read_into(steps, row % size, some, buffer);
    edit(std::span(buffer), row / size);
    step.number += row / size * period;
    return step;
  };
  return Steps(size * times, fill, parts, read);
}

/// Every chunk becomes n chunks.
Steps blocks(const Steps& steps, std::uint32_t n) {
  return repeated(steps, 1, 0, [n](std::span<Transfer> transfers, std::uint64_t) {
    for (Transfer& t : transfers) {
      t.first *= n;
      t.count = (std::uint32_t{t.count} * n) & max_transfer_count;
    }
  });
}

Steps scaled(SchedulePhase phase, std::uint32_t n) {
  if (n == 1) return std::move(phase.steps);
  if (phase.scaling == Scaling::blocks) return blocks(phase.steps, n);
  if (!by_packets(phase.scaling)) throw InternalError("a schedule that does not scale was scaled");
  return in_packets(phase.steps, n, phase.steps.span(),
                    phase.scaling == Scaling::packets_backwards);
}

std::vector<Holding> scaled(std::span<const Holding> lines, std::uint32_t n) {
  std::vector<Holding> result(lines.begin(), lines.end());
  for (Holding& line : result) {
    for (Run& run : line.runs) run = {run.first * n, run.count * n};
  }
  return result;
}

}  // namespace

Steps in_packets(const Steps& steps, std::uint32_t n, std::uint64_t period, bool backwards) {
  return repeated(steps, n, period, [=](std::span<Transfer> transfers, std::uint64_t turn) {
    const auto j = static_cast<std::uint32_t>(backwards ? n - 1 - turn : turn);
    bool single = true;
    for (Transfer& t : transfers) {
      single &= t.count == 1;
      t.first = t.first * n + j;
    }
    if (!single) throw InternalError("a schedule of packets has transfers of several chunks");
  });
}

Steps scaled(std::vector<SchedulePhase> phases, std::uint32_t n) {
  if (phases.size() == 1) return scaled(std::move(phases.front()), n);
  std::vector<Steps> parts;
  parts.reserve(phases.size());
  for (SchedulePhase& phase : phases) parts.push_back(scaled(std::move(phase), n));
  return sequence(std::move(parts));
}

Problem scaled(const Problem& one, std::uint32_t n) {
  Problem result = one;
  if (n == 1) return result;
  if (one.custom != nullptr) {
    result = custom_problem(one.ranks, one.chunks * n, scaled(one.pre(), n), scaled(one.post(), n),
                            std::string(one.title()));
    result.ordered = one.ordered;
  } else {
    result.chunks *= n;
  }
  return result;
}

}  // namespace schedcc
