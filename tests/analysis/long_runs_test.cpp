// Schedules in which every chunk is divided into many, so that transfers are long: the checks must
// have the same results, with figures multiplied by the number of chunks, and their cost must
// depend on the length of the schedule, not on the numbers in it.

#include <algorithm>

#include "analysis/holdings.hpp"
#include "catch.hpp"
#include "model/runs.hpp"
#include "random_plans.hpp"

using namespace agreement;

namespace {

std::vector<Holding> scaled(std::span<const Holding> lines, std::uint32_t factor) {
  std::vector<Holding> result(lines.begin(), lines.end());
  for (Holding& line : result) {
    for (Run& run : line.runs) run = {run.first * factor, run.count * factor};
  }
  return result;
}

/// Every chunk is `factor` chunks. With `cuts` some transfers are cut into several.
naive::Plan scaled(const naive::Plan& plan, std::uint32_t factor, bool cuts, Random& random) {
  naive::Plan result = plan;
  result.problem.chunks *= factor;
  if (const auto& custom = plan.problem.custom) {
    result.problem.custom =
        std::make_shared<Custom>(scaled(custom->pre(), factor), scaled(custom->post(), factor));
  }
  result.sent.clear();
  for (Sent s : plan.sent) {
    std::uint32_t left = s.transfer.count * factor;
    s.transfer.first *= factor;
    while (cuts && random.one_in(3) && left > 1) {
      const std::uint32_t part =
          1 + random.below(random.one_in(2) ? std::min(left - 1, 9U) : left - 1);
      s.transfer.count = part & max_transfer_count;
      result.sent.push_back(s);
      s.transfer.first += part;
      left -= part;
    }
    s.transfer.count = left & max_transfer_count;
    result.sent.push_back(s);
  }
  return result;
}

/// The same machine, whose links carry `factor` times as many chunks.
std::string scaled_tree(Rank ranks, std::uint64_t factor) {
  std::string list = "fattree:cap=";
  list += std::to_string(factor);
  for (Rank n = 4, cap = 2; n <= ranks; n *= 2) {
    list += ',';
    list += std::to_string(factor * cap++);
  }
  return list;
}

template <typename T>
void compare(const std::string& what, T small, T large, std::uint64_t factor, std::string& result) {
  if (small * factor != large) {
    result += what + ": " + std::to_string(small) + " of one chunk each, " + std::to_string(large) +
              " of " + std::to_string(factor) + "\n";
  }
}

std::string difference(const Report& small, const Report& large, std::uint64_t factor) {
  std::string result;
  if (violated(small) != violated(large))
    result += join(violated(small)) + ", but " + join(violated(large)) + "\n";
  compare("steps", small.steps, large.steps, 1, result);
  compare("messages", small.messages, large.messages, 1, result);
  compare("volume", small.volume, large.volume, factor, result);
  compare("width", small.width, large.width, factor, result);
  compare("max_buffer", small.max_buffer.value_or(0), large.max_buffer.value_or(0), factor, result);
  REQUIRE(small.queues.size() == large.queues.size());
  for (std::size_t i = 0; i < small.queues.size(); ++i) {
    compare("up", small.queues[i].up, large.queues[i].up, factor, result);
    compare("down", small.queues[i].down, large.queues[i].down, factor, result);
  }
  const auto buffers = [](const Report& report) {
    return std::find_if(report.findings.begin(), report.findings.end(),
                        [](const Finding& f) { return f.check == "buffers"; });
  };
  const auto a = buffers(small), b = buffers(large);
  if (a != small.findings.end() && b != large.findings.end() && a->step != b->step)
    result += "another step in which a queue is too long\n";
  return result;
}

Report report(const naive::Plan& plan, const std::string& machine, naive::Options options,
              std::uint64_t factor) {
  if (options.max_buffer) *options.max_buffer *= factor;
  return check(source_of(plan), make_machine(machine, plan.problem.ranks),
               library_options(options));
}

void try_plan(const naive::Plan& plan, const std::string& machine,
              const std::string& scaled_machine, std::uint32_t factor, Random& random,
              int& failures) {
  naive::Options options;
  if (random.one_in(2)) options.max_buffer = random.below(3);
  const Report small = report(plan, machine, options, 1);
  // A transfer that is refused for one of its chunks has parts that are not.
  const bool cuts = violated(small).count("shape") == 0;
  const naive::Plan large = scaled(plan, factor, cuts, random);
  const std::string found =
      difference(small, report(large, scaled_machine, options, factor), factor);
  if (!found.empty() && ++failures <= 3) FAIL_CHECK(found << text(plan, machine));
}

}  // namespace

TEST_CASE("long transfers have the same verdicts as short ones") {
  Random random(21);
  int failures = 0;
  for (int run = 0; run < 240; ++run) {
    const naive::Plan plan = some_plan(random, run % 3 != 0);
    const std::uint32_t factor = std::vector{7U, 600U, 5000U, 40'000'000U}[run % 4];
    if (plan.problem.total_chunks() * factor > UINT32_MAX) continue;
    const Rank ranks = plan.problem.ranks;
    for (const std::string machine : {"duplex", "kport:k=2", "logp:L=3,o=1,g=1", "torus"})
      try_plan(plan, machine, machine, factor, random, failures);
    if (ranks < 2 || (ranks & (ranks - 1)) != 0) continue;
    const std::string tree = scaled_tree(ranks, 1), large_tree = scaled_tree(ranks, factor);
    try_plan(plan, tree, large_tree, factor, random, failures);
    const auto shape = naive::simulate(plan, naive::model("duplex", ranks)).violated;
    if (shape.count("shape") != 0) continue;
    try_plan(hops_of(plan, tree), tree, large_tree, factor, random, failures);
  }
  REQUIRE(failures == 0);
}

/// The number of ranks that lack a chunk at the end, if rank 5 has sent chunk 0 to rank 1.
std::uint64_t short_ranks(const CollectiveInfo& c, Rank ranks) {
  Problem problem{c.collective, ranks, c.rooted ? Rank{5} : Rank{0}, 1, false, nullptr};
  Transfer t = copy(5, 1, 0);
  t.reduce = c.reduction;
  const Transfers transfers{t};
  Step step;
  step.transfers = transfers;
  const auto make = c.reduction ? reduction_holdings : copy_holdings;
  const auto holdings = make(problem, ranks, 1, all_chunks(problem));
  Holdings::Outcome outcome;
  holdings->advance(step, false, outcome);
  holdings->finish(outcome);
  std::uint64_t calls = 0;
  const std::uint64_t all = holdings->shortfalls(20, [&](Holdings::Shortfall) { ++calls; });
  REQUIRE(calls == std::min<std::uint64_t>(all, 20));
  return all;
}

TEST_CASE("ranks that nothing reaches are counted, not visited") {
  for (const CollectiveInfo& c : collectives()) {
    if (c.collective == Collective::custom) continue;
    const std::uint64_t nine = short_ranks(c, 9), more = short_ranks(c, 10) - nine;
    REQUIRE(more == (nine == 1 ? 0 : 1));  // the root alone, or one for each rank
    for (const Rank ranks : {1000U, 60000U, UINT32_MAX - 1}) {
      if (c.blocks == 2 && ranks > 60000) continue;  // that would be too many chunks
      INFO(c.name << ", " << ranks << " ranks");
      REQUIRE(short_ranks(c, ranks) == nine + more * (ranks - 9));
    }
  }
}

TEST_CASE("a message may go round a torus of any size") {
  for (const Rank ranks : {9U, 1000U, UINT32_MAX - 1}) {
    for (const Rank to : {Rank{1}, ranks - 1, ranks / 2}) {
      const naive::Plan plan{{Collective::broadcast, ranks, 0, 1, false, nullptr},
                             {{0, copy(0, to, 0)}}};
      std::string torus = "torus:1x";
      torus += std::to_string(ranks);
      const Report found = check(source_of(plan), make_machine(torus, ranks));
      REQUIRE(found.congestion == 1);
      REQUIRE(violated(found) == std::set<std::string>{"delivery"});
      REQUIRE(found.findings_total == ranks - 2);
    }
  }
}

TEST_CASE("contributions of every other rank take no more than a node for each") {
  const Rank steps = 20000;
  std::vector<Holding> pre;
  naive::Plan plan;
  for (Rank t = 0; t <= steps; ++t) pre.push_back({2 * t, {{0, 1}}});
  for (Rank t = 0; t < steps; ++t) {
    plan.sent.push_back({t, copy(2 * t, 2 * t + 2, 0)});
    plan.sent.back().transfer.reduce = 1;
  }
  plan.problem.collective = Collective::custom;
  plan.problem.ranks = 2 * steps + 1;
  for (const Rank goal : {2 * steps, 2 * steps - 2}) {
    plan.problem.custom =
        std::make_shared<Custom>(pre, std::vector<Holding>{{goal, {{0, 1}}, true}});
    const Report found = check(source_of(plan), make_machine("duplex", plan.problem.ranks));
    REQUIRE((found.verdict() == Verdict::holds) == (goal == 2 * steps));
  }
}
