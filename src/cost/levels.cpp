// Start-up and bandwidth by level: a message of b bytes and level l takes
//     alpha_l + beta_l b c,
// c being the largest ratio of load to capacity among its channels in its step, if that is above 1:
// messages that share a NIC or an oversubscribed link share its bandwidth. The machine says what
// the level of a message is, and which channels it takes.
//
// Synchronous: a step takes as long as its slowest message; an idle step takes the least alpha.
// Asynchronous: ranks wait for their messages in every step (waiting_clock.hpp); only messages of
// the same step share channels. By induction over the steps no rank is later than the synchronous
// clock.
//
// Source: docs/cost.md; for a single level BL, "A Simple Model for Communication".

#include <algorithm>
#include <array>
#include <string>

#include <fmt/core.h>

#include "cost/clock.hpp"
#include "cost/congestion.hpp"
#include "cost/step_clock.hpp"
#include "cost/waiting_clock.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class LevelTimes {
 public:
  LevelTimes(const CostModel& model, const Machine& machine)
      : links_(model.levels), machine_(machine), congestion_(machine) {}

  void begin(std::span<const SizedMessage> messages) {
    messages_ = messages;
    ratios_ = congestion_.read(messages);
  }
  LinkTime line(std::size_t i) const {
    const SizedMessage& m = messages_[i];
    const std::size_t level = machine_.levels()->level(m.src, m.dst);
    const auto& [alpha, beta] = links_[std::min(level, links_.size() - 1)];
    return {alpha, beta * ratios_[i] * static_cast<double>(m.bytes)};
  }
  double end(std::size_t i, double start) const {
    const auto [alpha, bytes] = line(i);
    return start + alpha + bytes;
  }

 private:
  std::vector<LinkTime> links_;
  Machine machine_;
  Congestion congestion_;
  std::span<const SizedMessage> messages_;
  std::span<const double> ratios_;
};

/// The parameters, one for each level.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> level_names{
    {{"0", "start-up and bandwidth within a node, such as 2us@300GB/s"},
     {"1", "between nodes (default: as within a node)"},
     {"2", "between groups of nodes (default, also on higher levels: as on the level below)"},
     {"3", "the same of level 3"},
     {"4", "of level 4"},
     {"5", "of level 5"},
     {"6", "of level 6"},
     {"7", "of level 7"}}};

std::vector<Parameter> parameters() {
  std::vector<Parameter> result;
  result.reserve(level_names.size());
  for (const auto& [name, summary] : level_names) {
    result.push_back({.name = name,
                      .summary = summary,
                      .kind = Parameter::Kind::link,
                      .required = result.empty()});
  }
  return result;
}

CostModel make(const Parameters& p) {
  CostModel model;
  model.step_time = StepTime::levels;
  for (std::size_t level = 0; level < level_names.size(); ++level) {
    const std::string_view name = level_names[level].first;
    if (!p.has(name)) continue;
    if (model.levels.size() < level) {
      throw InputError(fmt::format("cost model 'levels' has level {}, but not level {}", level,
                                   model.levels.size()));
    }
    model.levels.push_back(p.link(name));
  }
  model.alpha = std::ranges::min(model.levels, {}, &LinkTime::alpha).alpha;
  model.beta = std::ranges::min(model.levels, {}, &LinkTime::beta).beta;
  return model;
}

}  // namespace

extern const CostModelEntry levels_model;
const CostModelEntry levels_model{
    .name = "levels",
    .summary =
        "a message of b bytes takes alpha + beta b, both by its level; messages that share "
        "a NIC or link share its bandwidth",
    .source = "docs/cost.md",
    .parameters = parameters(),
    .make = make,
    .reason = [](const Machine& machine) -> std::optional<std::string> {
      if (machine.levels() != nullptr) return std::nullopt;
      if (machine.link_times() != nullptr) {
        return "it has no levels, but states the latency and bandwidth of each link: --model "
               "machine takes these";
      }
      return "it has no levels; machines with levels are cluster and crossbar, as in --machine "
             "cluster:8x4, and for others there is the model alpha-beta";
    },
    .synchronous = [](const CostModel& model, const Machine& machine) -> std::unique_ptr<Clock> {
      return std::make_unique<StepClock<LevelTimes>>(LevelTimes(model, machine), model.alpha);
    },
    .asynchronous = [](const CostModel& model, const Machine& machine,
                       bool record) -> std::unique_ptr<Clock> {
      return std::make_unique<WaitingClock<LevelTimes>>(LevelTimes(model, machine), record);
    },
    .profiles = [](const Machine&) { return true; },
};

}  // namespace schedcc
