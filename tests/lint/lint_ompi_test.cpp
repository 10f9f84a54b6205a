// Open MPI's rules, as text and as JSON: their ranges against a naive lookup, every defect, losses.

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "algorithm/library_names.hpp"
#include "catch.hpp"
#include "format/tuning/ompi_names.hpp"
#include "schedcc/algorithm.hpp"
#include "tuning_tables.hpp"

using namespace schedcc;
using namespace tuning_tables;

namespace {

struct Entry {
  std::uint64_t ranks;
  std::vector<std::uint64_t> sizes;
};

std::string rules_text(const std::vector<Entry>& entries) {
  std::string text = "1 0 " + std::to_string(entries.size()) + "\n";
  for (const Entry& e : entries) {
    text += std::to_string(e.ranks) + " " + std::to_string(e.sizes.size()) + "\n";
    for (const std::uint64_t size : e.sizes) text += std::to_string(size) + " 4 0 0\n";
  }
  return text;
}

/// The rule that Open MPI 5 takes, by the same loops. Counted over all entries.
std::optional<std::size_t> taken(const std::vector<Entry>& entries, std::uint64_t ranks,
                                 std::uint64_t size) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < entries.size() && entries[i].ranks <= ranks; ++i) best = i;
  std::size_t before = 0;
  for (std::size_t i = 0; i < best; ++i) before += entries[i].sizes.size();
  std::optional<std::size_t> rule;
  for (std::size_t i = 0; i < entries[best].sizes.size() && entries[best].sizes[i] <= size; ++i)
    rule = before + i;
  return rule;
}

}  // namespace

TEST_CASE("rules of Open MPI are taken by the calls that a naive lookup gives them") {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 200; ++round) {
    std::vector<Entry> entries(1 + below(4));
    for (Entry& e : entries) {
      e.ranks = below(12);
      e.sizes.assign(1 + below(4), 0);
      for (std::size_t i = 1; i < e.sizes.size(); ++i) e.sizes[i] = below(12);
    }
    const TuningTable table = linted(rules_text(entries), TuningFormat::ompi_rules);
    REQUIRE_FALSE(table.dropped);
    for (std::uint64_t ranks = 0; ranks < 14; ++ranks) {
      for (std::uint64_t size = 0; size < 14; ++size) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < table.rules.size(); ++i) {
          const TuningRule& rule = table.rules[i];
          if (rule.applies && rule.ranks.first <= ranks && ranks <= rule.ranks.last &&
              rule.bytes.first <= size && size <= rule.bytes.last) {
            found.push_back(i);
          }
        }
        const auto expected = taken(entries, ranks, size);
        REQUIRE(found.size() == (expected ? 1 : 0));
        if (expected) REQUIRE(found.front() == *expected);
      }
    }
  }
}

TEST_CASE("defects of Open MPI's rules are found where they are") {
  struct Case {
    std::string text;
    std::vector<std::string> findings;
    bool dropped = false;
  };
  const std::vector<Case> cases{
      {"1 2 1\n4 1\n0 3 0 0\n", {}},
      {"# all\n1 # one\n7 1\n4 2\n0 6 0 0\n1024 7 4 8192 # k\n", {}},
      {"rule-file-version-2\n1 3 1\n4 2\n0 4 0 0 8\n9 2 0 0\n", {}},
      {"1 2 1\n4 1\n0 3 0 0 0\n", {"syntax 3:9", "syntax 3:9"}},
      {"1 2 1\n4 2\n0 3 0 0 8 3 0 0\n", {}},
      {"rule-file-version-2\n1 3 1\n4 2 0\n4 0 0 8\n9 2 0 0\n", {}},
      {"# rule-file-version-2\n1 2 1\n4 1 # rule-file-version-2\n0 3 0 0\n", {}},
      {"1 6 1\n2 1\n0 7 0 0\n", {"algorithm 3:3"}},
      {"1 6 2\n2 1\n0 5 0 0\n3 1\n0 1 0 0\n", {}},
      {"1 6 1\n2 1\n0 5 0 0\n", {"serve 3:1"}},
      {"1 6 1\n2 2\n0 1 0 0\n9 1 0 0\n", {"shadowed 4:1"}},
      {"1 4 1\n2 2\n0 1 0 0\n9 1 0 0\n", {"shadowed 4:1"}},
      {"2 2 1 4 1 0 9 0 0\n2 1 4 1 0 3 0 0\n", {"algorithm 1:13", "shadowed 2:1"}},
      {"#\nrule-file-version-2\n1 3 1\n4 1\n0 4 0 0\n",
       {"syntax 2:0", "syntax 2:1", "dropped 2:18"},
       true},
      {"", {"dropped 1:1"}, true},
      {"23", {"dropped 1:1"}, true},
      {"1 22 0", {"dropped 1:3"}, true},
      {"1 2 1\n4 1\n8 3 0 0\n", {"dropped 3:1"}, true},
      {"1 2 1\n4 2\n0 3 0 0\n8 3 0", {"dropped 4:6"}, true},
      {"1 2 1\n4 1\n0 3 -1 0\n", {"dropped 3:5"}, true},
      {"1 2 1\n4 2\n0 3 0 0\n8K 3 0 0\n", {"syntax 4:2"}},
      {"1 2 1\n4 2\n0 3 0 0\n010 3 0 0\n", {"number 4:1"}},
      {"1 2 1\n4 1\n0 9 0 0\n", {"algorithm 3:3"}},
      {"1 2 1\n4 2\n0 3 0 0\n0 3 0 0\n", {"shadowed 3:1"}},
      {"1 2 2\n4 1\n0 3 0 0\n4 1 0 3 0 0\n", {"shadowed 2:1"}},
      {"1 2 2\n8 1\n0 3 0 0\n4 1 0 3 0 0\n", {"shadowed 2:1"}},
      {"1 2 2\n4 1\n0 3 0 0\n8 1 0 3 0 0\n", {}},
      {"1 2 3\n4 1\n0 3 0 0\n9 1 0 3 0 0\n8 1 0 3 0 0\n", {"shadowed 4:1"}},
      {"[rule-file-version-2]\n1 2 1\n4 1\n0 3 0 0\n",
       {"syntax 1:1", "syntax 1:1", "dropped 1:19"},
       true},
      {"1 2 2\n0 1\n0 3 0 0\n0 1 0 3 0 0\n", {"shadowed 2:1"}},
      {"2 2 1 4 1 0 3 0 0\n2 1 4 1 0 3 0 0\n", {"shadowed 2:1"}},
      {"1 2 1\n4 1\n0 3 0 0\n1\n", {"syntax 4:1"}},
      {"1 2 0\n", {"uncovered 1:3"}},
      {"1 2 1\n4 0\n", {"uncovered 2:1"}},
      {"1 5 1\n4 1\n0 0 0 0\n", {"ineffective 1:3"}},
      {"1 0 1\n6 1\n0 3 0 0\n", {"serve 3:1"}},
      {"1 0 1\n8 1\n0 3 0 0\n", {}},
      {"1 0 1\n7 1\n0 5 0 0\n", {"serve 3:1"}},
      {"1 0 1\n2 1\n0 6 0 0\n", {"serve 3:1"}},
      {"1 0 1\n4 1\n0 2 0 0\n", {"version 3:1"}},
      {"1 0 1\n4 1\n0 2 2 0\n", {}},
      {"1 2 1\n4 2\n0 4 0 0\n9 4 0 0\n", {"serve 3:1"}},
      {"1 0 3\n1 0\n2 1 0 6 0 0\n3 0", {"uncovered 2:1", "uncovered 4:1"}},
      {"1 2 99999999999999999999", {"number 1:5", "dropped 1:5"}, true},
      {"1 2 1 4 4611686018427387904 0 3 0 0", {"dropped 1:36"}, true},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const TuningTable table = linted(c.text, TuningFormat::ompi_rules);
    CHECK(places(table) == c.findings);
    CHECK(table.dropped == c.dropped);
  }
}

TEST_CASE("defects of Open MPI's rules in JSON are found where they are") {
  struct Case {
    std::string rules;  ///< of allgather
    std::vector<std::string> findings;
    bool dropped = false;
  };
  const std::string head = R"({"collectives":{"allgather":[)";
  const std::vector<Case> cases{
      {R"({"rules":[{"alg":"ring"}]})", {}},
      {R"({"comm_size_min":2,"comm_size_max":8,"rules":[{"msg_size_max":"inf","alg":4,"reqs":1}]})",
       {}},
      {R"({"rules":[{"alg":"ring","segsize":1}]})", {"syntax 1:54"}},
      {R"({"rules":[{"alg":"rings"}]})", {"algorithm 1:47", "uncovered 1:30"}},
      {R"({"rules":[{"alg":9}]})", {"algorithm 1:47", "uncovered 1:30"}},
      {R"({"rules":[{}]})", {"syntax 1:40"}},
      {R"({"rules":[{"alg":4},{"alg":4}]})", {"shadowed 1:50"}},
      {R"({"rules":[{"msg_size_min":9,"msg_size_max":8,"alg":4},{"alg":4}]})", {"shadowed 1:40"}},
      {R"({"rules":[{"msg_size_max":8,"alg":4}]})", {"uncovered 1:30"}},
      {R"({"comm_size_max":"inf","rules":[{"alg":4}]})", {"shadowed 1:47"}},
      {R"({"comm_size_max":4,"rules":[{"alg":4}]},{"comm_size_max":3,"rules":[{"alg":4}]})",
       {"shadowed 1:70"}},
      {R"({"comm_rank_distribution":"single-node","rules":[{"alg":4}]},{"rules":[{"alg":4}]})", {}},
      {R"({"comm_rank_distribution":"single-node","rules":[{"alg":4}]},)"
       R"({"comm_rank_distribution":"one-per-node","rules":[{"alg":4}]},)"
       R"({"comm_rank_distribution":"single-node","rules":[{"alg":4}]})",
       {"shadowed 1:153"}},
      {R"({"rules":[{"alg":4}]},{"comm_rank_distribution":"single-node","rules":[{"alg":4}]})",
       {"shadowed 1:52"}},
      {R"({"comm_size_max":4,"rules":[{"alg":4}]},{"comm_size_min":6,"comm_size_max":8,"rules":)"
       R"([{"alg":4}]},{"comm_size_min":10,"rules":[{"alg":4}]})",
       {"uncovered 1:17", "uncovered 1:17"}},
      {R"({"rules":[{"msg_size_min":1,"msg_size_max":2,"alg":4},{"msg_size_min":4,"alg":4}]})",
       {"uncovered 1:30", "uncovered 1:30"}},
      {R"()", {"uncovered 1:17"}},
      {R"({"rules":[{"alg":4}]}],"allgather":[{"rules":[{"alg":3}]})", {"shadowed 1:53"}},
      {R"({"rules":[{"alg":4}]}],"barrier":[{"rules":[{"msg_size_max":0,"alg":1},{"alg":1}]})",
       {"shadowed 1:101"}},
      {R"({"comm_rank_distribution":"x","rules":[{"alg":4}]})", {"syntax 1:56"}},
      {R"({"rules":[{"alg":2}]})", {"version 1:40"}},
      {R"({"comm_size_min":6,"rules":[{"alg":3}]})", {"serve 1:58"}},
      {R"({"rules":[{"alg":4}]}],"reducescatter":[{"rules":[{"alg":4}]})", {"dropped 1:53"}, true},
      {R"({"comm_size_min":2.5,"rules":[{"alg":4}]})", {"dropped 1:47"}, true},
      {R"({"comm_size_max":1e3,"rules":[{"alg":4}]})", {"dropped 1:47"}, true},
      {R"({"comm_size_max":"all","rules":[{"alg":4}]})", {"dropped 1:47"}, true},
      {R"({"rules":[{"msg_size_min":0.0,"alg":4}]})", {"dropped 1:56"}, true},
      {R"({"rules":[{"msg_size_max":"all","alg":4}]})", {"dropped 1:56"}, true},
      {R"({"rules":[{"alg":4,"faninout":-2.5}]})", {"dropped 1:60"}, true},
      {R"({"rules":[{"alg":4,"seg_size":0.5}]})", {"dropped 1:60"}, true},
      {R"({"rules":[{"alg":4,"reqs":1.0}]})", {"dropped 1:56"}, true},
      {R"({"rules":[{"alg":1.5}]})", {"syntax 1:47"}},
      {R"({"rules":[{"alg":4}]}],"gatherv":[{"rules":[{"alg":0}]})", {"ineffective 1:53"}},
  };
  for (const Case& c : cases) {
    INFO(c.rules);
    const TuningTable table = linted(head + c.rules + "]}}", TuningFormat::ompi_json);
    CHECK(places(table) == c.findings);
    CHECK(table.dropped == c.dropped);
  }
  for (const char* text : {"{", "{}", R"({"collectives":[]})", R"({"collectives":{"bcast":3}})",
                           R"({"collectives":{"bcast":[{"rules":[{"alg":true}]}]}})"}) {
    INFO(text);
    CHECK_THROWS_AS(read_ompi_json(text, "table"), InputError);
  }
}

TEST_CASE("rules that calls in place do not follow have a note, once for a collective") {
  const auto notes = [](const std::string& text) {
    std::string result;
    for (const LintFinding& f : linted(text, TuningFormat::ompi_rules).findings) {
      if (f.message.find("in place") != std::string::npos)
        result += std::to_string(f.location.line) + ": " + std::string(name(f.severity)) + "\n";
    }
    return result;
  };
  CHECK(notes("2 3 1 4 2\n0 0 0 0\n8 2 0 0\n4 1 4 1\n0 1 0 0\n") == "3: note\n5: note\n");
  CHECK(notes("1 3 1 4 2\n0 1 0 0\n8 2 0 0\n") == "2: note\n");
  CHECK(notes("2 0 1 4 1 0 4 0 0\n2 1 4 1 0 3 0 0\n").empty());
}

TEST_CASE("rules that no call takes do not apply") {
  const auto applies = [](const std::string& text, TuningFormat format) {
    std::string result;
    for (const TuningRule& rule : linted(text, format).rules) result += rule.applies ? '1' : '0';
    return result;
  };
  CHECK(applies("1 5 1\n4 1\n0 0 0 0\n", TuningFormat::ompi_rules) == "0");
  // Calls take a rule for an algorithm that does not exist, and fail.
  CHECK(applies("1 2 1\n4 2\n0 9 0 0 8 3 0 0\n", TuningFormat::ompi_rules) == "11");
  CHECK(applies("1 6 1\n4 2\n0 1 0 0\n8 1 0 0\n", TuningFormat::ompi_rules) == "10");
  CHECK(applies(R"({"collectives":{"gatherv":[{"rules":[{"alg":0}]}]}})",
                TuningFormat::ompi_json) == "0");
  CHECK(applies(
            R"({"collectives":{"bcast":[{"rules":[{"alg":1}]}],"bcast":[{"rules":[{"alg":2}]}]}})",
            TuningFormat::ompi_json) == "01");
}

TEST_CASE("communicator rules count as rules") {
  std::string text = R"({"collectives":{"bcast":[{"rules":[]})";
  for (std::size_t i = 1; i < max_rules; ++i)
    text += R"(,{"comm_size_min":)" + std::to_string(2 * i) + R"(,"rules":[]})";
  CHECK_NOTHROW(read_ompi_json(text + "]}}", "table"));
  CHECK_THROWS_AS(read_ompi_json(text + R"(,{"rules":[]}]}})", "table"), InputError);
}

TEST_CASE("the library's names lead to algorithms that serve the collective") {
  for (const OmpiCollective& collective : ompi_collectives()) {
    for (std::size_t i = 0; i < collective.algorithms.size(); ++i) {
      const std::string_view own =
          library_algorithm("Open MPI", collective.name, collective.algorithms[i].name, i + 1);
      if (own.empty()) continue;
      const std::string word(collective.name);
      const Collective served = word == "bcast"                      ? Collective::broadcast
                                : word.starts_with("reduce_scatter") ? Collective::reduce_scatter
                                                                     : find_collective(word);
      INFO(word << " " << own);
      CHECK(find_algorithm(own).serves(served));
    }
  }
  CHECK(library_algorithm("Open MPI", "bcast", "pipeline", 3) == "chain");
  CHECK(library_algorithm("Open MPI", "reduce", "pipeline", 3) == "chain");
  CHECK(library_algorithm("Open MPI", "allreduce", "pipeline", 3).empty());
  CHECK(library_algorithm("Open MPI", "alltoall", "linear", 1) == "pairwise");
  CHECK(library_algorithm("Open MPI", "reduce", "rabenseifner", 7).empty());
  CHECK(library_algorithm("NCCL", "allreduce", "tree", 0) == "double-binary-tree");
  CHECK(library_algorithm("NCCL", "allreduce", "nvls", 0) == "in-network");
  CHECK(library_algorithm("NCCL", "allreduce", "collnet_direct", 0).empty());
  CHECK(library_algorithm("NCCL", "allreduce", "ring", 0) == "ring");
  CHECK(library_algorithm("NCCL", "reducescatter", "ring", 0) == "ring");
  CHECK(library_algorithm("NCCL", "broadcast", "ring", 0) == "chain");
  CHECK(library_algorithm("NCCL", "reduce", "ring", 0) == "chain");
  CHECK(library_algorithm("NCCL", "broadcast", "chain", 0).empty());
}

TEST_CASE("a slow choice loses what the times of both say, and the best one nothing") {
  TuningTable table = linted("1 7 1 48 2 0 1 0 0 9 1 0 0\n", TuningFormat::ompi_rules);
  const LossRequest request{make_cost_model("alpha-beta:alpha=1us,beta=1GB/s"), 48};
  const std::vector<LintedRule> rules = lint_losses(table, &request);
  REQUIRE(rules.size() == 2);
  REQUIRE(rules[0].loss);
  // In small messages 47 steps against ceil(log2 48) = 6.
  CHECK(rules[0].algorithm == "linear");
  CHECK(rules[0].loss->factor > 7);
  CHECK(rules[0].loss->factor < 8);
  CHECK(std::ranges::count(table.findings, "loss", &LintFinding::rule) == 2);
  TuningTable best = linted("1 7 1 48 2 0 6 0 0 64 0 0 0\n", TuningFormat::ompi_rules);
  const std::vector<LintedRule> none = lint_losses(best, &request);
  REQUIRE(none[0].loss);
  CHECK(none[0].loss->factor == 1);
  CHECK_FALSE(none[1].loss);
  CHECK(std::ranges::count(best.findings, "loss", &LintFinding::rule) == 0);
}
