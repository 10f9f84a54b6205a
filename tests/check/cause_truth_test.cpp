// What findings say of sums is true, and what they recommend repairs: on schedules of every
// algorithm and of compositions with a transfer omitted or sent to another rank, on their mutants,
// and on random schedules.
//
// The oracle plays a schedule step by step; what is received in a step can be sent in the next.

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check_findings.hpp"
#include "random_plans.hpp"
#include "schedcc/explain.hpp"
#include "simulator/collectives.hpp"

using namespace agreement;

namespace {

/// A rank that ends without a chunk or with a wrong one, or a transfer of a chunk that its source
/// does not hold.
struct Fault {
  std::optional<std::uint64_t> step;  ///< of a transfer
  Rank src = 0, dst = 0;
  Chunk chunk = 0;
  friend auto operator<=>(const Fault&, const Fault&) = default;
};

class NaiveReplay {
 public:
  explicit NaiveReplay(const naive::Plan& plan) : problem_(plan.problem) {
    for_each_goal([&](Rank r, Chunk c) {
      if (naive::starts(problem_, r, c))
        state_[{r, c}] = naive::is_reduction(problem_, c) ? naive::Value{r} : naive::Value{};
    });
    for (std::size_t i = 0; i < plan.sent.size();) {
      const auto before = state_;
      const std::uint64_t step = plan.sent[i].step;
      for (; i < plan.sent.size() && plan.sent[i].step == step; ++i) {
        const Transfer& t = plan.sent[i].transfer;
        for (Chunk c = t.first; c < t.first + t.count; ++c) arrive(before, step, t, c);
      }
    }
    for_each_goal([&](Rank r, Chunk c) {
      if (!right(r, c)) faults.insert({std::nullopt, r, r, c});
    });
  }

  bool right(Rank r, Chunk c) const {
    if (!naive::wanted(problem_, r, c)) return true;
    const auto held = state_.find({r, c});
    return held != state_.end() && held->second == naive::goal(problem_, r, c);
  }

  /// How often a contribution is in the final value of a rank.
  std::size_t times(Rank contributor, Rank r, Chunk c) const {
    const auto held = state_.find({r, c});
    return held == state_.end() ? 0 : held->second.count(contributor);
  }

  std::multiset<Fault> faults;

 private:
  using State = std::map<std::pair<Rank, Chunk>, naive::Value>;

  template <typename F>
  void for_each_goal(F f) const {
    for (Rank r = 0; r < problem_.ranks; ++r) {
      for (Chunk c = 0; c < naive::total_chunks(problem_); ++c) f(r, c);
    }
  }

  void arrive(const State& before, std::uint64_t step, const Transfer& t, Chunk c) {
    const auto held = before.find({t.src, c});
    if (held == before.end()) {
      faults.insert({step, t.src, t.dst, c});
      return;
    }
    naive::Value& value = state_[{t.dst, c}];
    if (t.reduce == 0) value.clear();
    value.insert(held->second.begin(), held->second.end());
  }

  Problem problem_;
  State state_;
};

/// "0-2, 5".
std::vector<Rank> listed(const std::string& text) {
  static const std::regex interval(R"((\d+)(-(\d+))?)");
  std::vector<Rank> result;
  for (std::sregex_iterator at(text.begin(), text.end(), interval), end; at != end; ++at) {
    const auto first = static_cast<Rank>(std::stoul((*at)[1]));
    const auto last = (*at)[3].matched ? static_cast<Rank>(std::stoul((*at)[3])) : first;
    for (Rank r = first; r <= last; ++r) result.push_back(r);
  }
  return result;
}

/// What a finding says of contributions; how often each kind of statement was made.
class Statements {
 public:
  /// Empty if it is true.
  std::string untrue(const NaiveReplay& played, const Problem& problem, const Finding& f) {
    static const std::regex statement(
        "the contribution of ranks? ([0-9, -]+) (is missing|is counted twice|does not belong)");
    std::smatch found;
    if (!std::regex_search(f.message, found, statement)) return {};
    const auto rank = static_cast<Rank>(*f.rank);
    const auto chunk = static_cast<Chunk>(*f.chunk);
    const naive::Value goal = naive::goal(problem, rank, chunk);
    const std::string kind = found[2];
    ++made[kind];
    const std::vector<Rank> ranks = listed(found[1]);
    if (ranks.empty()) return "# of no rank: " + f.message + "\n";
    for (const Rank r : ranks) {
      const std::size_t times = played.times(r, rank, chunk);
      const bool wanted = goal.count(r) > 0;
      const bool is = kind == "is missing"         ? wanted && times == 0
                      : kind == "is counted twice" ? times > 1
                                                   : !wanted && times > 0;
      if (!is) return "# untrue of rank " + std::to_string(r) + ": " + f.message + "\n";
    }
    return {};
  }
  std::map<std::string, int> made;
};

/// Whole schedules: of every algorithm, and compositions.
std::vector<naive::Plan> whole_plans(std::size_t max_transfers) {
  std::vector<naive::Plan> result;
  const auto add = [&](const naive::Plan& plan) {
    if (!plan.sent.empty() && plan.sent.size() <= max_transfers) result.push_back(plan);
  };
  for (const Rank ranks : {3, 4, 5, 8}) {
    for (const std::uint32_t chunks : {1, 2}) {
      for_each_standard_case(ranks, chunks, [&](const Case& c) {
        if (!c.algorithm->hops && !c.request.machine.timing()) add(plan(c));
      });
    }
    const Problem problem{Collective::allreduce, ranks, 0, ranks, false, nullptr};
    for (const char* text :
         {"chain then chain", "binomial-tree then binomial-tree", "binomial-tree then chain",
          "ring as reduce-scatter then ring as allgather",
          "circulant as reduce-scatter then circulant as allgather"}) {
      const auto steps = from_algorithm(text, problem, "duplex").open();
      add({problem, sent(*steps), 0});
    }
  }
  return result;
}

/// Counts failures and prints the first.
class Failures {
 public:
  void add(const naive::Plan& plan, const std::string& mismatch) {
    ++tried;
    if (mismatch.empty()) return;
    if (++count <= 5) FAIL_CHECK(text(plan, "duplex") << mismatch);
  }
  int tried = 0, count = 0;
};

bool names(const FindingCause& cause, const Sent& sent, Chunk chunk) {
  const Transfer& t = sent.transfer;
  return cause.step == sent.step && cause.src == t.src && cause.dst == t.dst && chunk >= t.first &&
         chunk - t.first < t.count;
}

/// A finding that recommends another destination for a transfer: empty if that repairs something
/// and breaks nothing.
std::string bad_advice(const naive::Plan& plan, const NaiveReplay& played, const Finding& f) {
  const auto chunk = static_cast<Chunk>(*f.chunk);
  for (std::size_t i = 0; i < plan.sent.size(); ++i) {
    if (!names(*f.cause, plan.sent[i], chunk)) continue;
    const NaiveReplay then(with_one_sent_to(plan, i, chunk, static_cast<Rank>(*f.cause->rank)));
    if (then.faults.size() < played.faults.size() &&
        std::ranges::includes(played.faults, then.faults))
      return {};
  }
  return "# bad advice: " + f.message + "\n";
}

bool advises(const Finding& f) {
  return f.message.find(" would, if its destination were that rank") != std::string::npos;
}

}  // namespace

TEST_CASE("contributions reported as missing, counted twice or not wanted are so", "[provenance]") {
  Random random(31);
  Failures failures;
  Statements statements;
  const auto trial = [&](const naive::Plan& plan) {
    CheckOptions shape;
    shape.checks = {"shape"};
    if (!check(source_of(plan), make_machine("duplex", plan.problem.ranks), shape).findings.empty())
      return;
    const NaiveReplay played(plan);
    std::string mismatch;
    for (const Finding& f : findings(plan)) mismatch += statements.untrue(played, plan.problem, f);
    const ExplainRequest asked{random.below(plan.problem.ranks),
                               random.below(naive::total_chunks(plan.problem))};
    const Explanation e =
        explain(source_of(plan), make_machine("duplex", plan.problem.ranks), asked);
    for (const Finding& f : e.causes) {
      if (f.rank) mismatch += statements.untrue(played, plan.problem, f);
    }
    failures.add(plan, mismatch);
  };
  for (const naive::Plan& whole : whole_plans(60)) {
    if (!whole.problem.reduction()) continue;
    for (int i = 0; i < ranges::part(15, 40); ++i) trial(mutant(whole, random));
  }
  for (int i = 0; i < ranges::part(4000, 10000); ++i) {
    const naive::Plan plan = some_plan(random, i % 4 != 0);
    if (plan.problem.reduction()) trial(plan);
  }
  CHECK(failures.count == 0);
  CHECK(failures.tried > 2000);
  for (const char* kind : {"is missing", "is counted twice", "does not belong"})
    CHECK(statements.made[kind] > 200);
}

TEST_CASE("of an omitted transfer no finding recommends another that does not repair",
          "[provenance]") {
  Failures failures;
  for (const naive::Plan& whole : whole_plans(60)) {
    for (std::size_t i = 0; i < whole.sent.size(); ++i) {
      naive::Plan plan = whole;
      plan.sent.erase(plan.sent.begin() + static_cast<std::ptrdiff_t>(i));
      const NaiveReplay played(plan);
      std::string mismatch;
      for (const Finding& f : findings(plan)) {
        if (advises(f)) mismatch += bad_advice(plan, played, f);
      }
      failures.add(plan, mismatch);
    }
  }
  CHECK(failures.count == 0);
  CHECK(failures.tried > 2000);
}

TEST_CASE("the destination that is recommended for a transfer repairs and breaks nothing",
          "[provenance]") {
  Failures failures;
  int advised = 0;
  for (const naive::Plan& whole : whole_plans(40)) {
    for (std::size_t i = 0; i < whole.sent.size(); ++i) {
      for (Rank to = 0; to < whole.problem.ranks; ++to) {
        const Transfer& t = whole.sent[i].transfer;
        if (to == t.src || to == t.dst) continue;
        naive::Plan plan = whole;
        plan.sent[i].transfer.dst = to;
        const NaiveReplay played(plan);
        std::string mismatch;
        for (const Finding& f : findings(plan)) {
          if (!advises(f)) continue;
          ++advised;
          mismatch += bad_advice(plan, played, f);
        }
        failures.add(plan, mismatch);
      }
    }
  }
  CHECK(failures.count == 0);
  CHECK(advised > 1000);
}

TEST_CASE("of a contribution that is counted twice the cause and the meeting are transfers of it",
          "[provenance]") {
  Random random(32);
  int found = 0;
  for (const naive::Plan& whole : whole_plans(60)) {
    if (!whole.problem.reduction()) continue;
    for (int i = 0; i < 10; ++i) {
      const std::size_t at = random.below(whole.sent.size());
      naive::Plan plan = whole;
      plan.sent.push_back({plan.sent[at].step + 1, plan.sent[at].transfer});
      sort_by_step(plan);
      for (const Finding& f : findings(plan)) {
        CHECK((f.cause->meets.has_value() == (f.cause->kind == "twice")));
        if (!f.cause->meets) continue;
        ++found;
        const TransferLocation& meets = *f.cause->meets;
        INFO(text(plan, "duplex") << f.message);
        // The finding is at one of the two.
        const bool at_meeting = f.step == meets.step && f.src == meets.src && f.dst == meets.dst;
        const bool at_cause =
            f.step == f.cause->step && f.src == f.cause->src && f.dst == f.cause->dst;
        CHECK((at_meeting || at_cause));
        const std::string cited = std::to_string(meets.src) + " -> " + std::to_string(meets.dst) +
                                  " (step " + std::to_string(meets.step) + ",";
        CHECK(f.message.find(cited) != std::string::npos);
      }
    }
  }
  CHECK(found > 100);
}
