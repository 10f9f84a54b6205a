// Start-up and bandwidth: a message of b bytes takes alpha + beta b, for any pair of ranks.
//
// Synchronous: a step takes alpha + beta b for its largest message, of b bytes; an idle step takes
// alpha. So a schedule takes alpha steps + beta volume, the volume being that of the report, in
// bytes. A step of R rounds takes alpha + R beta b. On routed machines a step is one hop of every
// packet under way, and a link of capacity c carries c chunks in parallel.
//
// Asynchronous: every rank runs the program "for each step in which I take part: start all its
// sends and receives, wait until all have ended". A message starts as soon as both its ranks have
// reached its step, takes alpha + beta b, and occupies both until it ends: what MPI_Isend,
// MPI_Irecv and MPI_Waitall do on a full crossbar with messages that are not buffered. A message of
// several chunks arrives as a whole. By induction over the steps no rank is later than the
// synchronous clock.
//
// Source: FT, section 1 (t + k); BL, "A Simple Model for Communication" (T(s) = alpha + beta s).

#include <algorithm>

#include "cost/clock.hpp"
#include "cost/path_log.hpp"

namespace schedcc {

namespace {

class SynchronousClock : public Clock {
 public:
  explicit SynchronousClock(const CostModel& model) : alpha_(model.alpha), beta_(model.beta) {}

  void step(std::uint64_t number, std::uint32_t rounds,
            std::span<const SizedMessage> messages) override {
    steps_ = number + 1;
    std::uint64_t largest = 0;
    for (const SizedMessage& m : messages) largest = std::max(largest, m.bytes);
    add_bytes(volume_, largest, rounds);
  }

  double so_far() const override {
    return static_cast<double>(steps_) * alpha_ + static_cast<double>(volume_) * beta_;
  }
  double finish() override { return so_far(); }

 private:
  double alpha_, beta_;
  std::uint64_t steps_ = 0, volume_ = 0;
};

class AsynchronousClock : public Clock {
 public:
  AsynchronousClock(const CostModel& model, bool record)
      : alpha_(model.alpha), beta_(model.beta), log_(record) {}

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    sent_.clear();
    for (const SizedMessage& m : messages) {  // all read the state of the ranks before the step
      const ReadyTime src = ready_[m.src];
      const ReadyTime dst = ready_[m.dst];
      const ReadyTime& later = src.time >= dst.time ? src : dst;
      const double end = later.time + alpha_ + beta_ * static_cast<double>(m.bytes);
      sent_.push_back(
          {end, log_.add({number, m.src, m.dst, m.bytes, later.time, end}, later.path)});
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      wait(ready_[messages[i].src], sent_[i]);
      wait(ready_[messages[i].dst], sent_[i]);
      wait(last_, sent_[i]);
      log_.drop(sent_[i].path);
    }
  }

  double so_far() const override { return last_.time; }
  double finish() override { return last_.time; }
  std::vector<TimedMessage> critical_path() const override { return log_.messages(last_.path); }

 private:
  void wait(ReadyTime& rank, const ReadyTime& message) {
    if (message.time <= rank.time) return;
    rank.time = message.time;
    log_.assign(rank.path, message.path);
  }

  double alpha_, beta_;
  PathLog log_;
  NodeArray<ReadyTime> ready_;
  ReadyTime last_;
  std::vector<ReadyTime> sent_;
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
          model.linear = true;
          return model;
        },
    .refuse = [](const Machine& machine) -> std::optional<std::string> {
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
      return std::make_unique<AsynchronousClock>(model, record);
    },
};

}  // namespace schedcc
