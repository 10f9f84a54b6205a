#include "prove/symbolic/lines.hpp"

#include "schedcc/error.hpp"

namespace schedcc::prover {

Condition any(const std::vector<Condition>& conditions) {
  Condition result(false);
  for (const Condition& condition : conditions) result = result || condition;
  return result;
}

Condition all(const std::vector<Condition>& conditions) {
  Condition result(true);
  for (const Condition& condition : conditions) result = result && condition;
  return result;
}

Condition differ(const Packet& a, const Packet& b) {
  Condition result(false);
  for (std::size_t i = 0; i < a.size(); ++i) result = result || !(a[i] == b[i]);
  return result;
}

Term time(const SymbolicSchedule& schedule, const std::string& name) {
  if (schedule.period == 0) return variable(name);
  return Term(schedule.period) * variable(name + ".turn") +
         variable(name + ".rest", Sort::small, schedule.period);
}

namespace {

std::vector<Term> substitute_all(const std::vector<Term>& terms, const Substitution& by) {
  std::vector<Term> result;
  result.reserve(terms.size());
  for (const Term& term : terms) result.push_back(substitute(term, by));
  return result;
}

}  // namespace

EndFamily instance(const EndFamily& line, const Term& t, const std::string& suffix) {
  Substitution by{{"t", t}};
  EndFamily result;
  for (const Term& index : line.indices) {
    const Node& node = *index.node();
    result.indices.push_back(variable(node.name + suffix, node.sort, node.value));
    by.emplace(node.name, result.indices.back());
  }
  // A delay does not depend on t, so that t may be given by the arrival: t + delay.
  result.delay = substitute(line.delay, by);
  result.sent = substitute(line.sent, by);
  if (line.peer) result.peer = substitute(*line.peer, by);
  result.packet = substitute_all(line.packet, by);
  result.related = line.related;
  if (const auto& source = line.source) {
    result.source =
        Arrival{substitute(source->when, by), source->line, substitute(source->step, by),
                substitute_all(source->indices, by), substitute(source->assumed, by)};
  }
  return result;
}

namespace {

Condition natural(const NodePtr& node) {
  const auto& arguments = node->arguments;
  switch (node->op) {
    case Op::subtract:
      return natural(arguments[0]) && natural(arguments[1]) &&
             !(Term(arguments[0]) < Term(arguments[1]));
    case Op::add:
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
      return natural(arguments[0]) && natural(arguments[1]);
    case Op::choose: {
      const Condition yes(arguments[0]);
      return (!yes || natural(arguments[1])) && (yes || natural(arguments[2]));
    }
    default:
      return Condition(true);
  }
}
}  // namespace

Condition natural(const Term& term) { return natural(term.node()); }

Condition brings(const RankClass& n, const Arrival& arrival, const Packet& packet) {
  const EndFamily& line = n.in[arrival.line];
  Substitution by{{"t", arrival.step}};
  Condition good = natural(arrival.step);
  for (std::size_t i = 0; i < line.indices.size(); ++i) {
    const Node& index = *line.indices[i].node();
    by.emplace(index.name, arrival.indices[i]);
    good = good && natural(arrival.indices[i]);
    if (index.value > 0) good = good && arrival.indices[i] < Term(index.value);
  }
  return good && substitute(line.sent, by) && !differ(substitute_all(line.packet, by), packet);
}

std::vector<Arrival> arrivals(const RankClass& n, const Packet& packet) {
  std::vector<Arrival> result = n.arrivals(packet);
  Condition before(false);
  for (Arrival& arrival : result) {
    const Condition when = arrival.when;
    arrival.when = when && !before;
    before = before || when;
  }
  return result;
}

Condition exists(const SymbolicSchedule& schedule, const Packet& packet) {
  switch (schedule.kind) {
    case PacketKind::packet:
      return packet[0] < chunks_variable();
    case PacketKind::block:
      return packet[0] < Term(schedule.ranks);
    case PacketKind::pair:
      return packet[0] < Term(schedule.ranks) && packet[1] < Term(schedule.ranks);
    case PacketKind::pair_packet:
      return packet[0] < Term(schedule.ranks) && packet[1] < Term(schedule.ranks) &&
             packet[2] < chunks_variable();
  }
  throw InternalError("a kind of packets without a rule");
}

Packet some_packet(const SymbolicSchedule& schedule, const RankClass& n) {
  const Node& rank = *n.rank.node();
  const Term origin = variable("o", rank.sort, schedule.ranks);
  const Term destination = variable("d", rank.sort, schedule.ranks);
  switch (schedule.kind) {
    case PacketKind::packet:
      return {time(schedule, "p")};
    case PacketKind::block:
      return {origin};
    case PacketKind::pair:
      return {origin, destination};
    case PacketKind::pair_packet:
      return {origin, destination, variable("j")};
  }
  throw InternalError("a kind of packets without a rule");
}

}  // namespace schedcc::prover
