// switches: at hop level a switch copies packets, and combines them, only where the machine says
// that it may.
//
// One that does not multicast passes each packet on once: between two of its sends of a chunk the
// chunk arrives there again. At one that does not reduce no reduction arrives where a packet of its
// chunk has arrived before, or together with another one.
//
// A schedule at endpoint level cannot fail: each hop of a route follows an arrival by the one
// before it, and into switches lowered transfers are copies.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "analysis/run_map.hpp"
#include "check/checks.hpp"

namespace schedcc {

namespace {

class SwitchesCheck : public Check {
 public:
  using Check::Check;

  bool follows_chunks() const override { return true; }
  void follow(const StepEnds& ends, std::size_t) override {
    const auto transfers = ends.step.transfers;  // all sends read the state before the step
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].src >= context.problem.ranks) send(ends.step, i);
    }
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].dst >= context.problem.ranks) arrive(ends.step, i);
    }
  }

 private:
  /// The state of the packets of a chunk at a switch.
  enum class State : std::uint8_t { none, waiting, passed_on };

  void send(const Step& step, std::size_t i) {
    const Transfer& t = step.transfers[i];
    if (network_.rules(t.src).multicast) return;
    RunMap<State>& states = states_[t.src];
    std::optional<Chunk> again;
    passed_.clear();
    states.each({t.first, t.count}, [&](Run run, State state) {
      if (state == State::waiting) passed_.push_back(run);
      if (state == State::passed_on && !again) again = run.first;
    });
    for (const Run run : passed_) states.assign(run, State::passed_on);
    if (!again) return;
    report(step, i, *again,
           fmt::format("{} sends chunk {} to {} in step {}, and to another node in that step or "
                       "before, but does not multicast",
                       context.node(t.src), *again, context.node(t.dst), step.number));
  }

  void arrive(const Step& step, std::size_t i) {
    const Transfer& t = step.transfers[i];
    RunMap<State>& states = states_[t.dst];
    const Run chunks{t.first, t.count};
    std::optional<Chunk> met;
    if (t.reduce != 0 && !network_.rules(t.dst).reduces) {
      states.each(chunks, [&](Run run, State state) {
        if (state != State::none && !met) met = run.first;
      });
    }
    states.assign(chunks, State::waiting);
    if (!met) return;
    report(step, i, *met,
           fmt::format("{} has to add up chunk {} from {} in step {}, but does not reduce",
                       context.node(t.dst), *met, context.node(t.src), step.number));
  }

  void report(const Step& step, std::size_t i, Chunk chunk, std::string message) {
    context.reporter.error("switches",
                           [&] { return about(locate(step, i), chunk, std::move(message)); });
  }

  const Network& network_ = *context.machine.network();
  std::unordered_map<Rank, RunMap<State>> states_;  ///< by switch
  std::vector<Run> passed_;
};

}  // namespace

extern const CheckEntry switches_check;
const CheckEntry switches_check{
    .name = "switches",
    .summary = "switches copy and combine only where they may (hop level)",
    .follows = true,
    .by_step = true,
    .applies =
        [](const Context& c) {
          return c.hop_level && c.machine.routed() && c.machine.network()->restricted();
        },
    .make = make_check<SwitchesCheck>,
};

}  // namespace schedcc
