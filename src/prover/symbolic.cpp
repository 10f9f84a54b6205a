// What has to be proved of a closed form, as queries that must have no solution.
//
//     ports       two transfers of a rank in one step, both in or both out
//     shape       a packet, a rank, that does not exist; a transfer to itself
//     causality   a transfer of a packet that the rank did not start with and whose arrival is not
//                 in an earlier step
//     delivery    a packet that a rank wants, and that its arrival's line does not bring
//     redundancy  a transfer of a packet that the rank has already, or does not want
//     bound       a transfer that is not over within the promised steps
//
// A query is tried first without what it says of unbounded numbers, if it also speaks of words:
// with fewer conditions there are more solutions, so if there is none, none is lost.

#include "prover/symbolic.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "prover/term_smtlib.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

Term step_variable() { return variable("t"); }
Term chunks_variable() { return variable("K"); }

namespace {

/// Ranks and chunks up to which a counterexample is looked up in the table.
constexpr std::uint64_t most_confirmed = 256;

struct Obligation {
  std::string_view check;
  std::string what;
  std::vector<Truth> conditions;
  Term rank, step;
  Packet packet;
};

Truth any(const std::vector<Truth>& conditions) {
  Truth result(false);
  for (const Truth& condition : conditions) result = result || condition;
  return result;
}

Truth differ(const Packet& a, const Packet& b) {
  Truth result(false);
  for (std::size_t i = 0; i < a.size(); ++i) result = result || !(a[i] == b[i]);
  return result;
}

Truth all(const std::vector<Truth>& conditions) {
  Truth result(true);
  for (const Truth& condition : conditions) result = result && condition;
  return result;
}

/// Does the arrival's line bring the packet?
Truth brings(const Neighbourhood& n, const Arrival& arrival, const Packet& packet) {
  const Line& line = n.in[arrival.line];
  Substitution by{{"t", arrival.step}};
  Truth good(true);
  for (std::size_t i = 0; i < line.indices.size(); ++i) {
    const Node& index = *line.indices[i].node();
    by.emplace(index.name, arrival.indices[i]);
    if (index.value > 0) good = good && arrival.indices[i] < Term(index.value);
  }
  good = good && substitute(line.sent, by);
  for (std::size_t i = 0; i < packet.size(); ++i) {
    good = good && substitute(line.packet[i], by) == packet[i];
  }
  return good;
}

class Prover {
 public:
  Prover(const ClosedForm& form, const SymbolicOptions& options) : form_(form), options_(options) {}

  SymbolicProof run();

 private:
  using Check = void (Prover::*)(const Neighbourhood&);

  void ports(const Neighbourhood& n);
  void shape(const Neighbourhood& n);
  void causality(const Neighbourhood& n);
  void delivery(const Neighbourhood& n);
  void redundancy(const Neighbourhood& n);
  void bound(const Neighbourhood& n);

  Obligation conflict(const Neighbourhood& n, const Line& a, const Line& b, bool same_line,
                      const std::string& what, bool incoming) const;

  Term time(const std::string& name) const;
  Line instance(const Line& line, const Term& t, const std::string& suffix) const;
  /// The arrivals with conditions that exclude each other.
  std::vector<Arrival> arrivals(const Neighbourhood& n, const Packet& packet) const;
  void ask(const Neighbourhood& n, Obligation obligation);
  /// Trees: all at once.
  void ask_all(const Neighbourhood& n, std::vector<Obligation> obligations);
  Answer ask(const std::vector<Truth>& conditions, const std::string& what, Values& values,
             bool opaque = false);
  void refute(const Neighbourhood& n, const Obligation& obligation, Values values);

  const ClosedForm& form_;
  const SymbolicOptions& options_;
  SymbolicProof proof_;
  CheckProof* check_ = nullptr;
};

/// A step, or a packet's number: any natural number.
Term Prover::time(const std::string& name) const {
  if (form_.period == 0) return variable(name);
  return Term(form_.period) * variable(name + ".turn") +
         variable(name + ".rest", Sort::small, form_.period);
}

Line Prover::instance(const Line& line, const Term& t, const std::string& suffix) const {
  Substitution by{{"t", t}};
  Line result;
  for (const Term& index : line.indices) {
    const Node& node = *index.node();
    result.indices.push_back(variable(node.name + suffix, node.sort, node.value));
    by.emplace(node.name, result.indices.back());
  }
  // A delay does not depend on t, so that t may be given by the arrival: t + delay.
  result.delay = substitute(line.delay, by);
  result.sent = substitute(line.sent, by);
  if (line.peer) result.peer = substitute(*line.peer, by);
  for (const Term& part : line.packet) result.packet.push_back(substitute(part, by));
  return result;
}

std::vector<Arrival> Prover::arrivals(const Neighbourhood& n, const Packet& packet) const {
  std::vector<Arrival> result = n.arrivals(packet);
  Truth before(false);
  for (Arrival& arrival : result) {
    const Truth when = arrival.when;
    arrival.when = when && !before;
    before = before || when;
  }
  return result;
}

Obligation Prover::conflict(const Neighbourhood& n, const Line& a, const Line& b, bool same_line,
                            const std::string& what, bool incoming) const {
  // The common step is that of the port; a line with a delay was sent so much earlier.
  const Term at = time("t");
  const auto at_port = [&](const Line& line, const std::string& suffix) {
    if (!incoming) return instance(line, at, suffix);
    return instance(line, at - instance(line, at, suffix).delay, suffix);
  };
  const Line first = at_port(a, "1");
  const Line second = at_port(b, "2");
  Obligation o{"ports", what, {n.where, first.sent, second.sent}, n.rank, at, second.packet};
  if (same_line) o.conditions.push_back(differ(first.indices, second.indices));
  if (same_line && n.lemma) {
    const Term &x = first.indices[0], &y = second.indices[0];
    o.conditions.push_back(!(x < y) || n.lemma(x, y));
    o.conditions.push_back(!(y < x) || n.lemma(y, x));
  }
  if (form_.wide) {
    o.conditions.push_back(!(*first.peer == *second.peer) || !differ(first.packet, second.packet));
  }
  return o;
}

void Prover::ports(const Neighbourhood& n) {
  std::vector<Obligation> all;
  for (const bool incoming : {true, false}) {
    const std::vector<Line>& lines = incoming ? n.in : n.out;
    const std::string what = incoming ? "receives two messages" : "sends two messages";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (std::size_t j = i; j < lines.size(); ++j) {
        if (i == j && lines[i].indices.empty()) continue;
        all.push_back(conflict(n, lines[i], lines[j], i == j, what, incoming));
      }
    }
    ask_all(n, std::move(all));
    all.clear();
  }
  if (!form_.simplex) return;
  for (const Line& in : n.in) {
    for (const Line& out : n.out) {
      all.push_back(conflict(n, in, out, false, "sends and receives", true));
    }
  }
  ask_all(n, std::move(all));
}

/// Which packets there are.
Truth exists(const ClosedForm& form, const Packet& packet) {
  switch (form.kind) {
    case PacketKind::packet:
      return packet[0] < chunks_variable();
    case PacketKind::block:
      return packet[0] < Term(form.ranks);
    case PacketKind::pair:
      return packet[0] < Term(form.ranks) && packet[1] < Term(form.ranks);
    case PacketKind::pair_packet:
      return packet[0] < Term(form.ranks) && packet[1] < Term(form.ranks) &&
             packet[2] < chunks_variable();
  }
  throw InternalError("a kind of packets without a rule");
}

void Prover::shape(const Neighbourhood& n) {
  const Term t = time("t");
  for (const auto& [what, condition] : n.impossible) {
    ask(n, {"shape", what, {n.where, substitute(condition, {{"t", t}})}, n.rank, t, {}});
  }
  if (n.lemma) {
    const Term smaller = variable("x"), larger = smaller + Term(1) + variable("y");
    ask(n, {"shape", "contradicts the lemma", {!n.lemma(smaller, larger)}, n.rank, t, {}});
  }
  std::vector<Obligation> all;
  for (const Line& line : n.out) {
    const Line sent = instance(line, t, "");
    Truth good = exists(form_, sent.packet);
    if (sent.peer) {
      good = good && !(*sent.peer == n.rank) && *sent.peer < Term(form_.ranks);
    }
    all.push_back({"shape",
                   "sends what does not exist, or to nobody",
                   {n.where, sent.sent, !good},
                   n.rank,
                   t,
                   sent.packet});
  }
  ask_all(n, std::move(all));
}

void Prover::causality(const Neighbourhood& n) {
  const Term t = time("t");
  std::vector<Obligation> all;
  for (const Line& line : n.out) {
    const Line sent = instance(line, t, "");
    std::vector<Truth> in_time{n.holds(sent.packet)};
    if (!form_.direct) {
      for (const Arrival& arrival : arrivals(n, sent.packet)) {
        const Term over = arrival.step + n.in[arrival.line].delay;
        in_time.push_back(arrival.when && over < t);
      }
    }
    all.push_back({"causality",
                   "sends what it does not hold yet",
                   {n.where, sent.sent, !any(in_time)},
                   n.rank,
                   t,
                   sent.packet});
  }
  ask_all(n, std::move(all));
}

void Prover::delivery(const Neighbourhood& n) {
  Packet packet;
  if (form_.kind == PacketKind::packet) {
    packet = {time("p")};
  } else {
    const Node& rank = *n.rank.node();
    packet = {variable("o", rank.sort, form_.ranks), variable("d", rank.sort, form_.ranks),
              variable("j")};
    packet.resize(form_.kind == PacketKind::block  ? 1
                  : form_.kind == PacketKind::pair ? 2
                                                   : 3,
                  Term(0));
  }
  const std::vector<Truth> asked{n.where, exists(form_, packet), n.wants(packet), !n.holds(packet)};
  const auto fails = [&](const Truth& brought, const Term& step) {
    std::vector<Truth> conditions = asked;
    conditions.push_back(!brought);
    ask(n, {"delivery", "does not receive it", std::move(conditions), n.rank, step, packet});
  };
  // Words and numbers apart, where there are both: then each arrival is a question of its own.
  std::vector<Truth> brought;
  Term step(0);
  for (const Arrival& arrival : arrivals(n, packet)) {
    const Truth good = brings(n, arrival, packet);
    brought.push_back(arrival.when && good);
    step = choose(arrival.when, arrival.step, step);
    const std::vector<Truth> words = on_words({good});
    if (words.empty() && on_words({arrival.when}).empty()) continue;
    brought.pop_back();
    fails(!arrival.when || all(words), arrival.step);
    fails(!arrival.when || all(on_numbers({good})), arrival.step);
    brought.push_back(arrival.when);
  }
  fails(any(brought), step);
}

void Prover::redundancy(const Neighbourhood& n) {
  const Term t = time("t");
  std::vector<Obligation> all;
  for (std::size_t i = 0; i < n.in.size(); ++i) {
    const Line in = instance(n.in[i], t, "1");
    std::vector<Truth> right{Truth(false)};
    for (const Arrival& arrival : arrivals(n, in.packet)) {
      if (arrival.line != i) continue;
      // Where the step is a formula in the indices, it is enough that these are the arrival's.
      const Truth same = form_.direct ? !differ(in.indices, arrival.indices) : arrival.step == t;
      right.push_back(arrival.when && same);
    }
    const Truth good = n.wants(in.packet) && !n.holds(in.packet) && any(right);
    all.push_back({"redundancy",
                   "receives what it has, or does not want",
                   {n.where, in.sent, !good},
                   n.rank,
                   t,
                   in.packet});
  }
  ask_all(n, std::move(all));
}

void Prover::bound(const Neighbourhood& n) {
  const Term t = time("t");
  std::vector<Obligation> all;
  for (const Line& line : n.in) {
    const Line in = instance(line, t, "");
    Truth known(true);
    if (n.lemma) known = n.lemma(in.indices[0], Term(in.indices[0].node()->value));
    all.push_back({"bound",
                   "receives it after the promised steps",
                   {n.where, in.sent, known, !(t + in.delay < form_.steps)},
                   n.rank,
                   t,
                   in.packet});
  }
  ask_all(n, std::move(all));
}

Answer Prover::ask(const std::vector<Truth>& conditions, const std::string& what, Values& values,
                   bool opaque) {
  const TermQuery query = smtlib(
      conditions,
      fmt::format("; {}: can a rank be one that {}? (unsat: none can)\n", check_->check, what),
      opaque);
  ++check_->queries;
  std::map<std::string, std::string> model;
  const Answer answer = ask_z3(query.text, query.logic, options_.limits, &model);
  if (options_.query) options_.query(check_->check, query.text, answer);
  for (const auto& [name, text] : model) {
    const std::string plain = name.ends_with(".w") ? name.substr(0, name.size() - 2) : name;
    // Too long a number is none that `values` could be about; the search for a small K follows.
    if (text.size() < 20) values[plain] = std::stoull(text);
  }
  return answer;
}

void Prover::ask(const Neighbourhood& n, Obligation o) {
  if (proof_.verdict != Verdict::holds) return;
  o.conditions.push_back(!(chunks_variable() < Term(1)));
  const std::vector<Truth> words = on_words(o.conditions);
  Values values;
  const std::vector<Truth> numbers = on_numbers(o.conditions);
  if (!words.empty() && !numbers.empty()) {
    if (ask(words, o.what, values) == Answer::unsat) return;
    if (ask(numbers, o.what, values, n.lemma != nullptr) == Answer::unsat) return;
  }
  values.clear();
  const Answer answer = ask(o.conditions, o.what, values);
  if (answer == Answer::unsat) return;
  if (answer == Answer::unknown) {
    check_->verdict = proof_.verdict = Verdict::unknown;
    return;
  }
  // A small K makes a better example.
  for (std::uint64_t most = 1; most <= 1024; most *= 2) {
    std::vector<Truth> conditions = o.conditions;
    conditions.push_back(chunks_variable() < Term(most + 1));
    Values smaller;
    if (ask(conditions, o.what, smaller) != Answer::sat) continue;
    values = smaller;
    break;
  }
  refute(n, o, std::move(values));
}

void Prover::ask_all(const Neighbourhood& n, std::vector<Obligation> obligations) {
  if (obligations.empty()) return;
  if (form_.edges.empty() || obligations.size() == 1) {
    for (const Obligation& o : obligations) ask(n, o);
    return;
  }
  Obligation together = obligations.front();
  std::vector<Truth> some;
  for (const Obligation& o : obligations) {
    some.push_back(all(o.conditions));
    for (std::size_t i = 0; i < o.packet.size(); ++i) {
      together.packet[i] = choose(some.back(), o.packet[i], together.packet[i]);
    }
  }
  together.conditions = {any(some)};
  ask(n, together);
}

/// Variables without a value: they do not matter.
class WithDefaults {
 public:
  explicit WithDefaults(Values& values) : values_(values) {}
  std::uint64_t operator()(const Term& term) {
    add(term.node());
    return evaluate(term, values_);
  }

 private:
  void add(const NodePtr& node) {
    if (node->op == Op::variable) values_.emplace(node->name, 0);
    for (const NodePtr& argument : node->arguments) add(argument);
  }
  Values& values_;
};

void Prover::refute(const Neighbourhood& n, const Obligation& o, Values values) {
  check_->verdict = proof_.verdict = Verdict::violated;
  values.emplace("K", 1);
  WithDefaults value(values);
  Counterexample example{std::string(o.check), o.what,        values["K"],
                         value(o.rank),        value(o.step), {}};
  if (n.named) example.rank = n.named(example.rank);
  if (form_.rooted) example.rank = (example.rank + form_.root) % form_.ranks;
  for (const Term& part : o.packet) example.packet.push_back(value(part));
  if (form_.ranks > most_confirmed || example.chunks > most_confirmed) {
    proof_.counterexample = std::move(example);
    return;
  }
  // What fails may be the arrival's formula and not the schedule. Let the table decide.
  proof_.counterexample = wrong_transfer(form_, example.chunks);
  for (std::uint64_t K = 1; !proof_.counterexample && K <= 8; ++K) {
    proof_.counterexample = wrong_transfer(form_, K);
  }
  if (!proof_.counterexample) check_->verdict = proof_.verdict = Verdict::unknown;
}

SymbolicProof Prover::run() {
  using Clock = Limits::Clock;
  // Delivery first: a counterexample to what follows is one only if arrivals are what they say.
  static constexpr std::pair<const char*, Check> checks[] = {
      {"shape", &Prover::shape},         {"ports", &Prover::ports},
      {"delivery", &Prover::delivery},   {"redundancy", &Prover::redundancy},
      {"causality", &Prover::causality}, {"bound", &Prover::bound}};
  const auto begin = Clock::now();
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  const std::vector<Neighbourhood> cases = form_.neighbourhoods(form_);
  proof_.cases = cases.size();
  for (const auto& [name, check] : checks) {
    const auto start = Clock::now();
    CheckProof current{name == std::string_view("ports") && form_.links ? "links" : name};
    check_ = &current;
    for (const Neighbourhood& n : cases) {
      if (proof_.verdict != Verdict::holds) break;
      if (options_.limits.reached()) {
        current.verdict = proof_.verdict = Verdict::unknown;
        break;
      }
      (this->*check)(n);
    }
    current.seconds = seconds(start);
    proof_.queries += current.queries;
    proof_.checks.push_back(current);
    if (proof_.verdict != Verdict::holds) break;
  }
  proof_.seconds = seconds(begin);
  return std::move(proof_);
}

}  // namespace

SymbolicProof prove(const ClosedForm& form, const SymbolicOptions& options) {
  return Prover(form, options).run();
}

}  // namespace schedcc::prover
