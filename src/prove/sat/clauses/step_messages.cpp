#include "prove/sat/clauses/step_messages.hpp"

namespace schedcc::prover {

namespace {

Literals joined(Literals some, const Literals& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

}  // namespace

StepMessages::StepMessages(const MessageArcs& arcs, std::size_t packets, std::uint64_t step,
                           Formula& formula)
    : arcs_(arcs), messages_(arcs.instance) {
  for (const std::size_t a : by_themselves()) messages_.add(a, step, formula);
  messages_.limit_channels(formula);
  if (arcs.walks) walking_.emplace(*arcs.walks, arcs.instance, packets, step, formula);
}

const std::vector<std::size_t>& StepMessages::by_themselves() const {
  return arcs_.walks ? arcs_.walks->direct : arcs_.arcs;
}

Literals StepMessages::sent(Rank rank) const {
  return walking_ ? joined(messages_.sent(rank), walking_->sent(rank)) : messages_.sent(rank);
}

Literals StepMessages::received(Rank rank) const {
  return walking_ ? joined(messages_.received(rank), walking_->received(rank))
                  : messages_.received(rank);
}

Literals StepMessages::over(std::size_t channel) const {
  return walking_ ? joined(messages_.over(channel), walking_->over(channel))
                  : messages_.over(channel);
}

void StepMessages::carry(const std::vector<Literals>& holds, const std::vector<Literals>& gets,
                         Formula& formula) const {
  for (const std::size_t a : by_themselves()) {
    const Arc& arc = arcs_.instance.arcs[a];
    const Literal message = messages_.by_arc(a);
    formula.add(joined({-message}, gets[arc.to]));
    for (std::size_t p = 0; p < gets[arc.to].size(); ++p) {
      if (gets[arc.to][p] != Formula::no)
        formula.add({-message, -gets[arc.to][p], holds[arc.from][p]});
    }
  }
  if (walking_) walking_->carry(holds, gets, formula);
}

void StepMessages::send(const Literals& otherwise, Rank rank, std::size_t packet,
                        const std::vector<Literals>& gets, Formula& formula) const {
  formula.add(joined(otherwise, sent(rank)));
  for (const std::size_t a : arcs_.instance.out[rank]) {
    const Literal message = messages_.by_arc(a);
    if (message == Formula::no) continue;  // walks, or is not admitted
    formula.add(joined(otherwise, {-message, gets[arcs_.instance.arcs[a].to][packet]}));
  }
  if (walking_) walking_->send(otherwise, rank, packet, formula);
}

std::vector<std::pair<Rank, Rank>> StepMessages::ends(const Model& model) const {
  std::vector<std::pair<Rank, Rank>> result;
  for (const std::size_t a : by_themselves()) {
    const Arc& arc = arcs_.instance.arcs[a];
    if (is_true(messages_.by_arc(a), model)) result.emplace_back(arc.from, arc.to);
  }
  for (std::size_t i = 0; walking_ && i < arcs_.walks->starts.size(); ++i) {
    if (is_true(walking_->start(i), model))
      result.emplace_back(arcs_.walks->starts[i].rank, walking_->receiver(i, model));
  }
  return result;
}

}  // namespace schedcc::prover
