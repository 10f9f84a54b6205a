// The circulant graph: edges r - s_k -> r, one for each k, with the packets that r receives on
// them.
//
// A rank's formulas depend on its schedule: q entries, one for each place k, where entry c at
// place k stands for packet c - q + i - k in round i (packets beyond K - 1 mean K - 1). Nearly
// every rank has another schedule, but the proof needs only these properties of it:
//
//   1. There is an entry for each place k < q, and q + k >= c >= 0.
//   2. No two entries have the same residue modulo q.
//   3. Just one is not below q.
//   4. What a rank other than the root sends at place k, entry c' of its receiver, comes from
//      an entry c at place j of its own with the same residue, and earlier: j - c < k - c'.
//
// (These are Träff's conditions, and that block b arrives in a round that is not virtual.) The
// solver proves the obligations of a rank for all K, with two entries as variables that are only
// assumed to meet the conditions; that each rank meets them is verified by enumeration, in q^2
// steps. So all ranks that meet them form one class; in a wrong schedule, each other rank forms a
// class by itself. 1 and 2 imply that there is an entry for each residue, and 3 that one is not
// below q: the arrivals of packets have variables for these entries.
//
// Source: Träff, doi 10.1145/3735139.

#include <bitset>

#include "algorithm/kernel/circulant_schedule.hpp"
#include "prove/symbolic/rank_classes.hpp"
#include "prove/symbolic/schedules.hpp"

namespace schedcc::prover {

namespace {

// Parameters of an edge: start is the entry of the rank's schedule plus q, place is k.

/// The arrival of packet p by entry c at place k, if that is the packet's.
Term round_of(const Term& p, const Term& c, const Term& k, std::uint64_t q) {
  return p + k + Term(q) - c;
}
Term last_packet() { return chunks_variable() - Term(1); }

/// Packet p is that of entry c, the one with the residue of p - (n-1) modulo q, in some phase;
/// packet n - 1 is that of the only c >= q in the last one.
std::vector<Arrival> inverse(const SymbolicSchedule& schedule, const EdgeSequence& edges,
                             const Term& c, const Term& k, const Term& p) {
  const Term q(schedule.run);
  const Term round = round_of(p, c, k, schedule.run);
  const Condition now = local::circulant_place(round, chunks_variable(), schedule.run) == k;
  std::vector<Arrival> result{{p < last_packet() && !(p + k + q < c) && now, 0, round, {}}};
  if (edges.start >= schedule.run) result.push_back({p == last_packet(), 0, last_packet() + k, {}});
  return result;
}

/// The ranks that meet the conditions.
class Conditions {
 public:
  Conditions(const SymbolicSchedule& schedule, const Incidence& incidence)
      : schedule_(schedule), incidence_(incidence), q_(schedule.run) {}

  bool met(std::uint64_t rank) {
    places_.assign(q_, none);
    if (rank != 0 && !receives(rank)) return false;
    std::bitset<64> sent;
    for (const std::uint32_t number : incidence_.out(rank)) {
      const Edge& e = schedule_.edges[number];
      if (!in_range(e) || sent[e.place]) return false;
      sent.set(e.place);
      if (rank != 0 && !has_before(e)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t none = UINT64_MAX;

  bool in_range(const Edge& e) const {
    return e.place < q_ && e.start < 2 * q_ && e.start <= q_ + e.place;
  }
  /// 1, 2 and 3.
  bool receives(std::uint64_t rank) {
    std::bitset<64> residues;
    std::uint64_t high = 0;
    for (const std::uint32_t number : incidence_.in(rank)) {
      const Edge& e = schedule_.edges[number];
      if (!in_range(e) || places_[e.place] != none || residues[e.start % q_]) return false;
      places_[e.place] = e.start;
      residues.set(e.start % q_);
      high += e.start >= q_ ? 1 : 0;
    }
    return residues.count() == q_ && high == 1;
  }
  /// 4.
  bool has_before(const Edge& e) const {
    for (std::uint64_t j = 0; j < q_; ++j) {
      const std::uint64_t c = places_[j];
      if (c % q_ == e.start % q_ && j + e.start < e.place + c) return true;
    }
    return false;
  }

  const SymbolicSchedule& schedule_;
  const Incidence& incidence_;
  std::uint64_t q_;
  std::vector<std::uint64_t> places_;  ///< the entry for each place
};

/// An entry of a rank's schedule: its position k and its value c.
struct ScheduleEntry {
  Term k, c;

  ScheduleEntry(const std::string& name, std::uint64_t q)
      : k(variable(name + ".k", Sort::number, q)), c(variable(name + ".c", Sort::number, 2 * q)) {}

  Condition in_range(const Term& q) const { return !(k + q < c); }
};

Condition implies(const Condition& a, const Condition& b) { return !a || b; }

EndFamily line_of(const SymbolicSchedule& schedule, const ScheduleEntry& entry) {
  const Family& family = schedule.families[0];
  const Substitution by{{"start", entry.c}, {"place", entry.k}};
  EndFamily result;
  result.indices = {entry.k, entry.c};
  result.sent = substitute(family.sent, by) && entry.in_range(Term(schedule.run));
  result.packet = {substitute(family.packet[0], by)};
  return result;
}

EndFamily incoming(const SymbolicSchedule& schedule) {
  EndFamily result = line_of(schedule, {"in", schedule.run});
  result.related = [q = Term(schedule.run)](const std::vector<Term>& a,
                                            const std::vector<Term>& b) {
    const Condition same = a[0] == b[0];
    return implies(same, a[1] == b[1]) && implies(a[1] % q == b[1] % q, same) &&
           implies(!(a[1] < q) && !(b[1] < q), same);
  };
  return result;
}

/// Entry (k, c') of the receiver. `has_source`: with the entry of the sender that it comes from.
EndFamily outgoing(const SymbolicSchedule& schedule, bool has_source) {
  const ScheduleEntry entry("out", schedule.run), own("own", schedule.run);
  const Term q(schedule.run);
  EndFamily result = line_of(schedule, entry);
  if (has_source) {
    result.indices.insert(result.indices.end(), {own.k, own.c});
    result.sent = result.sent && own.in_range(q) && own.c % q == entry.c % q &&
                  own.k + entry.c < entry.k + own.c;
    const Term& p = result.packet[0];
    result.source = Arrival{
        Condition(true),
        0,
        choose(p < last_packet(), round_of(p, own.c, own.k, schedule.run), last_packet() + own.k),
        {own.k, own.c}};
  }
  result.related = [](const std::vector<Term>& a, const std::vector<Term>& b) {
    Condition same(true);
    for (std::size_t i = 1; i < a.size(); ++i) same = same && a[i] == b[i];
    return implies(a[0] == b[0], same);
  };
  return result;
}

std::vector<Arrival> arrivals(const SymbolicSchedule& schedule, const Term& p) {
  const std::uint64_t q = schedule.run;
  const ScheduleEntry some("at", q), high("high", q);
  const Term residue = (p + local::circulant_virtual(chunks_variable(), q)) % Term(q);
  return {{p < last_packet(),
           0,
           round_of(p, some.c, some.k, q),
           {some.k, some.c},
           some.in_range(Term(q)) && some.c % Term(q) == residue},
          {p == last_packet(),
           0,
           last_packet() + high.k,
           {high.k, high.c},
           high.in_range(Term(q)) && !(high.c < Term(q))}};
}

/// All ranks that meet the conditions; or the root, which has all packets.
RankClass regular(const SymbolicSchedule& schedule, bool root) {
  RankClass n;
  n.holds = [root](const Packet&) { return Condition(root); };
  n.wants = [](const Packet&) { return Condition(true); };
  if (!root) n.in = {incoming(schedule)};
  n.out = {outgoing(schedule, !root)};
  n.arrivals = [&schedule, root](const Packet& packet) {
    return root ? std::vector<Arrival>{} : arrivals(schedule, packet[0]);
  };
  return n;
}

std::vector<RankClass> circulant_rank_classes(const SymbolicSchedule& schedule,
                                              const PollLimits& poll_limits) {
  const auto incidence = std::make_shared<const Incidence>(schedule, poll_limits);
  Conditions conditions(schedule, *incidence);
  const auto alone = [&schedule, incidence](std::uint64_t rank) {
    RankClass n =
        rank_class(schedule, view(schedule, *incidence, rank, 0), Term(0), Term(0), inverse);
    n.example = rank;
    n.rank = Term(rank);
    return n;
  };
  std::vector<RankClass> result;
  std::vector<std::uint32_t> good[2];  // the root, and the others
  for (std::uint64_t rank = 0; rank < schedule.ranks; ++rank) {
    if (rank % poll_interval == 0 && poll_limits) poll_limits();
    if (conditions.met(rank)) {
      good[rank == 0 ? 0 : 1].push_back(static_cast<std::uint32_t>(rank));
    } else {
      result.push_back(alone(rank));
    }
  }
  for (auto& ranks : good) {
    if (ranks.empty()) continue;
    RankClass n = regular(schedule, ranks.front() == 0);
    n.example = ranks.front();
    n.members = ranks.size();
    n.member = [alone, ranks = std::move(ranks)](std::size_t i) { return alone(ranks[i]); };
    result.push_back(std::move(n));
  }
  return result;
}

}  // namespace

SymbolicSchedule symbolic_circulant(const Request&, std::uint64_t P,
                                    const PollLimits& poll_limits) {
  if (poll_limits) poll_limits();
  const local::CirculantGraph graph(P);
  const auto q = static_cast<std::uint64_t>(graph.q());
  SymbolicSchedule schedule;
  schedule.ranks = P;
  schedule.reversible = true;
  schedule.run = q;
  schedule.rank_classes = circulant_rank_classes;
  schedule.enumerated_property = "its schedule meets the conditions that the proof assumes";
  const Term t = step_variable(), n = chunks_variable();
  const Term c_q = variable("start"), k = variable("place");
  schedule.steps = local::circulant_steps(n, q);
  schedule.families.push_back({{},
                               t < schedule.steps && local::circulant_place(t, n, q) == k &&
                                   local::circulant_sends(c_q, t, k, q),
                               Term(0),
                               Term(0),
                               {local::circulant_block(c_q, t, k, n, q)}});
  schedule.edges.reserve((P - 1) * q);
  for (std::uint64_t r = 1; r < P; ++r) {
    if (r % poll_interval == 0 && poll_limits) poll_limits();
    const local::CirculantSchedule own = graph.schedule(r);
    for (int i = 0; i < graph.q(); ++i) {
      const int entry = graph.q() + own.recv[static_cast<std::size_t>(i)];
      schedule.edges.push_back({0, static_cast<std::uint32_t>(graph.source(r, i)),
                                static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(entry),
                                static_cast<std::uint32_t>(i)});
    }
  }
  return schedule;
}

}  // namespace schedcc::prover
