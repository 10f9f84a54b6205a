// The schedule of a model of a reduction's formula.

#include <algorithm>

#include "prove/sat/clauses/contribution_variables.hpp"

namespace schedcc::prover {

namespace {

class ContributionModel {
 public:
  ContributionModel(const ContributionVariables& variables, const Hints& hints, const Model& model)
      : x_(variables), hints_(hints), model_(model) {}

  /// The sends of a model by step and arc; with hints, only those that end up in a value that is
  /// wanted.
  std::vector<std::vector<std::vector<const ContributionSend*>>> needed() const {
    std::vector<std::vector<std::vector<const ContributionSend*>>> kept(
        x_.steps(), std::vector<std::vector<const ContributionSend*>>(x_.instance.arcs.size()));
    // Is the value of a chunk at a node at the beginning of a step used? By step and place.
    std::vector<std::vector<bool>> need(x_.steps() + 1,
                                        std::vector<bool>(x_.chunks.size() * x_.instance.nodes));
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank v : x_.chunks[c].goals) need[x_.steps()][x_.place(c, v)] = true;
    }
    for (std::uint64_t arrival = x_.steps(); arrival > 0; --arrival) {
      std::vector<bool> before = need[arrival];  // the value held, unless it is replaced
      for (std::size_t a = 0; a < x_.instance.arcs.size(); ++a) {
        const Arc& arc = x_.instance.arcs[a];
        if (arc.latency > arrival) continue;
        const std::uint64_t t = arrival - arc.latency;
        for (const ContributionSend& send : x_.sends[t][a]) {
          const std::size_t place = x_.place(send.chunk, arc.to);
          if (!is_true(send.literal, model_)) continue;
          if (hints_.useful && (!need[arrival][place] || same(send, arc.to, arrival))) continue;
          kept[t][a].push_back(&send);
          need[t][x_.place(send.chunk, arc.from)] = true;
          if (is_true(send.copied, model_)) before[place] = false;
        }
      }
      for (std::size_t place = 0; place < before.size(); ++place) {
        if (before[place]) need[arrival - 1][place] = true;
      }
    }
    return kept;
  }

 private:
  /// Does a send bring a node the value that it holds already? Then it is a copy that can be
  /// dropped.
  bool same(const ContributionSend& send, Rank to, std::uint64_t arrival) const {
    const Chunk c = send.chunk;
    return std::ranges::all_of(x_.contributors(c), [&](Rank r) {
      return is_true(x_.in(c, send.from, r, send.step), model_) ==
             is_true(x_.in(c, to, r, arrival - 1), model_);
    });
  }

  const ContributionVariables& x_;
  const Hints& hints_;
  const Model& model_;
};

}  // namespace

std::shared_ptr<const Schedule> schedule(const ContributionVariables& variables,
                                         const Traffic& traffic, const Hints& hints,
                                         const Model& model) {
  const ContributionModel chosen(variables, hints, model);
  const auto kept = chosen.needed();
  auto result = std::make_shared<Schedule>();
  for (std::uint64_t t = 0; t < variables.steps(); ++t) {
    result->begin_step(t, traffic.rounds(t, model));
    for (std::size_t a = 0; a < variables.instance.arcs.size(); ++a) {
      for (const ContributionSend* send : kept[t][a]) {
        Transfer transfer =
            copy(variables.instance.arcs[a].from, variables.instance.arcs[a].to, send->chunk);
        transfer.reduce = is_true(send->copied, model) ? 0 : 1;
        result->add(transfer);
      }
    }
  }
  return result;
}

}  // namespace schedcc::prover
