// Start-up and bandwidth: a message of b bytes takes alpha + beta b, for any pair of ranks.
//
// Synchronous: a step takes alpha + beta b for its largest message, of b bytes; an idle step takes
// alpha. So a schedule takes alpha steps + beta volume, the volume being that of the report, in
// bytes. A step of R rounds takes alpha + R beta b. On routed machines a step is one hop of every
// packet under way, and a link of capacity c carries c chunks in parallel.
//
// Asynchronous: ranks wait for their messages in every step (waiting_clock.hpp), each of which
// takes alpha + beta b: a full crossbar. By induction over the steps no rank is later than the
// synchronous clock.
//
// Source: FT, section 1 (t + k); BL, "A Simple Model for Communication" (T(s) = alpha + beta s).

#include <algorithm>

#include "cost/clock.hpp"
#include "cost/waiting_clock.hpp"

namespace schedcc {

namespace {

class SynchronousClock : public LinearClock {
 public:
  explicit SynchronousClock(const CostModel& model) : alpha_(model.alpha), beta_(model.beta) {}

  void step(std::uint64_t number, std::uint32_t rounds,
            std::span<const SizedMessage> messages) override {
    steps_ = number + 1;
    std::uint64_t largest = 0;
    for (const SizedMessage& m : messages) largest = std::max(largest, m.bytes);
    add_bytes(volume_, largest, rounds);
  }

  LinkTime line_so_far() const override {
    return {static_cast<double>(steps_) * alpha_, static_cast<double>(volume_) * beta_};
  }

 private:
  double alpha_, beta_;
  std::uint64_t steps_ = 0, volume_ = 0;
};

class MessageTimes {
 public:
  explicit MessageTimes(const CostModel& model) : alpha_(model.alpha), beta_(model.beta) {}

  void begin(std::span<const SizedMessage> messages) { messages_ = messages; }
  double end(std::size_t i, double start) const {
    return start + alpha_ + beta_ * static_cast<double>(messages_[i].bytes);
  }

 private:
  double alpha_, beta_;
  std::span<const SizedMessage> messages_;
};

}  // namespace

extern const CostModelEntry alpha_beta_model;
const CostModelEntry alpha_beta_model{
    .name = "alpha-beta",
    .summary = "a message of b bytes takes alpha + beta b",
    .source = "FT, section 1; BL, A Simple Model for Communication",
    .parameters = {{.name = "alpha",
                    .summary = "start-up of a message, a time",
                    .kind = Parameter::Kind::time,
                    .required = true},
                   {.name = "beta",
                    .summary = "time per byte, or a bandwidth",
                    .kind = Parameter::Kind::gap,
                    .required = true}},
    .make =
        [](const Parameters& p) {
          CostModel model;
          model.alpha = p.time("alpha");
          model.beta = p.gap("beta");
          model.step_time = StepTime::message;
          return model;
        },
    .reason = [](const Machine& machine) -> std::optional<std::string> {
      if (!machine.timing()) return std::nullopt;
      return "the steps of a logp machine are cycles, in which messages overlap; use the models "
             "logp or loggp";
    },
    .synchronous = [](const CostModel& model, const Machine&) -> std::unique_ptr<Clock> {
      return std::make_unique<SynchronousClock>(model);
    },
    .asynchronous = [](const CostModel& model, const Machine& machine,
                       bool record) -> std::unique_ptr<Clock> {
      if (machine.routed()) return nullptr;  // their steps are a clock that all links share
      return std::make_unique<WaitingClock<MessageTimes>>(MessageTimes(model), record);
    },
};

}  // namespace schedcc
