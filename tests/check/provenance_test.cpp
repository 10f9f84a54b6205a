// A finding names a transfer that causes it. Tested on schedules of every algorithm with one or two
// transfers omitted, duplicated, sent to another rank, or changed from a reduction to a copy.
//
// The oracle executes a schedule step by step and counts its errors: goals that are not met, and
// chunks that are sent by ranks that do not hold them. A transfer is a possible cause if there are
// fewer errors when it is omitted, when it is changed from a copy to a reduction or vice versa, or
// when one of its chunks is sent to another rank.

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check_findings.hpp"
#include "random_plans.hpp"
#include "simulator/errors.hpp"

using namespace agreement;

namespace {

/// A transfer: its step and its ends.
using Name = std::tuple<std::uint64_t, Rank, Rank>;

Name name_of(const Sent& s) { return {s.step, s.transfer.src, s.transfer.dst}; }

std::size_t wrong(const naive::Plan& plan) {
  return naive::ErrorCounter(plan.problem).count(plan.sent);
}

/// The possible causes of the errors of a plan.
std::set<Name> possible_causes(const naive::Plan& plan) {
  std::set<Name> result;
  const naive::ErrorCounter errors(plan.problem);
  const std::size_t now = errors.count(plan.sent);
  for (std::size_t i = 0; i < plan.sent.size(); ++i) {
    const auto better = [&](const naive::Plan& changed) {
      return errors.count(changed.sent) < now;
    };
    naive::Plan changed = plan;
    changed.sent.erase(changed.sent.begin() + static_cast<std::ptrdiff_t>(i));
    bool causes = better(changed);
    changed = plan;
    changed.sent[i].transfer.reduce ^= 1;
    causes = causes || (plan.problem.reduction() && better(changed));
    const Transfer t = plan.sent[i].transfer;
    for (Rank r = 0; r < plan.problem.ranks; ++r) {
      for (Chunk c = t.first; c < t.first + t.count && r != t.src && !causes; ++c) {
        causes = better(with_one_sent_to(plan, i, c, r));
      }
    }
    if (causes) result.insert(name_of(plan.sent[i]));
  }
  return result;
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// The transfers that a finding names: its own and those in its message.
std::set<Name> named(const Finding& f) {
  std::set<Name> result;
  if (f.step && f.src && f.dst) {
    result.insert({*f.step, static_cast<Rank>(*f.src), static_cast<Rank>(*f.dst)});
  }
  const std::string& text = f.message;
  for (std::size_t arrow = 0; (arrow = text.find(" -> ", arrow)) != std::string::npos; ++arrow) {
    std::size_t first = arrow;
    while (first > 0 && is_digit(text[first - 1])) --first;
    unsigned src = 0, dst = 0;
    unsigned long step = 0;
    if (std::sscanf(&text[first], "%u -> %u (step %lu", &src, &dst, &step) == 3)
      result.insert({step, src, dst});
  }
  return result;
}

/// Does a message name the rank?
bool names(const std::string& message, Rank rank) {
  const std::string name = "rank " + std::to_string(rank);
  for (std::size_t at = 0; (at = message.find(name, at)) != std::string::npos; ++at) {
    const std::size_t end = at + name.size();
    if (end == message.size() || !is_digit(message[end])) return true;
  }
  return false;
}

bool meet(const std::set<Name>& a, const std::set<Name>& b) {
  return std::ranges::any_of(a, [&](const Name& name) { return b.count(name) != 0; });
}

/// Do two copies of a chunk arrive at once? The check `shape` names them, and which of the two the
/// rank then has is not defined.
bool copies_meet(const naive::Plan& plan) { return !findings(plan, "duplex", {"shape"}).empty(); }

std::string all(const std::vector<Finding>& found) {
  std::string text;
  for (const Finding& f : found) text += "# " + f.message + "\n";
  return text;
}

/// A schedule of every algorithm for each of its collectives, at endpoint level and with few
/// transfers: with its default parameters, on the first machine that has no clock. The time of the
/// test is proportional to the number of schedules (with sanitizers it is long), so they are few,
/// and all are tested.
const std::vector<naive::Plan>& correct_plans() {
  static const std::vector<naive::Plan> all = [] {
    std::vector<naive::Plan> result;
    for (const Rank ranks : {3, 4, 8}) {
      for (const std::uint32_t chunks : {1, 2}) {
        for_each_standard_case(ranks, chunks, [&](const Case& c) {
          if (c.algorithm->hops || c.request.machine.timing()) return;
          const naive::Plan whole = plan(c);
          if (!whole.sent.empty() && whole.sent.size() <= 60) result.push_back(whole);
        });
      }
    }
    return result;
  }();
  return all;
}

enum class Defect { dropped, doubled, redirected, copied };

/// Makes the fault; returns false if it cannot be made at this transfer.
bool make_defect(naive::Plan& plan, std::size_t i, Defect fault, Random& random) {
  Sent& at = plan.sent[i];
  switch (fault) {
    case Defect::dropped:
      drop(plan, i, random);
      return true;
    case Defect::doubled: {
      Sent again = at;
      ++again.step;
      plan.sent.push_back(again);
      sort_by_step(plan);
      return true;
    }
    case Defect::redirected: {
      const Rank to = random.below(plan.problem.ranks);
      if (to == at.transfer.src || to == at.transfer.dst) return false;
      at.transfer.dst = to;
      return true;
    }
    case Defect::copied:
      if (at.transfer.reduce == 0) return false;
      at.transfer.reduce = 0;
      return true;
  }
  return false;
}

/// Calls `trial` with all correct plans. It returns nullopt if the plan is not suitable, else a
/// description of the error, which is empty if there is none. More than `least` plans must be
/// suitable.
template <typename Trial>
void try_plans(std::uint64_t seed, int least, const Trial& trial) {
  Random random(seed);
  int tried = 0, failures = 0;
  for (const naive::Plan& base : correct_plans()) {
    const std::optional<std::string> mismatch = trial(base, random);
    if (!mismatch) continue;
    ++tried;
    if (!mismatch->empty() && ++failures <= 5) FAIL_CHECK(*mismatch);
  }
  CHECK(failures == 0);
  CHECK(tried > least);
}

}  // namespace

TEST_CASE("a finding names a possible cause", "[provenance]") {
  for (const Defect fault : {Defect::doubled, Defect::redirected, Defect::copied}) {
    try_plans(11, 20, [&](naive::Plan plan, Random& random) -> std::optional<std::string> {
      if (!make_defect(plan, random.below(plan.sent.size()), fault, random)) return std::nullopt;
      if (copies_meet(plan)) return std::nullopt;
      const std::vector<Finding> found = findings(plan);
      if (found.empty()) return std::nullopt;
      const std::set<Name> causes = possible_causes(plan);
      if (causes.empty()) return std::nullopt;
      std::string mismatch;
      for (const Finding& f : found) {
        if (!meet(named(f), causes)) mismatch += "# not a possible cause: " + f.message + "\n";
      }
      return mismatch.empty() ? "" : text(plan, "duplex") + mismatch + all(found);
    });
  }
}

TEST_CASE("the only possible cause is the cause of a finding", "[provenance]") {
  for (const Defect fault : {Defect::doubled, Defect::redirected, Defect::copied}) {
    try_plans(15, 10, [&](naive::Plan plan, Random& random) -> std::optional<std::string> {
      if (!make_defect(plan, random.below(plan.sent.size()), fault, random)) return std::nullopt;
      const std::vector<Finding> found = findings(plan);
      const std::set<Name> causes = possible_causes(plan);
      if (found.empty() || causes.size() != 1) return std::nullopt;
      const bool caused = std::ranges::any_of(found, [&](const Finding& f) {
        const auto& c = f.cause;
        return c && c->step &&
               causes.contains({*c->step, static_cast<Rank>(*c->src), static_cast<Rank>(*c->dst)});
      });
      return caused ? "" : text(plan, "duplex") + all(found);
    });
  }
}

TEST_CASE(
    "the errors that an omitted transfer causes have a location, if its chunks are sent at all",
    "[provenance]") {
  try_plans(16, 20, [](naive::Plan plan, Random& random) -> std::optional<std::string> {
    make_defect(plan, random.below(plan.sent.size()), Defect::dropped, random);
    const std::vector<Finding> found = findings(plan);
    if (found.empty()) return std::nullopt;
    for (const Finding& f : found) {
      const bool sent = std::ranges::any_of(plan.sent, [&](const Sent& s) {
        const Transfer& t = s.transfer;
        return *f.chunk >= t.first && *f.chunk - t.first < t.count;
      });
      if (sent && f.line == 0) return text(plan, "duplex") + all(found);
      if (!f.cause) return "# no cause\n" + all(found);
    }
    return "";
  });
}

TEST_CASE("the errors that one transfer of a scan causes are traced to it", "[provenance]") {
  std::map<Collective, int> broken;
  int failures = 0;
  // Of two transfers with the same ends it may be either that should go elsewhere.
  const auto trial = [&](const naive::Plan& plan, std::size_t line) {
    const Transfer& t = plan.sent[line - 1].transfer;
    const auto named_alike = [&](const Finding& f) {
      return std::ranges::any_of(named(f), [&](const Name& name) {
        return std::get<1>(name) == t.src && std::get<2>(name) == t.dst;
      });
    };
    if (copies_meet(plan)) return;
    const std::vector<Finding> found = findings(plan);
    if (found.empty()) return;
    ++broken[plan.problem.collective];
    const bool traced = std::ranges::all_of(
        found, [&](const Finding& f) { return f.line == line || named_alike(f); });
    if (traced || ++failures > 5) return;
    FAIL_CHECK(text(plan, "duplex") << "# line " << line << "\n" << all(found));
  };
  for (Rank ranks = 2; ranks <= 6; ++ranks) {
    for (const std::uint32_t chunks : {1, 3}) {
      for_each_standard_case(ranks, chunks, [&](const Case& c) {
        const Collective collective = c.request.problem.collective;
        if (collective != Collective::scan && collective != Collective::exscan) return;
        const naive::Plan base = plan(c);
        for (std::size_t i = 0; i < base.sent.size(); ++i) {
          for (Rank to = 0; to < ranks; ++to) {
            const Transfer& t = base.sent[i].transfer;
            if (to == t.src || to == t.dst) continue;
            naive::Plan plan = base;
            plan.sent[i].transfer.dst = to;
            trial(plan, i + 1);
          }
          if (base.sent[i].transfer.reduce == 0) continue;
          naive::Plan plan = base;
          plan.sent[i].transfer.reduce = 0;
          trial(plan, i + 1);
        }
      });
    }
  }
  CHECK(failures == 0);
  CHECK(broken[Collective::scan] > 100);
  CHECK(broken[Collective::exscan] > 100);
}

TEST_CASE("the errors that an omitted transfer causes are traced to its ends", "[provenance]") {
  try_plans(12, 20, [](naive::Plan plan, Random& random) -> std::optional<std::string> {
    const std::size_t i = random.below(plan.sent.size());
    const Transfer removed = plan.sent[i].transfer;
    make_defect(plan, i, Defect::dropped, random);
    const std::vector<Finding> found = findings(plan);
    if (found.empty()) return std::nullopt;
    const bool ends = std::ranges::any_of(found, [&](const Finding& f) {
      return names(f.message, removed.src) || names(f.message, removed.dst);
    });
    if (ends) return "";
    return text(plan, "duplex") + "# omitted: " + std::to_string(removed.src) + " -> " +
           std::to_string(removed.dst) + "\n" + all(found);
  });
}

TEST_CASE("two independent faults are both named", "[provenance]") {
  try_plans(13, 10, [](const naive::Plan& base, Random& random) -> std::optional<std::string> {
    std::vector<std::set<Name>> causes;
    std::vector<Transfer> changed_transfers;
    naive::Plan both = base;
    for (int n = 0; n < 2; ++n) {
      const std::size_t i = random.below(base.sent.size());
      const Defect fault = random.one_in(2) ? Defect::doubled : Defect::copied;
      naive::Plan one = base;
      if (!make_defect(one, i, fault, random)) return std::nullopt;
      const Transfer t = base.sent[i].transfer;
      // Independent: of other chunks.
      if (n == 1 && t.first < changed_transfers[0].first + changed_transfers[0].count &&
          changed_transfers[0].first < t.first + t.count)
        return std::nullopt;
      if (wrong(one) == 0) return std::nullopt;
      causes.push_back(possible_causes(one));
      if (causes.back().empty()) return std::nullopt;
      changed_transfers.push_back(t);
      const auto same = std::ranges::find_if(
          both.sent, [&](const Sent& s) { return s.step == base.sent[i].step && s.transfer == t; });
      make_defect(both, static_cast<std::size_t>(same - both.sent.begin()), fault, random);
    }
    const std::vector<Finding> found = findings(both);
    const bool hit = std::ranges::all_of(causes, [&](const std::set<Name>& names) {
      return std::ranges::any_of(found, [&](const Finding& f) { return meet(named(f), names); });
    });
    return hit ? "" : text(both, "duplex") + all(found);
  });
}

TEST_CASE("on routed machines transfers are named, not their hops", "[provenance]") {
  try_plans(14, 5, [](naive::Plan plan, Random& random) -> std::optional<std::string> {
    if (!power_of_two(plan.problem.ranks)) return std::nullopt;
    for (Sent& s : plan.sent) s.step *= 8;  // no route over 8 ranks takes longer
    const Defect fault = random.one_in(2) ? Defect::doubled : Defect::dropped;
    make_defect(plan, random.below(plan.sent.size()), fault, random);
    for (std::size_t i = 1; i < plan.sent.size(); ++i) {
      if (plan.sent[i].step % 8 != 0) plan.sent[i].step += 7;  // the duplicate
    }
    sort_by_step(plan);
    // Packets of a chunk that meet in a router are another fault.
    if (!findings(plan, "fattree:cap=constant", {"shape"}).empty()) return std::nullopt;
    std::set<Name> names;
    for (const Sent& s : plan.sent) names.insert(name_of(s));
    const std::vector<Finding> on_duplex = findings(plan);
    const std::vector<Finding> routed = findings(plan, "fattree:cap=constant");
    bool same = on_duplex.size() == routed.size();
    for (const Finding& f : routed) same = same && std::ranges::includes(names, named(f));
    if (!same) return text(plan, "fattree:cap=constant") + all(on_duplex) + all(routed);
    return routed.empty() ? std::nullopt : std::optional<std::string>("");
  });
}

TEST_CASE("the errors that one transfer causes are one finding", "[provenance]") {
  for (const Rank ranks : {2, 5, 9}) {
    for (const std::uint32_t chunks : {1, 7}) {
      // All reduce to rank 0, the last by a copy, and rank 0 sends the result to all.
      naive::Plan plan{{Collective::allreduce, ranks, 0, chunks, false, nullptr}, {}, 0};
      for (Rank r = 1; r < ranks; ++r) {
        Transfer t = copy(r, 0, 0, chunks);
        t.reduce = r + 1 < ranks;
        plan.sent.push_back({r, t});
      }
      for (Rank r = 1; r < ranks; ++r) plan.sent.push_back({ranks + r, copy(0, r, 0, chunks)});
      const std::vector<Finding> found = findings(plan);
      REQUIRE(found.size() == 1);
      CHECK(found[0].line == ranks - 1);
      CHECK(found[0].step == ranks - 1);
      CHECK(found[0].src == ranks - 1);
      CHECK(found[0].dst == 0);
      const std::uint64_t more = std::uint64_t{ranks} * chunks - 1;
      const std::string count = "(and " + std::to_string(more) + " more chunk";
      CHECK(found[0].message.find(count) != std::string::npos);
    }
  }
}
