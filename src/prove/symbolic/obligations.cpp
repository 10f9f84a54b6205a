// The proof obligations of each check: conditions that must be unsatisfiable.
//
//     shape       a packet or a rank that does not exist; a transfer to itself
//     ports       two transfers of a rank in one step, both in or both out
//     delivery    a packet that a rank wants, and that no incoming transfer brings
//     redundancy  a transfer of a packet that the rank has already, or does not want
//     causality   a transfer of a packet that the rank did not start with and whose arrival is not
//                 in an earlier step
//     bound       a transfer that does not end within the claimed steps

#include "prove/symbolic/obligations.hpp"

#include "prove/symbolic/lines.hpp"
#include "prove/symbolic/term_smtlib.hpp"
#include "prove/symbolic/violations.hpp"

namespace schedcc::prover {

namespace {

Obligations shape(const SymbolicSchedule& schedule, const RankClass& n) {
  const Term t = time(schedule, "t");
  Obligations result;
  for (const auto& [what, condition] : n.side_conditions) {
    result.push_back({what, {n.where, substitute(condition, {{"t", t}})}, n.rank, t, {}});
  }
  if (n.lemma) {
    const Term smaller = variable("x"), larger = smaller + Term(1) + variable("y");
    result.push_back({"contradicts the lemma", {!n.lemma(smaller, larger)}, n.rank, t, {}});
  }
  for (const EndFamily& line : n.out) {
    const EndFamily sent = instance(line, t, "");
    Condition good = exists(schedule, sent.packet);
    for (const Term& part : sent.packet) good = good && natural(part);
    if (sent.peer) good = good && !(*sent.peer == n.rank) && *sent.peer < Term(schedule.ranks);
    result.push_back({violation::shape, {n.where, sent.sent, !good}, n.rank, t, sent.packet});
  }
  return result;
}

/// Transfers of two lines, or of one, at a port in the same step.
Obligation conflict(const SymbolicSchedule& schedule, const RankClass& n, const EndFamily& a,
                    const EndFamily& b, const std::string& what, bool incoming) {
  // The common step is that of the port; a transfer with a delay was sent that many steps earlier.
  const Term at = time(schedule, "t");
  const auto at_port = [&](const EndFamily& line, const std::string& suffix) {
    if (!incoming) return instance(line, at, suffix);
    return instance(line, at - instance(line, at, suffix).delay, suffix);
  };
  const EndFamily first = at_port(a, "1"), second = at_port(b, "2");
  Obligation o{what, {n.where, first.sent, second.sent}, n.rank, at, second.packet};
  if (&a == &b) {
    o.conditions.push_back(differ(first.indices, second.indices));
    if (a.related) o.conditions.push_back(a.related(first.indices, second.indices));
    if (n.lemma) {
      const Term &x = first.indices[0], &y = second.indices[0];
      o.conditions.push_back(!(x < y) || n.lemma(x, y));
      o.conditions.push_back(!(y < x) || n.lemma(y, x));
    }
  }
  if (schedule.wide) {
    o.conditions.push_back(!(*first.peer == *second.peer) || !differ(first.packet, second.packet));
  }
  return o;
}

Obligations ports(const SymbolicSchedule& schedule, const RankClass& n) {
  Obligations result;
  for (const bool incoming : {true, false}) {
    const std::vector<EndFamily>& lines = incoming ? n.in : n.out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (std::size_t j = i; j < lines.size(); ++j) {
        if (i == j && lines[i].indices.empty()) continue;
        result.push_back(conflict(schedule, n, lines[i], lines[j],
                                  incoming ? violation::two_receives : violation::two_sends,
                                  incoming));
      }
    }
  }
  if (!schedule.simplex) return result;
  for (const EndFamily& in : n.in) {
    for (const EndFamily& out : n.out) {
      result.push_back(conflict(schedule, n, in, out, violation::send_and_receive, true));
    }
  }
  return result;
}

Obligations delivery(const SymbolicSchedule& schedule, const RankClass& n) {
  const Packet packet = some_packet(schedule, n);
  std::vector<Condition> common{n.where, exists(schedule, packet), n.wants(packet),
                                !n.holds(packet)};
  const std::vector<Arrival> all_arrivals = arrivals(n, packet);
  for (const Arrival& arrival : all_arrivals) common.push_back(arrival.assumed);
  Obligations result;
  const auto fails = [&](const Condition& brought, const Term& step) {
    std::vector<Condition> conditions = common;
    conditions.push_back(!brought);
    result.push_back({violation::delivery, std::move(conditions), n.rank, step, packet});
  };
  // Conditions on machine words and on integers are proved in separate queries, one for each
  // arrival.
  std::vector<Condition> brought;
  Term step(0);
  for (const Arrival& arrival : all_arrivals) {
    const Condition good = brings(n, arrival, packet);
    step = choose(arrival.when, arrival.step, step);
    const std::vector<Condition> words = on_words({good});
    if (words.empty() && on_words({arrival.when}).empty()) {
      brought.push_back(arrival.when && good);
      continue;
    }
    fails(!arrival.when || all(words), arrival.step);
    fails(!arrival.when || all(on_numbers({good})), arrival.step);
    brought.push_back(arrival.when);
  }
  fails(any(brought), step);
  return result;
}

Obligations redundancy(const SymbolicSchedule& schedule, const RankClass& n) {
  const Term t = time(schedule, "t");
  Obligations result;
  for (std::size_t i = 0; i < n.in.size(); ++i) {
    const EndFamily in = instance(n.in[i], t, "1");
    std::vector<Condition> from_line, assumed;
    for (const Arrival& arrival : arrivals(n, in.packet)) {
      if (arrival.line != i) continue;
      // If the step is a formula in the indices, it is enough that these are the arrival's.
      const Condition same =
          schedule.direct ? !differ(in.indices, arrival.indices) : arrival.step == t;
      from_line.push_back(arrival.when && same);
      assumed.push_back(arrival.assumed);
      if (in.related) assumed.push_back(in.related(in.indices, arrival.indices));
    }
    const Condition good = n.wants(in.packet) && !n.holds(in.packet) && any(from_line);
    result.push_back(
        {violation::redundancy, {n.where, in.sent, all(assumed), !good}, n.rank, t, in.packet});
  }
  return result;
}

Obligations causality(const SymbolicSchedule& schedule, const RankClass& n) {
  const Term t = time(schedule, "t");
  Obligations result;
  for (const EndFamily& line : n.out) {
    const EndFamily sent = instance(line, t, "");
    std::vector<Condition> in_time{n.holds(sent.packet)}, assumed;
    const auto add = [&](const Arrival& arrival, const Condition& when) {
      in_time.push_back(when && arrival.step + n.in[arrival.line].delay < t);
      assumed.push_back(arrival.assumed);
    };
    if (sent.source) {
      add(*sent.source, sent.source->when && brings(n, *sent.source, sent.packet));
    } else if (!schedule.direct) {
      for (const Arrival& arrival : arrivals(n, sent.packet)) add(arrival, arrival.when);
    }
    result.push_back({violation::causality,
                      {n.where, sent.sent, all(assumed), !any(in_time)},
                      n.rank,
                      t,
                      sent.packet});
  }
  return result;
}

Obligations bound(const SymbolicSchedule& schedule, const RankClass& n) {
  const Term t = time(schedule, "t");
  Obligations result;
  for (const EndFamily& line : n.in) {
    const EndFamily in = instance(line, t, "");
    Condition assumed(true);
    if (n.lemma) assumed = n.lemma(in.indices[0], Term(in.indices[0].node()->value));
    result.push_back({violation::bound,
                      {n.where, in.sent, assumed, !(t + in.delay < schedule.steps)},
                      n.rank,
                      t,
                      in.packet});
  }
  return result;
}

}  // namespace

std::span<const SymbolicCheck> symbolic_checks() {
  static constexpr SymbolicCheck checks[] = {{"shape", shape},         {"ports", ports},
                                             {"delivery", delivery},   {"redundancy", redundancy},
                                             {"causality", causality}, {"bound", bound}};
  return checks;
}

Obligations merge_same_violations(Obligations obligations) {
  Obligations result;
  for (std::size_t i = 0; i < obligations.size();) {
    std::size_t end = i + 1;
    while (end < obligations.size() && obligations[end].what == obligations[i].what) ++end;
    Obligation merged = obligations[i];
    if (end - i > 1) {
      std::vector<Condition> some;
      for (std::size_t k = i; k < end; ++k) {
        const Obligation& o = obligations[k];
        some.push_back(all(o.conditions));
        for (std::size_t part = 0; part < o.packet.size(); ++part) {
          merged.packet[part] = choose(some.back(), o.packet[part], merged.packet[part]);
        }
      }
      merged.conditions = {any(some)};
    }
    result.push_back(std::move(merged));
    i = end;
  }
  return result;
}

}  // namespace schedcc::prover
