#include "cost/measurement.hpp"

#include <algorithm>

#include "cost/bounds.hpp"

namespace schedcc {

namespace {

/// The bytes of a chunk for which the times of messages are evaluated.
constexpr std::uint64_t unit = std::uint64_t{1} << 16;

std::uint64_t largest(std::span<const SizedMessage> messages) {
  return std::ranges::max(messages, {}, &SizedMessage::chunks).chunks;
}

/// A search keeps thousands of clocks, few of which ever go on: between steps they are small.
struct Pause {
  LinearClock* clock;
  ~Pause() {
    if (clock != nullptr) clock->pause();
  }
};

}  // namespace

Measurement::Measurement(const Machine& machine, const CostModel& model) {
  if (model.linear()) linear_ = linear_clock(model, machine);
}

double Measurement::at(double chunk) const {
  if (!linear_) return profile_.at(chunk);
  const LinkTime line = linear_->line_so_far();
  return line.alpha + line.beta * chunk;
}

void Measurement::read(const Source& rest, const Machine& machine, const CostModel& model,
                       StepRules* rules, const std::function<bool(const Measurement&)>& enough,
                       const std::function<void(std::uint64_t)>& progress) {
  StepReader reader(rest, machine, model, rest.problem.chunks * (linear_ ? 1 : unit), progress);
  const auto clock = linear_ ? nullptr : own_clock(model, machine);
  const Pause pause{linear_.get()};
  KnownSteps known(machine.in_network().any());
  const std::uint64_t before = rows_;
  suspect_ = false;
  while (reader.next()) {
    if (!add(reader, clock.get(), known, rules)) {
      suspect_ = true;
      return;
    }
    rows_ = before + reader.rows();
    steps_ = reader.step().number + machine.latency();
    ++busy_;
    if (enough(*this)) return;
  }
  complete_ = true;
  // An idle step takes the least start-up.
  if (clock && steps_ > busy_)
    profile_.add(static_cast<double>(steps_ - busy_) * least_link(model, machine).alpha);
}

/// Adds the step that was read, unless it does not seem to keep the rules.
bool Measurement::add(StepReader& reader, Clock* clock, KnownSteps& known, StepRules* rules) {
  const Step& step = reader.step();
  const auto times = clock || rules ? known.find(step.transfers) : std::nullopt;
  if (times && clock) {
    profile_.add(times->lines);
    width_ = std::max(width_, times->width);
    return true;
  }
  const std::span<const SizedMessage> messages = reader.messages();
  if (!times && rules && !rules->keep(messages)) return false;
  const std::uint64_t width = largest(messages);
  width_ = std::max(width_, width);
  if (clock) {
    lines_.clear();
    for (const auto& [alpha, beta] : clock->lines(messages)) lines_.push_back({alpha, beta / unit});
    known.keep({width, profile_.add(lines_)});
  } else {
    linear_->step(step.number, step.rounds, messages);
    if (!times && rules) known.keep({width, {}});
  }
  return true;
}

}  // namespace schedcc
