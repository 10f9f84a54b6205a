#include "encodings.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "core/join.hpp"

namespace encodings {

namespace {

using namespace schedcc;
using namespace schedcc::prover;

std::string time(std::size_t c, Rank v) { return fmt::format("time_{}_{}", c, v); }
std::string snd(std::size_t c, Rank u, Rank v) { return fmt::format("snd_{}_{}_{}", c, u, v); }
std::string at(std::size_t c, Rank v, std::uint64_t s) {
  return fmt::format("at_{}_{}_{}", c, v, s);
}
std::string declare(const std::string& name, const std::string& sort) {
  return fmt::format("(declare-const {} {})\n", name, sort);
}
std::string assert_that(const std::string& what) { return "(assert " + what + ")\n"; }

/// Integers of a kind, as SMT-LIB writes them.
struct Numbers {
  bool vectors;

  std::string sort() const { return vectors ? "(_ BitVec 10)" : "Int"; }
  std::string value(std::uint64_t n) const {
    return vectors ? fmt::format("(_ bv{} 10)", n) : fmt::format("{}", n);
  }
  std::string less(const std::string& a, const std::string& b) const {
    return fmt::format("({} {} {})", vectors ? "bvult" : "<", a, b);
  }
  std::string at_most(const std::string& a, const std::string& b) const {
    return fmt::format("({} {} {})", vectors ? "bvule" : "<=", a, b);
  }
  std::string times(std::uint64_t n, const std::string& a) const {
    return fmt::format("({} {} {})", vectors ? "bvmul" : "*", value(n), a);
  }
  std::string sum(const std::vector<std::string>& terms) const {
    if (terms.empty()) return value(0);
    std::string result = terms.front();
    for (std::size_t i = 1; i < terms.size(); ++i) {
      result = fmt::format("({} {} {})", vectors ? "bvadd" : "+", result, terms[i]);
    }
    return result;
  }
};

/// SCCL's encoding (Cai et al. 2021, section 3): who sends a chunk to a node, and when it is there.
std::string arithmetic(const Question& asked, const Numbers& numbers) {
  const Instance instance = make_instance(asked);
  const std::vector<Delivery> chunks = deliveries(asked.problem);
  const std::uint64_t S = asked.steps, R = asked.rounds.value_or(S);
  std::string text;
  const auto one_if = [&](const std::string& what) {
    return fmt::format("(ite {} {} {})", what, numbers.value(1), numbers.value(0));
  };
  std::vector<std::string> rounds;
  for (std::uint64_t s = 0; s < S; ++s) {
    rounds.push_back(fmt::format("rounds_{}", s));
    text += declare(rounds.back(), numbers.sort());
    text += assert_that(numbers.at_most(numbers.value(1), rounds.back()));
    text += assert_that(numbers.at_most(rounds.back(), numbers.value(R)));
  }
  text += assert_that(fmt::format("(= {} {})", numbers.sum(rounds), numbers.value(R)));
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (Rank v = 0; v < instance.nodes; ++v) {
      text += declare(time(c, v), numbers.sort());
      for (const std::size_t a : instance.in[v]) {
        text += declare(snd(c, instance.arcs[a].from, v), "Bool");
      }
    }
    for (Rank v = 0; v < instance.nodes; ++v) {
      text += assert_that(numbers.at_most(numbers.value(0), time(c, v)));
      text += assert_that(numbers.at_most(time(c, v), numbers.value(S + 1)));
      const bool wanted = std::ranges::binary_search(chunks[c].goals, v);
      if (wanted) text += assert_that(numbers.at_most(time(c, v), numbers.value(S)));
      if (chunks[c].sources.front() == v) {
        text += assert_that(fmt::format("(= {} {})", time(c, v), numbers.value(0)));
        continue;
      }
      std::vector<std::string> senders;
      for (const std::size_t a : instance.in[v]) {
        const Rank u = instance.arcs[a].from;
        senders.push_back(one_if(snd(c, u, v)));
        text += assert_that(
            fmt::format("(=> {} {})", snd(c, u, v), numbers.less(time(c, u), time(c, v))));
      }
      text += assert_that(fmt::format("(=> {} (= {} {}))",
                                      numbers.at_most(time(c, v), numbers.value(S)),
                                      numbers.sum(senders), numbers.value(1)));
    }
  }
  const auto bounded = [&](const std::vector<std::size_t>& arcs, std::uint64_t capacity) {
    for (std::uint64_t s = 1; s <= S; ++s) {
      std::vector<std::string> load;
      for (const std::size_t a : arcs) {
        const Arc& arc = instance.arcs[a];
        for (std::size_t c = 0; c < chunks.size(); ++c) {
          load.push_back(one_if(fmt::format("(and {} (= {} {}))", snd(c, arc.from, arc.to),
                                            time(c, arc.to), numbers.value(s))));
        }
      }
      text +=
          assert_that(numbers.at_most(numbers.sum(load), numbers.times(capacity, rounds[s - 1])));
    }
  };
  for (std::size_t a = 0; a < instance.arcs.size(); ++a)
    bounded({a}, instance.arcs[a].capacity.value());
  for (Rank v = 0; v < instance.nodes && instance.ports; ++v) {
    bounded(instance.out[v], instance.ports->send);
    bounded(instance.in[v], instance.ports->receive);
  }
  return text;
}

/// "at most, at least, exactly `k` of them".
std::string counted(std::string_view how, std::uint64_t k, const std::vector<std::string>& terms) {
  if (terms.empty()) return how == "at-least" && k > 0 ? "false" : "true";
  return fmt::format("((_ {} {}) {})", how, k, schedcc::join(terms, " "));
}

/// Capacity times rounds: `load` of the terms, and a capacity for each further round not taken.
std::string bounded(std::uint64_t capacity, const std::vector<std::string>& load,
                    const std::vector<std::string>& more) {
  if (load.empty()) return "true";
  std::string weights, terms;
  for (const std::string& term : load) {
    weights += " 1";
    terms += " " + term;
  }
  for (const std::string& term : more) {
    weights += fmt::format(" {}", capacity);
    terms += fmt::format(" (not {})", term);
  }
  return fmt::format("((_ pble {}{}){})", capacity * (more.size() + 1), weights, terms);
}

}  // namespace

std::string integers(const Question& asked) { return arithmetic(asked, {false}); }
std::string bit_vectors(const Question& asked) { return arithmetic(asked, {true}); }

std::string pseudo_boolean(const Question& asked) {
  const Instance instance = make_instance(asked);
  const std::vector<Delivery> chunks = deliveries(asked.problem);
  const std::uint64_t S = asked.steps, extra = asked.rounds.value_or(S) - S;
  std::string text;
  std::vector<std::vector<std::string>> more(S);
  std::vector<std::string> all;
  for (std::uint64_t s = 0; s < S; ++s) {
    for (std::uint64_t j = 0; j < extra; ++j) {
      more[s].push_back(fmt::format("more_{}_{}", s, j));
      text += declare(more[s].back(), "Bool");
      all.push_back(more[s].back());
    }
  }
  if (extra > 0) text += assert_that(counted("at-most", extra, all));
  // at(c, v, s): v holds c after s steps, and not before; at(c, v, S + 1): never.
  std::vector<std::vector<std::vector<std::string>>> load(
      S + 1, std::vector<std::vector<std::string>>(instance.arcs.size()));
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (Rank v = 0; v < instance.nodes; ++v) {
      std::vector<std::string> times;
      for (std::uint64_t s = 0; s <= S + 1; ++s) {
        times.push_back(at(c, v, s));
        text += declare(times.back(), "Bool");
      }
      text +=
          assert_that(counted("at-most", 1, times)) + assert_that(counted("at-least", 1, times));
      const bool source = chunks[c].starts_at(v);
      text += assert_that(source ? times[0] : fmt::format("(not {})", times[0]));
      if (chunks[c].wanted_by(v)) text += assert_that(fmt::format("(not {})", times[S + 1]));
    }
    for (Rank v = 0; v < instance.nodes; ++v) {
      for (std::uint64_t s = 1; s <= S && !chunks[c].starts_at(v); ++s) {
        std::vector<std::string> senders;
        for (const std::size_t a : instance.in[v]) {
          const Rank u = instance.arcs[a].from;
          const std::string send = fmt::format("{}_{}", snd(c, u, v), s);
          text += declare(send, "Bool");
          std::vector<std::string> before;
          for (std::uint64_t r = 0; r < s; ++r) before.push_back(at(c, u, r));
          text += assert_that(fmt::format("(=> {} (or {}))", send, schedcc::join(before, " ")));
          text += assert_that(fmt::format("(=> {} {})", send, at(c, v, s)));
          senders.push_back(send);
          load[s][a].push_back(send);
        }
        text +=
            assert_that(fmt::format("(=> {} {})", at(c, v, s), counted("at-least", 1, senders)));
        text += assert_that(counted("at-most", 1, senders));
      }
    }
  }
  for (std::uint64_t s = 1; s <= S; ++s) {
    const auto together = [&](const std::vector<std::size_t>& arcs) {
      std::vector<std::string> result;
      for (const std::size_t a : arcs) {
        result.insert(result.end(), load[s][a].begin(), load[s][a].end());
      }
      return result;
    };
    for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
      text += assert_that(bounded(instance.arcs[a].capacity.value(), load[s][a], more[s - 1]));
    }
    for (Rank v = 0; v < instance.nodes && instance.ports; ++v) {
      text += assert_that(bounded(instance.ports->send, together(instance.out[v]), {}));
      text += assert_that(bounded(instance.ports->receive, together(instance.in[v]), {}));
    }
  }
  return text;
}

}  // namespace encodings
