// What findings say of the chunk that they name is true of it, if one transfer, or a missing one,
// is the cause of errors of several chunks; and what a check finds does not depend on the others
// that are made. Tested on random messages of several chunks.
//
// The oracle plays a schedule step by step.

#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"
#include "simulator/collectives.hpp"

using namespace agreement;

namespace {

/// A schedule whose messages have several chunks, with one line for each message.
struct Messages {
  naive::Plan plan;
  Source source;
};

Messages some_messages(Random& random) {
  Messages result{{some_problem(random), {}, 0}, {}};
  naive::Plan& plan = result.plan;
  if (plan.problem.collective != Collective::custom) plan.problem.ranks = 2 + random.below(4);
  if (info(plan.problem.collective).rooted) plan.problem.root = random.below(plan.problem.ranks);
  auto schedule = std::make_shared<Schedule>();
  const std::uint32_t steps = 1 + random.below(4);
  std::uint32_t line = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    schedule->begin_step(step);
    for (std::uint32_t i = 1 + random.below(4); i > 0; --i) {
      Transfer t = some_transfer(plan, random);
      if (t.src == t.dst) continue;
      ++line;
      for (std::uint64_t c = t.first; c < plan.problem.total_chunks(); c += 1 + random.below(3)) {
        t.first = static_cast<Chunk>(c);
        t.count = 1;
        schedule->add(t, line);
        plan.sent.push_back({step, t});
      }
    }
  }
  result.source = source_of(plan);
  result.source.open = [schedule] { return stream(std::shared_ptr<const Schedule>(schedule)); };
  return result;
}

/// Who holds a chunk, and which transfers bring it.
class Play {
 public:
  Play(const naive::Plan& plan, Chunk chunk) {
    for (Rank r = 0; r < plan.problem.ranks; ++r) {
      if (naive::starts(plan.problem, r, chunk)) start_.insert(r);
    }
    std::set<Rank> held = start_;
    for (auto sent = plan.sent.begin(); sent != plan.sent.end();) {
      const std::set<Rank> before = held;
      for (const auto step = sent->step; sent != plan.sent.end() && sent->step == step; ++sent) {
        const Transfer& t = sent->transfer;
        const bool malformed = t.reduce != 0 && !naive::is_reduction(plan.problem, chunk);
        if (t.first != chunk || malformed) continue;
        const bool brings = before.contains(t.src);
        if (brings) held.insert(t.dst);
        carries_[{step, t.src, t.dst}] = brings;
      }
    }
  }

  bool starts(Rank rank) const { return start_.contains(rank); }
  /// Does a transfer carry the chunk? Does it bring it, as its source holds it?
  bool names(std::uint64_t step, Rank src, Rank dst) const {
    return carries_.contains({step, src, dst});
  }
  bool brings(std::uint64_t step, Rank src, Rank dst) const {
    return names(step, src, dst) && carries_.at({step, src, dst});
  }

 private:
  std::set<Rank> start_;
  std::map<std::tuple<std::uint64_t, Rank, Rank>, bool> carries_;
};

Rank rank_of(const std::ssub_match& text) { return static_cast<Rank>(std::stoul(text)); }

/// The kinds of statements, and how often each was found.
using Counts = std::map<std::string, int>;

/// A statement about the named chunk: what it looks like, and whether it is true.
struct Statement {
  const char* kind;
  std::regex form;
  bool (*is_true)(const Play&, const std::smatch&);
};

const std::vector<Statement>& statements() {
  static const std::vector<Statement> result{
      {"starts", std::regex(R"(rank (\d+) starts with it)"),
       [](const Play& play, const std::smatch& m) { return play.starts(rank_of(m[1])); }},
      {"last", std::regex(R"(receive it is rank \d+, by (\d+) -> (\d+) \(step (\d+))"),
       [](const Play& play, const std::smatch& m) {
         return play.brings(rank_of(m[3]), rank_of(m[1]), rank_of(m[2]));
       }},
      {"due", std::regex(R"((\d+) -> (\d+) \(step (\d+), line \d+\) should bring it)"),
       [](const Play& play, const std::smatch& m) {
         const Rank step = rank_of(m[3]), src = rank_of(m[1]), dst = rank_of(m[2]);
         return play.names(step, src, dst) && !play.brings(step, src, dst);
       }}};
  return result;
}

/// The statements of a finding that are not true of the chunk that it names.
std::string untrue(const Finding& f, const naive::Plan& plan, Counts& made) {
  const Play play(plan, static_cast<Chunk>(*f.chunk));
  std::string result;
  for (const Statement& statement : statements()) {
    std::smatch match;
    if (!std::regex_search(f.message, match, statement.form)) continue;
    ++made[statement.kind];
    if (!statement.is_true(play, match)) result += statement.kind + std::string(" ");
  }
  return result;
}

std::vector<Finding> findings_of(const Messages& messages, std::vector<std::string> checks) {
  CheckOptions options;
  options.checks = std::move(checks);
  options.max_findings = 1000;
  return check(messages.source, make_machine("kport:k=4", messages.plan.problem.ranks), options)
      .findings;
}

/// All that a finding says.
std::string all_said(const Finding& f) {
  std::string result = std::string(f.check) + " " + std::to_string(f.line) + " " + f.message;
  for (const auto& field : {f.step, f.rank, f.src, f.dst, f.chunk})
    result += field ? " " + std::to_string(*field) : " -";
  if (!f.cause) return result;
  result += " " + std::string(f.cause->kind);
  for (const auto count : {f.cause->chunks, f.cause->ranks, f.cause->transfers})
    result += " " + std::to_string(count);
  return result;
}

}  // namespace

TEST_CASE("findings say what is true of the chunk that they name", "[provenance]") {
  Random random(61);
  Counts made;
  for (int i = 0; i < ranges::part(3000, 30000); ++i) {
    const Messages messages = some_messages(random);
    for (const Finding& f : findings_of(messages, {"causality", "delivery"})) {
      INFO(f.line << ": " << f.message);
      CHECK(untrue(f, messages.plan, made).empty());
    }
  }
  for (const char* kind : {"starts", "last", "due"}) CHECK(made[kind] > 100);
}

TEST_CASE("what a check finds does not depend on the other checks", "[provenance]") {
  const std::vector<std::string> checks{"shape", "causality", "delivery", "redundancy",
                                        "agreement"};
  Random random(62);
  std::size_t compared = 0;
  for (int i = 0; i < ranges::part(1000, 10000); ++i) {
    const Messages messages = some_messages(random);
    const std::vector<Finding> all = findings_of(messages, checks);
    for (const std::string& check : checks) {
      std::vector<std::string> alone, among;
      for (const Finding& f : findings_of(messages, {check})) alone.push_back(all_said(f));
      for (const Finding& f : all) {
        if (f.check == check) among.push_back(all_said(f));
      }
      CHECK(alone == among);
      compared += alone.size();
    }
  }
  CHECK(compared > 1000);
}
