// Tuning of levels(m, X, Y): X within the nodes of the machine, Y between them.
//
// Its parts are problems of fewer ranks, all nodes, or all rails, at work at once. Within nodes,
// and between them, a message is taken to cost alpha + beta b: what the model says of a step in
// which every rank sends to the next one of its node, or of its rail (with leaders: the first rank
// of each node does). On a cluster without oversubscription that is what the parts' steps take, and
// elsewhere an estimate, which ranks them. The composition itself is timed on the machine, one
// stage after the other, and with stages that overlap in 1, 2, 4, ... segments, until that is
// slower.

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"
#include "cost/timing.hpp"
#include "cost/tuner.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

namespace {

/// The time of a step in which each of these ranks sends `bytes` to another one.
double step_seconds(const std::vector<std::pair<Rank, Rank>>& messages, const Machine& machine,
                    const CostModel& model, std::uint64_t bytes) {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  for (const auto& [src, dst] : messages) schedule->add({src, dst, 0, 1, 0});
  Problem problem;
  problem.ranks = 2;
  for (const auto& [src, dst] : messages)
    problem.ranks = std::max({problem.ranks, src + 1, dst + 1});
  return time_below(HUGE_VAL, from_schedule(problem, schedule), machine, model, bytes, {})
      .value()
      .seconds;
}

/// The model of messages that start together with these.
CostModel model_of_step(const std::vector<std::pair<Rank, Rank>>& messages, const Machine& machine,
                        const CostModel& model) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
  const double start = step_seconds(messages, machine, model, 0);
  const double per_byte = (step_seconds(messages, machine, model, bytes) - start) / bytes;
  return make_cost_model(
      fmt::format("alpha-beta:alpha={:.17g}s,beta={:.17g}s/B", start, std::max(per_byte, 0.0)));
}

/// Ranks 0, `apart`, 2 `apart`, ..., each of which sends to the one `shift` after it in its group.
std::vector<std::pair<Rank, Rank>> ring(Rank ranks, Rank group, Rank shift, Rank apart) {
  std::vector<std::pair<Rank, Rank>> result;
  for (Rank rank = 0; rank < ranks; rank += apart) {
    const Rank first = rank / group * group;
    result.emplace_back(rank, first + (rank - first + shift) % group);
  }
  return result;
}

/// levels(m, X, Y) whose stages overlap: one more argument.
std::string levels_in_segments(const std::string& text, std::uint64_t segments) {
  return fmt::format("{}, segments={})", text.substr(0, text.size() - 1), segments);
}

/// levels(m, X, Y): X is a sequence of what is done before and after Y, if both are there.
std::string levels_text(std::uint64_t ranks, const std::vector<LevelPart>& parts,
                        const std::vector<std::string>& specs) {
  std::string within, between;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string& text = parts[i].within ? within : between;
    text += fmt::format("{}{} as {}", text.empty() ? "" : " then ", specs[i],
                        info(parts[i].problem.collective).name);
  }
  return fmt::format("levels({}, {}, {})", ranks, within, between);
}

}  // namespace

void Tuner::Impl::enter_levels() {
  if (!request_.machine) return;
  const Rank P = request_.problem.ranks;
  const Machine machine = make_machine(*request_.machine, P);
  const auto m = static_cast<Rank>(ranks_of_node(machine));
  if (m < 2 || P / m < 2 || !machine.ports() || machine.simplex()) return;
  if (reason_against(request_.model, machine)) return;
  const std::string ports = fmt::format("kport:k={}", ports_of(machine));
  const CostModel within = model_of_step(ring(P, m, 1, 1), machine, request_.model);
  for (const auto& [parts, leaders] : level_decompositions(request_.problem, m)) {
    const CostModel between =
        model_of_step(ring(P, P, m, leaders ? m : 1), machine, request_.model);
    Combination combination{
        .name = leaders ? "levels by leaders" : "levels",
        .parts = {},
        .text = [m, parts = parts](
                    const std::vector<std::string>& specs) { return levels_text(m, parts, specs); },
        .exact = false,
        .in_segments = levels_in_segments};
    bool any = true;
    for (const LevelPart& part : parts) {
      TuneRequest request = request_of_part(request_, part.problem);
      request.machine = ports;
      request.model = part.within ? within : between;
      combination.parts.emplace_back(std::make_unique<Impl>(std::move(request)),
                                     part.problem.chunks, P);
      any &= !combination.parts.back().tuner->candidates_.empty();
    }
    if (any) combinations_.push_back(std::move(combination));
  }
}

}  // namespace schedcc
