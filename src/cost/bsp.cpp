// Bulk synchronous: supersteps, each an h-relation between two synchronizations.
//
// A step in which no rank sends or receives more than b bytes in all takes l + g b, b counting a
// rank's sent and received bytes apart. With h given a superstep holds at most h messages that a
// rank sends or receives; a step with m of them at some rank is ceil(m/h) supersteps, and so as
// many synchronizations. Only the synchronous clock exists: the model has no time within
// supersteps.
//
// Source: CC, "BSP model definition" (l is its alpha, g its beta; h = P unless given).

#include <algorithm>

#include "cost/clock.hpp"

namespace schedcc {

namespace {

class BspClock : public LinearClock {
 public:
  explicit BspClock(const CostModel& model) : l_(model.alpha), g_(model.beta), h_(model.h) {}

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    supersteps_ += number - steps_;  // idle ones
    steps_ = number + 1;
    std::uint64_t bytes = 0, count = 1;
    const auto add = [&](Load& load, const SizedMessage& m) {
      if (load.step != steps_) load = {steps_, 0, 0};
      add_bytes(load.bytes, m.bytes);
      ++load.messages;
      bytes = std::max(bytes, load.bytes);
      count = std::max(count, load.messages);
    };
    for (const SizedMessage& m : messages) {
      add(sent_[m.src], m);
      add(received_[m.dst], m);
    }
    supersteps_ += h_ == 0 ? 1 : (count - 1) / h_ + 1;
    add_bytes(bytes_, bytes);
  }

  LinkTime line_so_far() const override {
    return {static_cast<double>(supersteps_) * l_, static_cast<double>(bytes_) * g_};
  }
  void pause() override {
    sent_.clear();
    received_.clear();
  }

 private:
  /// The bytes or messages that a rank sends, or receives, in step `step` - 1.
  struct Load {
    std::uint64_t step = 0, bytes = 0, messages = 0;
  };

  double l_, g_;
  std::uint64_t h_;
  NodeArray<Load> sent_, received_;
  std::uint64_t steps_ = 0, supersteps_ = 0, bytes_ = 0;
};

}  // namespace

extern const CostModelEntry bsp_model;
const CostModelEntry bsp_model{
    .name = "bsp",
    .summary = "a superstep that moves b bytes at the busiest rank takes l + g b",
    .source = "CC, BSP model definition",
    .parameters = {{.name = "l",
                    .summary = "a synchronization, a time",
                    .kind = Parameter::Kind::time,
                    .required = true},
                   {.name = "g",
                    .summary = "time per byte, or a bandwidth",
                    .kind = Parameter::Kind::gap,
                    .required = true},
                   {.name = "h",
                    .summary = "messages of a rank in a superstep (default: any number)",
                    .min = 1}},
    .make =
        [](const Parameters& p) {
          CostModel model;
          model.alpha = p.time("l");
          model.beta = p.gap("g");
          model.h = p.has("h") ? p.integer("h") : 0;
          model.step_time = StepTime::rank;
          return model;
        },
    .reason = [](const Machine& machine) -> std::optional<std::string> {
      if (machine.ports()) return against_switches(machine);
      return "its supersteps are h-relations, which limit ranks, not links or cycles";
    },
    .synchronous = [](const CostModel& model, const Machine&) -> std::unique_ptr<Clock> {
      return std::make_unique<BspClock>(model);
    },
    .asynchronous = nullptr,
};

}  // namespace schedcc
