// The schedule that a model of a reduction's formula stands for.

#include "prover/contribution_variables.hpp"

namespace schedcc::prover {

namespace {

class ContributionModel {
 public:
  ContributionModel(const ContributionVariables& variables, const Hints& hints,
                    const std::vector<bool>& model)
      : x_(variables), hints_(hints), model_(model) {}

  /// The sends of a model by step and arc; with hints, only those that end up in a value that is
  /// wanted.
  std::vector<std::vector<std::vector<const ContributionSend*>>> needed() const {
    std::vector<std::vector<std::vector<const ContributionSend*>>> kept(
        x_.steps(), std::vector<std::vector<const ContributionSend*>>(x_.instance.arcs.size()));
    std::vector<bool> need(x_.chunks.size() * x_.instance.nodes);
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank v : x_.chunks[c].goals) need[x_.place(c, v)] = true;
    }
    for (std::uint64_t t = x_.steps(); t-- > 0;) {
      std::vector<bool> before = need;
      for (std::size_t a = 0; a < x_.instance.arcs.size(); ++a) {
        const Arc& arc = x_.instance.arcs[a];
        for (const ContributionSend& send : x_.sends[t][a]) {
          if (!is_true(send.literal)) continue;
          if (hints_.useful && !need[x_.place(send.chunk, arc.to)]) continue;
          if (hints_.useful && same(send.chunk, arc, t)) continue;
          kept[t][a].push_back(&send);
          if (is_true(send.copied)) before[x_.place(send.chunk, arc.to)] = false;
        }
      }
      for (std::size_t a = 0; a < x_.instance.arcs.size(); ++a) {
        for (const ContributionSend* send : kept[t][a])
          before[x_.place(send->chunk, x_.instance.arcs[a].from)] = true;
      }
      need = std::move(before);
    }
    return kept;
  }

  bool is_true(Literal l) const { return model_[static_cast<std::size_t>(l)]; }

 private:
  bool value(Literal l) const { return l > 0 ? is_true(l) : !is_true(-l); }

  /// Do both ends of the arc hold the same contributions? Then one that is sent is a copy, and one
  /// can do without it.
  bool same(Chunk c, const Arc& arc, std::uint64_t t) const {
    for (Rank r = 0; r < x_.ranks(); ++r) {
      if (value(x_.in(c, arc.from, r, t)) != value(x_.in(c, arc.to, r, t))) return false;
    }
    return true;
  }

  const ContributionVariables& x_;
  const Hints& hints_;
  const std::vector<bool>& model_;
};

}  // namespace

std::shared_ptr<const Schedule> schedule(const ContributionVariables& variables,
                                         const Traffic& traffic, const Hints& hints,
                                         const std::vector<bool>& model) {
  const ContributionModel chosen(variables, hints, model);
  const auto kept = chosen.needed();
  auto result = std::make_shared<Schedule>();
  for (std::uint64_t t = 0; t < variables.steps(); ++t) {
    result->begin_step(t, traffic.rounds(t, model));
    for (std::size_t a = 0; a < variables.instance.arcs.size(); ++a) {
      for (const ContributionSend* send : kept[t][a]) {
        Transfer transfer =
            copy(variables.instance.arcs[a].from, variables.instance.arcs[a].to, send->chunk);
        transfer.reduce = chosen.is_true(send->copied) ? 0 : 1;
        result->add(transfer);
      }
    }
  }
  return result;
}

}  // namespace schedcc::prover
