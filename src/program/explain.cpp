#include "program/explain.hpp"

#include <fmt/core.h>

#include "core/counted.hpp"
#include "program/limits.hpp"

namespace schedcc::program {

namespace {

/// "2 messages of 1 chunk".
std::string text(const Fifo& fifo) {
  std::string result = counted(fifo.depth, "message");
  if (fifo.chunks < limits::count) result += fmt::format(" of {}", counted(fifo.chunks, "chunk"));
  return result;
}

}  // namespace

std::string conflict(const Access& one, std::string_view where, const Access& other) {
  const auto verb = [](const Access& access) {
    return access.kind == AccessKind::write ? "writes" : "reads";
  };
  return fmt::format("{} {} {} and {} {} it", one.who, verb(one), where, other.who, verb(other));
}

std::string explain(const Wiring& wiring, const WaitCycle& wait_cycle, const Fifo& fifo) {
  using Reason = Wait::Reason;
  constexpr std::size_t shown = 8;
  std::string result = wait_cycle.closed ? "these instructions wait for one another: "
                                         : "this instruction never completes: ";
  for (std::size_t i = 0; i < wait_cycle.events.size(); ++i) {
    if (i == shown) {
      result += fmt::format(", and {} more", wait_cycle.events.size() - shown);
      break;
    }
    const Event e = wait_cycle.events[i];
    const Wait wait = wait_cycle.waits[i];
    result += i == 0 ? "" : ", ";
    result += wiring.describe(e) + " waits for ";
    if (wait.reason == Reason::step) {
      result += fmt::format("step {} of threadblock {}", wiring[e].step, wiring[e].block);
    } else {
      const Block& block = wiring.owner(e);
      const auto& c = wiring.connections()[wait.reason == Reason::message ? block.in : block.out];
      result += wait.reason == Reason::message
                    ? fmt::format("a message of GPU {}", c.src)
                    : fmt::format("room in the FIFO to GPU {}, which holds {}", c.dst, text(fifo));
    }
  }
  return result;
}

std::string explain(const Wiring& wiring, const Race& race) {
  const std::string who = wiring.describe(race.second);
  if (race.first == race.second) {
    return fmt::format(
        "{} reads {} and writes it as another chunk: its source and its "
        "destination overlap, in no defined order",
        who, to_text(race.slot));
  }
  return conflict({who, race.second_kind}, to_text(race.slot),
                  {wiring.describe(race.first), race.first_kind}) +
         undefined_order;
}

std::string explain(const Wiring& wiring, const InvalidUse& use) {
  return explain(use, wiring.describe(use.action), to_text(use.slot));
}

}  // namespace schedcc::program
