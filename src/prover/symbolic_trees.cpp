// Closed forms at fixed ranks: a list of edges, each with a formula in the step and K.
//
// Ranks whose edges differ in a common shift of their starts alone, and in the ranks at the other
// ends, see the same formulas: their neighbourhood has a variable for the shift, which stands for
// just the shifts that occur. In a chain of 4096 ranks there are three kinds of ranks, in a
// fractional tree with long groups a few dozen. Edges from consecutive ranks of a group, which
// start one after the other with one packet after the other, are one line with an index.

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "frontend/algorithms/closed_forms.hpp"
#include "frontend/algorithms/fractional_tree.hpp"
#include "frontend/algorithms/knomial_tree.hpp"
#include "frontend/algorithms/shapes.hpp"
#include "local/circulant_schedule.hpp"
#include "prover/symbolic_forms.hpp"

namespace schedcc::prover {

namespace {

/// So many edges, with starts start, start + stride, ..., and places place, place + 1, ...
struct Strand {
  std::size_t family;
  std::uint64_t start, place, count, stride;
  auto tied() const { return std::tie(family, start, place, count, stride); }
  friend bool operator<(const Strand& a, const Strand& b) { return a.tied() < b.tied(); }
};
using Strands = std::vector<Strand>;

/// Joins edges where `join` allows it: for their family, with starts `stride` apart.
Strands strands(std::vector<const Edge*> edges, std::uint64_t stride,
                bool (*join)(std::size_t family)) {
  std::sort(edges.begin(), edges.end(), [](const Edge* a, const Edge* b) {
    return std::tie(a->family, a->start, a->place) < std::tie(b->family, b->start, b->place);
  });
  Strands result;
  for (const Edge* e : edges) {
    if (!result.empty() && join(e->family)) {
      Strand& last = result.back();
      if (last.family == e->family && last.start + stride * last.count == e->start &&
          last.place + last.count == e->place) {
        ++last.count;
        continue;
      }
    }
    result.push_back({e->family, e->start, e->place, 1, stride});
  }
  return result;
}

/// What the ranks of a neighbourhood have in common, and their shifts.
struct Signature {
  bool root;
  Strands in, out;
  friend bool operator<(const Signature& a, const Signature& b) {
    return std::tie(a.root, a.in, a.out) < std::tie(b.root, b.in, b.out);
  }
};
using Shifts = std::map<std::uint64_t, std::uint64_t>;  ///< a rank for each

std::map<Signature, Shifts> signatures(const ClosedForm& form, bool shifted) {
  std::vector<std::vector<const Edge*>> in(form.ranks), out(form.ranks);
  for (const Edge& e : form.edges) {
    out[e.from].push_back(&e);
    in[e.to].push_back(&e);
  }
  std::map<Signature, Shifts> result;
  for (std::uint64_t v = 0; v < form.ranks; ++v) {
    const std::uint64_t stride = shifted ? 1 : 0;
    // What comes in is joined only where the inverse knows of it: edges to the right.
    const auto to_right = [](std::size_t family) { return family == 1; };
    const auto any = [](std::size_t) { return true; };
    Signature signature{v == 0, strands(in[v], stride, to_right), strands(out[v], stride, any)};
    std::uint64_t shift = UINT64_MAX;
    for (const Strands* strands : {&signature.in, &signature.out}) {
      for (const Strand& s : *strands) shift = std::min(shift, s.start);
    }
    if (!shifted || shift == UINT64_MAX) shift = 0;
    for (Strands* strands : {&signature.in, &signature.out}) {
      for (Strand& s : *strands) s.start -= shift;
    }
    result[signature].emplace(shift, v);
  }
  return result;
}

/// One of the shifts: a union of intervals.
Truth among(const Term& x, const Shifts& shifts) {
  Truth result(false);
  for (auto it = shifts.begin(); it != shifts.end();) {
    const std::uint64_t first = it->first;
    std::uint64_t end = first;
    while (it != shifts.end() && it->first == end) ++it, ++end;
    result = result || (!(x < Term(first)) && x < Term(end));
  }
  return result;
}

/// The inverse of an edge's formula: does it bring packet p, and in which step?
using Inverse = std::vector<Arrival> (*)(const ClosedForm&, const Strand&, const Term& start,
                                         const Term& p);

Line line(const ClosedForm& form, const Strand& strand, const Term& base, const std::string& name) {
  const Family& family = form.families[strand.family];
  Line result;
  Term start = base + Term(strand.start), place(strand.place);
  if (strand.count > 1) {
    const Term x = variable(name, Sort::number, strand.count);
    result.indices = {x};
    start = start + Term(strand.stride) * x;
    place = place + x;
  }
  const Substitution by{{"start", start}, {"place", place}};
  result.sent = substitute(family.sent, by);
  for (const Term& part : family.packet) result.packet.push_back(substitute(part, by));
  return result;
}

std::vector<Neighbourhood> neighbourhoods(const ClosedForm& form, bool shifted, Inverse inverse) {
  std::vector<Neighbourhood> result;
  for (const auto& [signature, shifts] : signatures(form, shifted)) {
    const Term shift = variable("b"), base = shifted ? shift : Term(0);
    Neighbourhood n;
    n.where = among(shift, shifts);
    n.rank = shift;
    n.named = [shifts = shifts](std::uint64_t b) { return shifts.at(b); };
    const auto name = [](const char* way, const std::vector<Line>& lines) {
      return fmt::format("{}{}.", way, lines.size());
    };
    for (const Strand& s : signature.in) n.in.push_back(line(form, s, base, name("in", n.in)));
    for (const Strand& s : signature.out) n.out.push_back(line(form, s, base, name("out", n.out)));
    const bool root = signature.root;
    n.holds = [root](const Packet&) { return Truth(root); };
    n.wants = [](const Packet&) { return Truth(true); };
    n.arrivals = [&form, in = signature.in, base, inverse](const Packet& packet) {
      std::vector<Arrival> arrivals;
      for (std::size_t i = 0; i < in.size(); ++i) {
        for (Arrival& a : inverse(form, in[i], base + Term(in[i].start), packet[0])) {
          a.line = i;
          arrivals.push_back(std::move(a));
        }
      }
      return arrivals;
    };
    result.push_back(std::move(n));
  }
  return result;
}

ClosedForm tree(std::uint64_t P) {
  ClosedForm form;
  form.ranks = P;
  form.reversible = true;
  return form;
}

Term start_parameter() { return variable("start"); }
Term place_parameter() { return variable("place"); }

// Fractional trees. Families: down, right.

std::vector<Arrival> fractional_inverse(const ClosedForm& form, const Strand& strand,
                                        const Term& start, const Term& p) {
  const std::uint64_t r = form.run;
  if (r == 0) return {{Truth(true), 0, start + p, {}}};
  const Term run = p / Term(r) * Term(r + 1), place = p % Term(r);
  if (strand.family == 0) return {{Truth(true), 0, start + run + place, {}}};
  const Term x = place - Term(strand.place);
  if (strand.count == 1) return {{place == Term(strand.place), 0, start + run + Term(r), {}}};
  const Truth here = !(place < Term(strand.place)) && x < Term(strand.count);
  return {{here, 0, start + x + run + Term(r), {x}}};
}

ClosedForm fractional(std::uint64_t P, std::uint64_t r, std::uint64_t last) {
  ClosedForm form = tree(P);
  form.run = fractional_run(P, r);
  form.neighbourhoods = [](const ClosedForm& f) {
    return neighbourhoods(f, true, fractional_inverse);
  };
  const Term t = step_variable(), K = chunks_variable();
  const Term start = start_parameter(), place = place_parameter();
  const closed::Turn<Term> turn = closed::turn(t - start, form.run);
  const Truth begun = !(t < start);
  const Truth down = begun && closed::sends_down(turn, form.run, K);
  const Truth right = begun && closed::sends_right(turn, place, form.run, K);
  form.families.push_back({{}, down, Term(0), Term(0), {closed::down_packet(turn)}});
  form.families.push_back({{}, right, Term(0), Term(0), {closed::right_packet(turn, place)}});
  const std::vector<fractional::Wave> waves = fractional_waves(P, r, last);
  for (std::uint64_t b = 0; b < waves.size(); ++b) {
    for (const fractional::Edge& e : waves[b].down) form.edges.push_back({0, e.from, e.to, b, 0});
    for (const fractional::Edge& e : waves[b].right) {
      form.edges.push_back({1, e.from, e.to, b, e.packet});
    }
  }
  const std::uint64_t d = fractional_depth(P, r);
  form.steps = closed::fractional_steps(Term(d), K, form.run);
  form.steps_text = form.run == 0   ? fmt::format("K + {}", d)
                    : form.run == 1 ? fmt::format("2 K + {}", d - 1)
                                    : fmt::format("K + ceil(K/{}) + {}", form.run, d - 1);
  return form;
}

}  // namespace

ClosedForm fractional_form(const Request& request, std::uint64_t P) {
  return fractional(P, request.parameters.integer("r"), request.problem.root);
}

ClosedForm binary_form(const Request& request, std::uint64_t P) {
  return fractional(P, 1, request.problem.root);
}

namespace {

/// Edge v -> v + 1 carries packet j in step v + 2j.
ClosedForm simplex_chain(std::uint64_t P) {
  ClosedForm form = tree(P);
  form.simplex = true;
  form.neighbourhoods = [](const ClosedForm& f) {
    return neighbourhoods(f, true,
                          [](const ClosedForm&, const Strand&, const Term& start, const Term& p) {
                            return std::vector<Arrival>{{Truth(true), 0, start + Term(2) * p, {}}};
                          });
  };
  const Term t = step_variable(), K = chunks_variable(), start = start_parameter();
  const Term packet = closed::simplex_chain_packet(t, start);
  form.families.push_back(
      {{}, closed::simplex_chain_sends(t, start) && packet < K, Term(0), Term(0), {packet}});
  for (std::uint64_t v = 0; v + 1 < P; ++v) form.edges.push_back({0, v, v + 1, v, 0});
  form.steps = closed::simplex_chain_steps(Term(P), K);
  form.steps_text = fmt::format("2 K + {}", P - 3);
  return form;
}

}  // namespace

ClosedForm chain_form(const Request& request, std::uint64_t P) {
  const bool simplex = request.machine.name == "simplex" && P >= 3;
  return simplex ? simplex_chain(P) : fractional(P, P - 1, 0);
}

// Packets one after the other: linear, binomial, k-nomial trees. What they do with one packet is
// looked up, and S, its steps, are the period.

ClosedForm serial_form(const Algorithm& algorithm, const Request& request, std::uint64_t P) {
  Request one = request;
  one.problem.collective = Collective::broadcast;
  one.problem.ranks = static_cast<Rank>(P);
  one.problem.chunks = 1;
  one.problem.root = 0;
  ClosedForm form = tree(P);
  const Steps steps = algorithm.build(one);
  const std::uint64_t S = steps.span();
  form.run = S;
  form.neighbourhoods = [](const ClosedForm& f) {
    return neighbourhoods(
        f, false, [](const ClosedForm& g, const Strand& s, const Term&, const Term& p) {
          return std::vector<Arrival>{{Truth(true), 0, p * Term(g.run) + Term(s.place), {}}};
        });
  };
  const Term t = step_variable(), K = chunks_variable();
  const Term packet = closed::serial_packet(t, Term(S));
  form.families.push_back({{},
                           closed::serial_place(t, Term(S)) == place_parameter() && packet < K,
                           Term(0),
                           Term(0),
                           {packet}});
  Transfers transfers;
  for (std::uint64_t row = 0; row < steps.size(); ++row) {
    transfers.clear();
    const std::uint64_t place = steps.fill(row, transfers);
    for (const Transfer& e : transfers) form.edges.push_back({0, e.src, e.dst, 0, place});
  }
  form.steps = K * Term(S);
  form.steps_text = S == 1 ? "K" : fmt::format("{} K", S);
  return form;
}

namespace {

// The circulant graph: edges r - s_k -> r, one for each k, with what r receives there.

// Parameters: start is the entry of the rank's schedule plus q, place is k.

/// Packet p is what entry c, the one with the residue of p - (n-1) modulo q, stands for in some
/// phase; packet n - 1 what the only c >= 0 stands for in the last one.
std::vector<Arrival> circulant_inverse(const ClosedForm& form, const Strand& strand,
                                       const Term& c_q, const Term& p) {
  const Term q(form.run), k(strand.place), last = chunks_variable() - Term(1);
  const Term round = p + k + q - c_q;
  const Truth now = closed::circulant_place(round, chunks_variable(), form.run) == k;
  std::vector<Arrival> result{{p < last && !(p + k + q < c_q) && now, 0, round, {}}};
  if (strand.start >= form.run) result.push_back({p == last, 0, last + k, {}});
  return result;
}

}  // namespace

ClosedForm circulant_form(const Request&, std::uint64_t P) {
  const local::CirculantGraph graph(P);
  const auto q = static_cast<std::uint64_t>(graph.q());
  ClosedForm form = tree(P);
  form.run = q;
  form.neighbourhoods = [](const ClosedForm& f) {
    return neighbourhoods(f, false, circulant_inverse);
  };
  const Term t = step_variable(), n = chunks_variable();
  const Term c_q = start_parameter(), k = place_parameter();
  form.steps = closed::circulant_steps(n, q);
  form.steps_text = q == 1 ? "K" : fmt::format("K + {}", q - 1);
  form.families.push_back({{},
                           t < form.steps && closed::circulant_place(t, n, q) == k &&
                               closed::circulant_sends(c_q, t, k, q),
                           Term(0),
                           Term(0),
                           {closed::circulant_packet(c_q, t, k, n, q)}});
  for (std::uint64_t r = 1; r < P; ++r) {
    const local::CirculantSchedule schedule = graph.schedule(r);
    for (int i = 0; i < graph.q(); ++i) {
      const int place = graph.q() + schedule.recv[static_cast<std::size_t>(i)];
      form.edges.push_back({0, graph.source(r, i), r, static_cast<std::uint64_t>(place),
                            static_cast<std::uint64_t>(i)});
    }
  }
  return form;
}

}  // namespace schedcc::prover
