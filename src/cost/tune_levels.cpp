// Tuning of levels(m, X, Y): X within the nodes of the machine, Y between them.
//
// Its parts are problems of fewer ranks, all nodes, or all rails, at work at once. Within nodes,
// and between them, a message is taken to cost alpha + beta b: what the model says of a step in
// which every rank sends to the next one of its node, or of its rail (with leaders: the first rank
// of each node does). On a cluster without oversubscription that is what the parts' steps take, and
// elsewhere an estimate, which ranks them. The composition itself is timed on the machine, one
// stage after the other, and with stages that overlap in 1, 2, 4, ... segments, until that is
// slower.
//
// On a machine with several levels of groups those of every level are nodes of such compositions.
// The parts within larger groups may be levels again, by smaller groups: their times are the sums
// of the estimates for their parts, so that only the best of all is built. The parts between need
// not be: levels(a, X, levels(b, Y, Z)) does what levels(a b, levels(a, X, Y), Z) does.

#include <fmt/core.h>

#include "algorithm/shapes.hpp"
#include "cost/step_model.hpp"
#include "cost/tuner.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

/// levels(m, X, Y) whose stages overlap: one more argument.
std::string levels_in_segments(const std::string& text, std::uint64_t segments) {
  return fmt::format("{}, segments={})", text.substr(0, text.size() - 1), segments);
}

/// levels(m, X, Y): what is done before and after Y, if both are there, is X, one then the other.
std::string levels_text(std::uint64_t ranks, const LevelDecomposition& made_of,
                        const std::vector<std::string>& specs) {
  std::string within, between;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const LevelPart& part = made_of.parts[i];
    std::string& text = part.within ? within : between;
    text += fmt::format("{}{} as {}", text.empty() ? "" : " then ", specs[i],
                        info(part.problem.collective).name);
  }
  if (within.empty()) within = between;  // one rank has nothing to do
  return fmt::format("levels({}, {}, {}{})", ranks, within, between,
                     made_of.ambiguous ? ", leaders" : "");
}

}  // namespace

/// The groups of the machine, and what messages between them take.
class LevelSteps {
 public:
  LevelSteps(const Machine& machine, const CostModel& model, Rank ranks)
      : machine_(machine), model_(model), ranks_(ranks) {
    if (machine.levels() == nullptr) return;
    for (const Levels::Group& group : machine.levels()->groups) {
      const auto m = static_cast<Rank>(group.ranks);
      if (m >= 2 && ranks / m >= 2 && (groups_.empty() || m > groups_.back())) groups_.push_back(m);
    }
  }

  /// The ranks of a group of each level, each a part of one of the next.
  const std::vector<Rank>& groups() const { return groups_; }
  std::uint64_t ports() const { return ports_of(machine_); }

  /// In groups of `whole` ranks, between those of level `level`; of these all ranks, or only the
  /// first, which acts for them.
  CostModel between(Rank whole, std::size_t level, bool leaders) const {
    const Rank m = groups_[level];
    return model_of_step(ring_messages(ranks_, whole, m, leaders ? m : 1), machine_, model_);
  }
  /// In groups of level `level`, between those of the level below.
  CostModel within(std::size_t level) const {
    return level == 0 ? model_of_step(ring_messages(ranks_, groups_[0], 1), machine_, model_)
                      : between(groups_[level], level - 1, false);
  }

 private:
  const Machine& machine_;
  const CostModel& model_;
  Rank ranks_;
  std::vector<Rank> groups_;
};

void Tuner::Impl::enter_levels() {
  if (!request_.machine) return;
  const Rank P = request_.problem.ranks;
  const Machine& machine = memory_->machine(*request_.machine, P);
  if (!machine.ports() || machine.simplex()) return;
  const LevelSteps steps(machine, request_.model, P);
  if (steps.groups().empty() || reason_against(request_.model, machine)) return;
  for (std::size_t level = 0; level < steps.groups().size(); ++level)
    enter_levels(steps, level, combinations_);
}

void Tuner::Impl::enter_levels(const LevelSteps& steps, std::size_t level,
                               std::vector<Combination>& combinations) {
  const Rank whole = request_.problem.ranks, m = steps.groups()[level];
  for (const LevelDecomposition& made_of : level_decompositions(request_.problem, m)) {
    const std::string name = made_of.leaders ? "levels by leaders" : "levels";
    Combination combination{
        .name = steps.groups().size() == 1 ? name : fmt::format("{} of {} ranks", name, m),
        .parts = {},
        .text =
            [m, made_of](const std::vector<std::string>& specs) {
              return levels_text(m, made_of, specs);
            },
        .exact = false,
        .in_segments = levels_in_segments,
        .overlap = made_of.overlap};
    bool any = true;
    for (const LevelPart& part : made_of.parts) {
      TuneRequest request = request_of_part(request_, part.problem);
      request.machine = fmt::format("kport:k={}", steps.ports());
      request.model =
          part.within ? steps.within(level) : steps.between(whole, level, made_of.leaders);
      auto tuner = std::make_unique<Impl>(std::move(request), memory_);
      for (std::size_t inner = 0; part.within && inner < level; ++inner)
        tuner->enter_levels(steps, inner, tuner->inner_levels_);
      any &= !tuner->candidates_.empty();
      combination.parts.emplace_back(std::move(tuner), part.problem.chunks, whole);
    }
    if (any) combinations.push_back(std::move(combination));
  }
}

std::optional<Choice> Tuner::Impl::estimate_with(Combination& combination, std::uint64_t K,
                                                 std::uint64_t bytes, double limit) {
  std::vector<std::string> specs;
  Choice result;
  result.chunks = static_cast<std::uint32_t>(K);
  for (const Part& part : combination.parts) {
    const auto best =
        part.tuner->best_with(part.scaled(K), part.scaled(bytes), limit - result.seconds);
    if (!best || best->algorithm->hops) return std::nullopt;
    result.seconds += best->seconds;
    result.steps += best->steps;
    specs.push_back(best->spec.text());
  }
  result.spec = {composition_text(combination.text(specs)), {}};
  result.algorithm = named_algorithm(result.spec);
  return result;
}

}  // namespace schedcc
