// Symbolic schedules for all ranks at once: a rank is a variable, a word or a number.

#include <bit>

#include "algorithm/kernel/butterfly.hpp"
#include "algorithm/kernel/exchange.hpp"
#include "algorithm/kernel/ring.hpp"
#include "algorithm/shapes.hpp"
#include "prove/symbolic/schedules.hpp"

namespace schedcc::prover {

namespace {

/// The transfers of a family that a rank sends, or receives.
EndFamily outgoing(const Family& family, const Term& rank) {
  return {family.indices, family.sent && family.from == rank, family.to, family.packet,
          family.delay};
}
EndFamily incoming(const Family& family, const Term& rank) {
  return {family.indices, family.sent && family.to == rank, family.from, family.packet,
          family.delay};
}

/// The family with its index `name` replaced.
Family without(const Family& family, const std::string& name, const Term& by) {
  const Substitution substitution{{name, by}};
  Family result;
  for (const Term& index : family.indices) {
    if (index.node()->name != name) result.indices.push_back(index);
  }
  result.sent = substitute(family.sent, substitution);
  result.from = substitute(family.from, substitution);
  result.to = substitute(family.to, substitution);
  for (const Term& part : family.packet) result.packet.push_back(substitute(part, substitution));
  result.delay = substitute(family.delay, substitution);
  return result;
}

Condition always(const Packet&) { return Condition(true); }

std::uint64_t height(const SymbolicSchedule& schedule) { return ceil_log2(schedule.ranks); }

// The butterfly.

std::vector<RankClass> butterfly_rank_classes(const SymbolicSchedule& schedule, const PollLimits&) {
  const std::uint64_t h = height(schedule);
  const Term v = variable("v", Sort::word, schedule.ranks);
  RankClass n;
  n.rank = v;
  n.holds = [v](const Packet&) { return v == Term(0); };
  n.wants = always;
  for (const Family& family : schedule.families) {
    n.in.push_back(incoming(family, v));
    n.out.push_back(outgoing(family, v));
  }
  // Rotated back by j = p mod h, rank v is 1 + 2R for a member of the trees, else 2R: it is reached
  // on the last level. The highest element of R is the level that v was reached on.
  n.arrivals = [v, h](const Packet& packet) {
    const Term& p = packet[0];
    const Term x = local::butterfly_place(p, v, h);
    const Term R = x >> Term(1);
    const Term reached = bit_width(R);
    const Condition member = (x & Term(1)) == Term(1);
    return std::vector<Arrival>{
        {x == Term(1), 0, p, {}},
        {member, 1, p + reached, {reached - Term(1), R ^ (Term(1) << (reached - Term(1)))}},
        {Condition(true), 1, p + Term(h), {Term(h - 1), R}}};
  };
  return {n};
}

}  // namespace

SymbolicSchedule symbolic_butterfly(const Request&, std::uint64_t P) {
  SymbolicSchedule schedule;
  schedule.ranks = P;
  schedule.reversible = true;
  schedule.rank_classes = butterfly_rank_classes;
  const std::uint64_t h = height(schedule);
  schedule.period = h;
  const Term t = step_variable(), K = chunks_variable();
  const Term bit = Term(1) << local::butterfly_bit(t, h);
  schedule.families.push_back({{}, t < K, Term(0), bit, {t}});
  const Term i = variable("i", Sort::small, h);
  const Term R = variable("R", Sort::word, std::uint64_t{1} << (h - 1));
  const Term s = local::butterfly_packet(t, i);
  const Term sender = local::butterfly_member(s, R, h);
  const Term to = sender ^ bit;
  schedule.families.push_back(
      {{i, R},
       local::butterfly_on_level(t, i, K) && R < local::butterfly_subsets(i) && !(to == Term(0)),
       sender,
       to,
       {s}});
  schedule.steps = local::butterfly_steps(K, h);
  return schedule;
}

namespace {

// Total exchange by exclusive or.

std::vector<RankClass> xor_rank_classes(const SymbolicSchedule& schedule, const PollLimits&) {
  const std::uint64_t n_ranks = schedule.ranks;
  const Term v = variable("v", Sort::word, n_ranks);
  RankClass n;
  n.rank = v;
  n.holds = [v](const Packet& packet) { return packet[0] == v; };
  n.wants = [v](const Packet& packet) { return packet[1] == v; };
  const Family& family = schedule.families[0];
  // Partners in step t are partners of each other: there is one k with partner v.
  const Term k = substitute(family.to, {{"k", v}});
  n.in.push_back(incoming(without(family, "k", k), v));
  n.out.push_back(outgoing(without(family, "k", v), v));
  n.side_conditions.emplace_back("has another partner", family.to == v && !(family.from == k));
  const Term w = variable("w", Sort::word, n_ranks - 1);
  n.side_conditions.emplace_back(
      "has its partner at another level",
      !(bit_width(v ^ local::xor_partner(v, w, n_ranks)) == local::xor_height(w, n_ranks)));
  // Packets for an earlier partner are earlier rows: multiplication is the hard part.
  n.lemma = [](const Term& u, const Term& later) {
    const Term K = chunks_variable();
    return !(later * K < u * K + K);
  };
  n.arrivals = [n_ranks, schedule](const Packet& packet) {
    const Term difference = packet[0] ^ packet[1];
    const Term half = Term(1) << (bit_width(difference) - Term(1));
    const Term left = Term(2) * half - Term(1) - (difference ^ half);
    const Term u = Term(n_ranks - 1) - left;
    const Term step = local::xor_step(u, packet[2], chunks_variable(), height(schedule), n_ranks);
    return std::vector<Arrival>{{Condition(true), 0, step, {u, packet[2]}}};
  };
  return {n};
}

}  // namespace

SymbolicSchedule symbolic_xor(const Request&, std::uint64_t n) {
  SymbolicSchedule schedule;
  schedule.ranks = n;
  schedule.kind = PacketKind::pair_packet;
  schedule.rooted = false;
  schedule.direct = true;
  schedule.links = true;
  schedule.rank_classes = xor_rank_classes;
  const std::uint64_t h = height(schedule);
  const Term t = step_variable(), K = chunks_variable();
  const Term k = variable("k", Sort::word, n);
  const Term u = variable("u", Sort::number, n - 1);
  const Term j = variable("j");
  const Term partner = local::xor_partner(k, u, n);
  schedule.families.push_back({{k, u, j},
                               j < K && t == local::xor_step(u, j, K, h, n),
                               k,
                               partner,
                               {k, partner, j},
                               Term(2) * local::xor_height(u, n) - Term(1)});
  schedule.steps = K * Term(n - 1) + Term(2 * h - 1);
  return schedule;
}

namespace {

// The ring, and rotations: ranks are numbers.

/// The view of rank v, which receives from rank `from` in step t. The packets of origin o arrive in
/// step v - o - 1 modulo P.
RankClass round(const SymbolicSchedule& schedule, const Term& v, const Term& from) {
  const Family& family = schedule.families[0];
  const Term P(schedule.ranks);
  RankClass n;
  n.rank = v;
  n.holds = [v](const Packet& packet) { return packet[0] == v; };
  n.in.push_back(incoming(without(family, "r", from), v));
  n.out.push_back(outgoing(without(family, "r", v), v));
  n.side_conditions.emplace_back("receives from another rank",
                                 family.sent && family.to == v && !(family.from == from));
  n.arrivals = [v, P](const Packet& packet) {
    const Term step = local::add_mod(v, P - Term(1) - packet[0], P);
    return std::vector<Arrival>{{Condition(true), 0, step, {}}};
  };
  return n;
}

Term some_rank(const std::string& name, std::uint64_t P) { return variable(name, Sort::number, P); }

/// P - 1 steps, in each of which every rank r sends one packet to rank `to`.
SymbolicSchedule rotations(std::uint64_t P, RankClasses rank_classes, const Term& to,
                           const Packet& packet) {
  SymbolicSchedule schedule;
  schedule.ranks = P;
  schedule.rooted = false;
  schedule.rank_classes = rank_classes;
  const Term r = some_rank("r", P);
  schedule.families.push_back({{r}, step_variable() < Term(P - 1), r, to, packet});
  schedule.steps = Term(P - 1);
  return schedule;
}

std::vector<RankClass> ring_rank_classes(const SymbolicSchedule& schedule, const PollLimits&) {
  const Term v = some_rank("v", schedule.ranks), P(schedule.ranks);
  RankClass n = round(schedule, v, local::add_mod(v, P - Term(1), P));
  n.wants = always;
  return {n};
}

}  // namespace

SymbolicSchedule symbolic_ring(const Request&, std::uint64_t P) {
  const Term r = some_rank("r", P);
  SymbolicSchedule schedule = rotations(P, ring_rank_classes, local::ring_next(r, Term(P)),
                                        {local::ring_block(r, step_variable(), Term(P))});
  schedule.kind = PacketKind::block;
  schedule.reversible = true;
  return schedule;
}

namespace {

std::vector<RankClass> pairwise_rank_classes(const SymbolicSchedule& schedule, const PollLimits&) {
  const Term v = some_rank("v", schedule.ranks), P(schedule.ranks);
  RankClass n = round(schedule, v, local::add_mod(v, P - Term(1) - step_variable(), P));
  n.wants = [v](const Packet& packet) { return packet[1] == v; };
  return {n};
}

}  // namespace

SymbolicSchedule symbolic_pairwise(const Request&, std::uint64_t P) {
  const Term r = some_rank("r", P);
  const Term to = local::pairwise_partner(r, step_variable(), Term(P));
  SymbolicSchedule schedule = rotations(P, pairwise_rank_classes, to, {r, to});
  schedule.kind = PacketKind::pair;
  return schedule;
}

}  // namespace schedcc::prover
