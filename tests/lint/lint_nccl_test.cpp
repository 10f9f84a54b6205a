// NCCL's tables: their ranges against a naive lookup, every defect, numbers.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tuning_tables.hpp"

using namespace schedcc;
using namespace tuning_tables;

namespace {

struct NcclRule {
  std::uint64_t first, last;
  int nodes, ranks, registered;
};

}  // namespace

TEST_CASE("rules of NCCL that are taken are those of a naive lookup") {
  std::mt19937 random(11);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 200; ++round) {
    std::vector<NcclRule> rules(1 + below(6));
    std::string text;
    for (NcclRule& r : rules) {
      r.first = below(10);
      r.last = below(4) == 0 ? UINT64_MAX : r.first + below(6);
      r.nodes = below(2) == 0 ? -1 : 1 + static_cast<int>(below(2));
      r.ranks = below(2) == 0 ? -1 : 1 + static_cast<int>(below(2));
      r.registered = static_cast<int>(below(3)) - 1;
      text += "allreduce," + std::to_string(r.first) + "," + std::to_string(r.last) +
              ",ring,simple,2," + std::to_string(r.nodes) + "," + std::to_string(r.ranks) + ",-1," +
              std::to_string(r.registered) + "\n";
    }
    const TuningTable table = linted(text, TuningFormat::nccl_tuner);
    REQUIRE(table.rules.size() == rules.size());
    bool uncovered = false;
    std::vector<bool> taken(rules.size());
    for (int call = 0; call < 18; ++call) {
      const int nodes = 1 + call % 3, ranks = 1 + call / 3 % 3, registered = call / 9;
      bool any = false, all = true;
      for (std::uint64_t size = 0; size < 20; ++size) {
        const auto found = std::ranges::find_if(rules, [&](const NcclRule& r) {
          return r.first <= size && size <= r.last && (r.nodes == -1 || r.nodes == nodes) &&
                 (r.ranks == -1 || r.ranks == ranks) &&
                 (r.registered == -1 || r.registered == registered);
        });
        if (found == rules.end()) {
          all = false;
        } else {
          any = true;
          taken[static_cast<std::size_t>(found - rules.begin())] = true;
        }
      }
      uncovered |= any && !all;
    }
    // A rule that several others, with fewer conditions together, shadow may remain.
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (taken[i]) CHECK(table.rules[i].applies);
    }
    const bool found = std::ranges::any_of(
        table.findings, [](const LintFinding& f) { return f.rule == "uncovered"; });
    if (uncovered) CHECK(found);
  }
}

TEST_CASE("defects of NCCL's tables are found where they are") {
  const std::string all = "18446744073709551615";
  struct Case {
    std::string text;
    std::vector<std::string> findings;
  };
  const std::vector<Case> cases{
      {"# x\n\nallreduce,0," + all + ",tree,ll128,2,-1,-1\n", {}},
      {"allreduce , 0 ," + all + ", ring , ll ,4, 1,8,-1,1\r\n", {}},
      {"allreduce,0,-1,ring,ll,4,-1,-1\n", {}},
      {"allreduce,0," + all + ",ring,ll,4,-1\n", {"dropped 1:1"}},
      {"AllReduce,0," + all + ",ring,ll,4,-1,-1\n", {"syntax 1:1"}},
      {"allreduce,0," + all + ",rings,ll,4,-1,-1\n", {"syntax 1:34"}},
      {"allreduce,0," + all + ",ring,LL,4,-1,-1\n", {"syntax 1:39"}},
      {"allreduce,0,1M,ring,ll,4,-1,-1\n", {"number 1:13", "uncovered 1:1"}},
      {"allreduce,0,4294967295,ring,ll,4,-1,-1\n", {"uncovered 1:13", "uncovered 1:1"}},
      {"allreduce,9,8,ring,ll,4,-1,-1\n", {"shadowed 1:11"}},
      {"allreduce,0," + all + ",ring,ll,-1,-1,-1\n", {"channels 1:42"}},
      {"allreduce,0," + all + ",ring,ll,2,0,-1\n", {"shadowed 1:44"}},
      {"allreduce,0," + all + ",ring,ll,2,-1,0\n", {"shadowed 1:47"}},
      {"allreduce,0," + all + ",ring,ll,2,-1,x\n", {"number 1:47", "shadowed 1:47"}},
      {"allreduce,0,," + all + ",ring,ll,2,-1,-1\n", {"syntax 1:13"}},
      {"allreduce,0," + all + ",pat,simple,2,-1,-1\n", {"algorithm 1:34"}},
      {"broadcast,0," + all + ",tree,simple,2,-1,-1\n", {"algorithm 1:34"}},
      {"allreduce,0," + all + ",nvls,ll,2,-1,-1\n", {"algorithm 1:39"}},
      {"allreduce,0," + all + ",ring,ll,2,-1,-1,-1,-1,3\n", {"syntax 1:56"}},
      {"allreduce,0," + all + ",ring,ll,2,-1,-1\nallreduce,5,9,tree,ll,2,-1,4\n", {"shadowed 2:1"}},
      {"allreduce,0,9,ring,ll,2,-1,-1\nallreduce,11," + all + ",tree,ll,2,-1,-1\n",
       {"uncovered 1:1"}},
      {std::string(300, 'a') + "\n", {"syntax 1:1"}},
      {std::string(256, ',') + "\n", {"syntax 1:1"}},
      {"allreduce,0," + all + ",ring,ll,2,-1," + std::string(207, ' ') + "-1\n", {}},
      {"allreduce,0," + all + ",ring,ll,2,-1," + std::string(208, ' ') + "-1\n", {"syntax 1:1"}},
      {"#" + std::string(254, 'x') + "allreduce,0,1,ring,ll,2,-1,-1\n", {"syntax 1:1"}},
      {"#" + std::string(254, 'x') + "# a,0,1,ring,ll,2,-1,-1\n", {}},
      {"#" + std::string(600, 'x') + "\n", {}},
      {"\r\n \t\r\nallreduce,0,-1,ring,ll,2,-1,-1 \r\n", {}},
      {"allreduce,0,-1,ring,ll,4294967295,-1,-1\n", {"number 1:24", "channels 1:24"}},
      {"allreduce,0,-1,ring,ll,2,-1,4294967304\n", {"number 1:29"}},
      {"allreduce,0,-1,ring,ll,2,-1,+-5\n", {"number 1:29", "shadowed 1:29"}},
      {"allreduce,0,9,ring,ll,2,-1,-1\nallreduce,10,-1,ring,ll,2,-1,-1,-1,0\n"
       "allreduce,10,-1,ring,ll,2,-1,-1,-1,1\n",
       {}},
      {"allreduce,0,9,ring,ll,2,-1,-1\nallreduce,10,-1,ring,ll,2,-1,-1,-1,0\n", {"uncovered 1:1"}},
      {"allreduce,0,9,ring,ll,2,-1,-1,2\nallreduce,10,-1,ring,ll,2,-1,-1,1\n",
       {"uncovered 1:1", "uncovered 2:1"}},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(places(linted(c.text, TuningFormat::nccl_tuner)) == c.findings);
  }
}

TEST_CASE("numbers of NCCL's tables are those of atoi") {
  const auto ranks = [](const std::string& number) {
    return linted("allreduce,0,-1,ring,ll,2,-1," + number + "\n", TuningFormat::nccl_tuner)
        .rules.front()
        .ranks;
  };
  CHECK(ranks("4294967304") == Interval{8, 8});
  CHECK(ranks("4294967295") == Interval{});
  CHECK(ranks("99999999999999999999") == Interval{});  // of 2^63 - 1
  CHECK(ranks("-99999999999999999999") == Interval{0, 0});
  CHECK(ranks("8 GPUs") == Interval{8, 8});
}

TEST_CASE("a table of which nothing is timed has a note") {
  const LossRequest request{make_cost_model("alpha-beta:alpha=1us,beta=1GB/s"), 8};
  for (const char* text :
       {"allreduce,0,-1,ring,ll,2,-1,4\n", "allreduce,0,-1,nvls_tree,simple,2,-1,8\n"}) {
    TuningTable table = linted(text, TuningFormat::nccl_tuner);
    lint_losses(table, &request);
    REQUIRE(std::ranges::count(table.findings, "loss", &LintFinding::rule) == 1);
    CHECK(table.findings.back().severity == Severity::note);
    CHECK(table.findings.back().message.starts_with("nothing is timed"));
  }
}
