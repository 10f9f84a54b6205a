// Tuning of levels(m, X, Y): X within nodes, Y between them.
//
// Nodes are the groups of the machine; where it has none, m consecutive ranks, for every divisor m
// of P up to 16: few ranks that reduce first leave less to be sent by all.
//
// Its parts are problems of fewer ranks, all nodes, or all rails, at work at once. On machines
// that have ports and nothing that ranks share, they are done on the machine itself, and their
// times add. Elsewhere a message is taken to cost alpha + beta b: what the model says of a step in
// which every rank sends to the next one of its node, or of its rail (with leaders: the first rank
// of each node does), and each has as many ports as let it send to so many of them at once. On a
// cluster without oversubscription that is what the parts' steps take, and elsewhere an estimate,
// which ranks them. The composition itself is timed on the machine, one stage after the other, and
// with stages that overlap in 1, 2, 4, ... segments, until that is slower.
//
// On a machine with several levels of groups those of every level are nodes of such compositions.
// The parts within larger groups may be levels again, by smaller groups: their times are the sums
// of the estimates for their parts, so that only the best of all is built. The parts between are
// not: levels(a, X, levels(b, Y, Z)) does what levels(a b, levels(a, X, Y), Z) does. So on machines
// of few ranks two and four of the largest groups together are nodes, too.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/shapes.hpp"
#include "cost/step_model.hpp"
#include "cost/tuner.hpp"
#include "cost/validity.hpp"
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
  // One rank, within or between, has nothing to do.
  if (within.empty()) within = between;
  if (between.empty()) between = within;
  return fmt::format("levels({}, {}, {}{})", ranks, within, between,
                     made_of.ambiguous ? ", leaders" : "");
}

/// The most consecutive ranks that are a node where the machine has none.
constexpr Rank max_node = 16;
/// The most ranks of a machine whose nodes are put together, two or four of them.
constexpr Rank max_joined = 256;

/// The most ranks of machines without nodes that are put together: schedules for more are too large
/// to be timed.
constexpr Rank max_divided = 1 << 20;

/// Do ranks share nothing but their own ports?
bool has_ports_alone(const Machine& machine) {
  return machine.ports() != nullptr && machine.channels() == nullptr && !machine.routed() &&
         machine.levels() == nullptr;
}

}  // namespace

/// The ranks that are nodes, and what messages between them take.
class LevelSteps {
 public:
  LevelSteps(const Machine& machine, const CostModel& model, Rank ranks)
      : machine_(machine), model_(model), ranks_(ranks) {
    const auto add = [&](Rank m) {
      if (m >= 2 && ranks / m >= 2 && (groups_.empty() || m > groups_.back())) groups_.push_back(m);
    };
    if (machine.levels() != nullptr) {
      for (const Levels::Group& group : machine.levels()->groups)
        add(static_cast<Rank>(group.ranks));
      stated_ = groups_.size();
      const Rank largest = groups_.empty() || ranks > max_joined ? 0 : groups_.back();
      for (const Rank joined : {2 * largest, 4 * largest}) {
        if (joined > 0 && ranks % joined == 0) add(joined);
      }
    } else if (ranks <= max_divided) {
      for (Rank m = 2; m <= max_node; ++m) {
        if (ranks % m == 0) add(m);
      }
    }
  }

  /// The ranks of a node, on each level.
  const std::vector<Rank>& groups() const { return groups_; }
  /// Are nodes of this level groups of the machine?
  bool stated(std::size_t level) const { return level < stated_; }
  /// Is each level's group a part of one of the next level?
  bool nested() const { return machine_.levels() != nullptr; }
  /// Are the times of the parts those that they have in the whole?
  bool exact() const { return has_ports_alone(machine_) && model_.linear(); }

  /// Asks for the time of a part as far as the machine has to do with it: of levels in groups of
  /// `whole` ranks, by those of `level`.
  void restrict(TuneRequest& part, bool within, Rank whole, std::size_t level, bool leaders) const {
    if (has_ports_alone(machine_)) return;
    const Rank m = groups_[level], inner = nested() && level > 0 ? groups_[level - 1] : 1;
    const Senders senders = within ? Senders{m, inner, 1} : Senders{whole, m, leaders ? m : 1};
    part.machine = fmt::format("kport:k={}", ports_of(senders));
    part.model = model_of_step(messages(senders, 1), machine_, model_);
  }

 private:
  /// Who sends to whom, as ring_messages() has it.
  struct Senders {
    Rank group, shift, apart;
  };

  StepMessages messages(const Senders& senders, std::uint64_t each) const {
    return ring_messages(ranks_, senders.group, senders.shift, senders.apart, each);
  }

  /// To how many others each can send at once, as found by halving; 1 if not even to one.
  std::uint64_t ports_of(const Senders& senders) const {
    const std::uint64_t others = senders.group / senders.shift - 1;
    std::uint64_t ports = std::min(schedcc::ports_of(machine_), others);
    while (ports > 1 && broken_rule(step_of(messages(senders, ports)), machine_, {})) ports /= 2;
    return std::max<std::uint64_t>(ports, 1);
  }

  const Machine& machine_;
  const CostModel& model_;
  Rank ranks_;
  std::vector<Rank> groups_;
  std::size_t stated_ = 0;  ///< of these, the first
};

void Tuner::Impl::enter_levels() {
  const Rank P = request_.problem.ranks;
  const Machine& machine = memory_->machine(request_.machine.value_or("duplex"), P);
  if (!machine.ports() || machine.simplex()) return;
  const LevelSteps steps(machine, request_.model, P);
  if (steps.groups().empty() || reason_against(request_.model, machine)) return;
  for (std::size_t level = 0; level < steps.groups().size(); ++level)
    enter_levels(steps, level, combinations_);
}

void Tuner::Impl::enter_levels(const LevelSteps& steps, std::size_t level,
                               std::vector<Combination>& combinations) {
  const Rank whole = request_.problem.ranks, m = steps.groups()[level];
  if (whole % m != 0 || whole == m) return;  // parts of scans leave out a rank of each node
  const std::vector<LevelDecomposition> all = level_decompositions(request_.problem, m);
  for (const LevelDecomposition& made_of : all) {
    // Leaders spare what ranks share.
    if (steps.exact() && made_of.leaders && !all.front().leaders) continue;
    const std::string name = made_of.leaders ? "levels by leaders" : "levels";
    Combination combination{
        .name = steps.groups().size() == 1 ? name : fmt::format("{} of {} ranks", name, m),
        .parts = {},
        .text =
            [m, made_of](const std::vector<std::string>& specs) {
              return levels_text(m, made_of, specs);
            },
        .exact = steps.exact(),
        .only_if_better = !steps.stated(level) || !request_.model.synchronous(),
        .in_segments = steps.exact() ? nullptr : levels_in_segments,
        .overlap = made_of.overlap};
    for (const LevelPart& part : made_of.parts) {
      TuneRequest request = request_of_part(request_, part.problem);
      steps.restrict(request, part.within, whole, level, made_of.leaders);
      auto tuner = std::make_unique<Impl>(std::move(request), memory_);
      for (std::size_t inner = 0; steps.nested() && part.within && inner < level; ++inner)
        tuner->enter_levels(steps, inner, tuner->inner_levels_);
      combination.parts.emplace_back(std::move(tuner), part.problem.chunks, whole);
    }
    enter(std::move(combination), combinations);
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
