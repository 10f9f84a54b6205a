// Tables that are written: read back, they have a choice for every call, and none that is much
// slower than the best of all schedules of the library's algorithms, each timed by `cost`.

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "format/tuning/write.hpp"
#include "lint/tables.hpp"
#include "lint/tuned_table.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

constexpr TuningFormat all_formats[] = {TuningFormat::ompi_rules, TuningFormat::ompi_json,
                                        TuningFormat::nccl_tuner};

struct TableCase {
  TuningFormat format;
  std::vector<Collective> collectives;
  std::vector<std::uint32_t> ranks;
  std::uint64_t first, last;
  std::string model;
  std::optional<std::string> machine = {};
};

TableRequest request_for(const TableCase& asked) {
  TableRequest result;
  result.format = asked.format;
  result.collectives = asked.collectives;
  result.ranks = asked.ranks;
  result.sizes.push_back(asked.first);
  for (std::uint64_t size = 1; size < asked.last; size *= 2) {
    if (size > asked.first) result.sizes.push_back(size);
  }
  if (asked.last > asked.first) result.sizes.push_back(asked.last);
  result.times.model = make_cost_model(asked.model);
  result.times.machine = asked.machine;
  return result;
}

TuningTable read_back(const TableCase& asked) {
  const std::string text = write_tuning_table(tuned_table(request_for(asked)).table);
  CHECK(tuning_format(text) == asked.format);
  TuningTable table = read_tuning_table(text, "table", asked.format);
  lint_rules(table);
  return table;
}

/// The rule that a call takes: one at most.
const TuningRule* rule_for(const TuningTable& table, const std::string& word, std::uint64_t ranks,
                           std::uint64_t bytes) {
  const TuningRule* result = nullptr;
  for (const TuningRule& rule : table.rules) {
    if (!rule.applies || rule.collective != word || !rule.ranks.contains(ranks) ||
        !rule.bytes.contains(bytes)) {
      continue;
    }
    REQUIRE(result == nullptr);
    result = &rule;
  }
  return result;
}

/// What a library's algorithm is in schedcc; written apart from the tables of the program.
struct Counterpart {
  std::string word;
  std::uint64_t number;   ///< Open MPI
  std::string algorithm;  ///< NCCL
  Collective collective;
  std::string spec;
  bool segments = false;      ///< its packets are the segments of the rule
  std::uint32_t divisor = 1;  ///< of the numbers of ranks that it is for; 0: powers of two
};

const std::vector<Counterpart>& counterparts() {
  using enum Collective;
  static const std::vector<Counterpart> all{
      {"bcast", 1, "", broadcast, "linear"},
      {"bcast", 2, "", broadcast, "chain", true},
      {"bcast", 4, "", broadcast, "split-binary-tree", true},
      {"bcast", 5, "", broadcast, "binary-tree", true},
      {"bcast", 6, "", broadcast, "binomial-tree", true},
      {"bcast", 7, "", broadcast, "knomial-tree:k=4", true},
      {"bcast", 8, "", broadcast, "scatter-allgather"},
      {"reduce", 1, "", reduce, "linear"},
      {"reduce", 2, "", reduce, "chain", true},
      {"reduce", 4, "", reduce, "binary-tree", true},
      {"reduce", 5, "", reduce, "binomial-tree", true},
      {"reduce", 6, "", reduce, "in-order-binary", true},
      {"allreduce", 3, "", allreduce, "recursive-doubling", false, 0},
      {"allreduce", 4, "ring", allreduce, "ring"},
      {"allreduce", 6, "", allreduce, "rabenseifner"},
      {"allreduce", 0, "tree", allreduce, "double-binary-tree"},
      {"allgather", 2, "", allgather, "bruck:radix=2"},
      {"allgather", 3, "", allgather, "recursive-doubling", false, 0},
      {"allgather", 4, "ring", allgather, "ring"},
      {"allgather", 5, "", allgather, "neighbor-exchange", false, 2},
      {"allgather", 7, "", allgather, "sparbit"},
      {"allgather", 0, "pat", allgather, "pat"},
      {"broadcast", 0, "ring", broadcast, "chain"},
      {"reduce", 0, "ring", reduce, "chain"},
      {"alltoall", 1, "", alltoall, "pairwise"},
      {"alltoall", 2, "", alltoall, "pairwise"},
      {"alltoall", 3, "", alltoall, "bruck:radix=2"},
  };
  return all;
}

/// The times of the library's algorithms by `cost`, for one problem.
class Oracle {
 public:
  Oracle(const TableCase& asked, std::uint32_t ranks) : asked_(asked), ranks_(ranks) {}

  /// The time with K chunks; none if the algorithm does not serve.
  std::optional<double> time(const Counterpart& entry, std::uint64_t chunks,
                             std::uint64_t bytes) const {
    const bool serves =
        entry.divisor == 0 ? std::has_single_bit(ranks_) : ranks_ % entry.divisor == 0;
    if (!serves) return std::nullopt;
    const std::string machine = asked_.machine.value_or("duplex");
    try {
      const Source source = from_algorithm(entry.spec,
                                           {.collective = entry.collective,
                                            .ranks = ranks_,
                                            .chunks = static_cast<std::uint32_t>(chunks)},
                                           machine);
      const std::uint64_t blocks = info(entry.collective).in_blocks() ? ranks_ : 1;
      return cost(source, make_machine(machine, ranks_), make_cost_model(asked_.model),
                  {.bytes = bytes / blocks})
          .seconds;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  /// The best of many numbers of chunks.
  double best(const Counterpart& entry, std::uint64_t bytes) const {
    double result = HUGE_VAL;
    const std::uint64_t P = ranks_, down = std::bit_floor(P);
    for (const std::uint64_t K : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                  std::uint64_t{5}, down, P, 2 * P, 3 * P, P * down}) {
      result = std::min(result, time(entry, K, bytes).value_or(HUGE_VAL));
    }
    return result;
  }

  /// The best of all that the library has.
  double best(const std::string& word, std::uint64_t bytes) const {
    double result = HUGE_VAL;
    for (const Counterpart& entry : counterparts()) {
      const bool nccl = asked_.format == TuningFormat::nccl_tuner;
      const bool has = nccl ? !entry.algorithm.empty() : entry.number != 0;
      if (entry.word == word && has) result = std::min(result, best(entry, bytes));
    }
    return result;
  }

  /// The time of a rule.
  double time(const TuningRule& rule, std::uint64_t bytes) const {
    const Counterpart& entry = of(rule);
    if (!entry.segments) return best(entry, bytes);
    const std::uint64_t chunks = rule.segment == 0 ? 1 : (bytes - 1) / rule.segment + 1;
    return time(entry, chunks, bytes).value_or(HUGE_VAL);
  }

  static const Counterpart& of(const TuningRule& rule) {
    const auto found = std::ranges::find_if(counterparts(), [&](const Counterpart& entry) {
      return entry.word == rule.collective &&
             (rule.number == 0 ? entry.algorithm == rule.algorithm : entry.number == rule.number);
    });
    INFO(rule.collective << " " << rule.algorithm);
    REQUIRE(found != counterparts().end());
    return *found;
  }

 private:
  const TableCase& asked_;
  std::uint32_t ranks_;
};

const std::string some_model = "alpha-beta:alpha=2us,beta=10GB/s";

std::vector<TableCase> various() {
  using enum Collective;
  std::vector<TableCase> result;
  for (const TuningFormat format : {TuningFormat::ompi_rules, TuningFormat::ompi_json}) {
    result.push_back({format, {broadcast, reduce}, {2, 5, 8, 13}, 1, 1 << 20, some_model});
    result.push_back(
        {format, {allreduce, allgather, alltoall}, {2, 3, 8, 12}, 100, 1 << 20, some_model});
    result.push_back(
        {format, {broadcast, allreduce}, {4, 6}, 1, 1 << 16, "loggp:L=6us,o=2us,g=4us,G=1ns/B"});
  }
  result.push_back({TuningFormat::nccl_tuner,
                    {allreduce, allgather, broadcast, reduce},
                    {2, 8, 9},
                    1,
                    1 << 22,
                    some_model,
                    "kport:k=4"});
  return result;
}

std::string title(const TableCase& asked) {
  return std::string(name(asked.format)) + " " + std::string(info(asked.collectives.front()).name) +
         " " + asked.model;
}

}  // namespace

TEST_CASE("a table that is written is read back with a choice for every call, and without errors") {
  for (const TableCase& asked : various()) {
    INFO(title(asked));
    const TuningTable table = read_back(asked);
    CHECK_FALSE(table.dropped);
    for (const LintFinding& f : table.findings) {
      INFO(f.message);
      CHECK(f.severity != Severity::error);
      CHECK(f.rule != "shadowed");
      CHECK(f.rule != "uncovered");
      if (asked.format == TuningFormat::nccl_tuner) CHECK(f.severity == Severity::note);
    }
    std::vector<std::string> words;
    for (const TuningRule& rule : table.rules) {
      CHECK(rule.applies);
      if (std::ranges::find(words, rule.collective) == words.end())
        words.push_back(rule.collective);
    }
    CHECK(words.size() == asked.collectives.size());
    for (const std::string& word : words) {
      for (const std::uint32_t ranks : asked.ranks) {
        for (std::uint64_t size = asked.first; size < asked.last; size = size * 7 / 3 + 1) {
          const TuningRule* rule = rule_for(table, word, ranks, size);
          REQUIRE(rule != nullptr);
          CHECK_FALSE(rule->algorithm.empty());
        }
        // What nobody asked for is left to the library, but NCCL's plugin sets one channel for it.
        const TuningRule* beyond = rule_for(table, word, ranks, asked.last + 1);
        REQUIRE(beyond != nullptr);
        CHECK(beyond->algorithm.empty() == (asked.format != TuningFormat::nccl_tuner));
      }
      const TuningRule* more = rule_for(table, word, asked.ranks.back() + 1, asked.last);
      CHECK((more == nullptr || more->algorithm.empty()));
    }
  }
}

TEST_CASE("lint finds no loss in a table for its model") {
  for (const TableCase& asked : various()) {
    for (const std::uint32_t ranks : asked.ranks) {
      INFO(title(asked) << " P " << ranks);
      TuningTable table = read_back(asked);
      LossRequest request{make_cost_model(asked.model), ranks, asked.machine};
      bool timed = false;
      for (const LintedRule& rule : lint_losses(table, &request)) {
        timed |= rule.loss.has_value();
        if (rule.loss) CHECK(rule.loss->factor < 1.1);
      }
      CHECK(timed);
      for (const LintFinding& f : table.findings)
        CHECK((f.rule != "loss" || f.severity == Severity::note));
    }
  }
}

TEST_CASE("the rules of a table are as fast as the best schedule of the library's algorithms") {
  for (const TableCase& asked : various()) {
    const TuningTable table = read_back(asked);
    // Where no formula gives the best number of chunks, only some are tried.
    const double most = make_cost_model(asked.model).linear() ? 1.1 : 1.2;
    for (const std::uint32_t ranks : asked.ranks) {
      const Oracle oracle(asked, ranks);
      for (const TuningRule& rule : table.rules) {
        if (!rule.ranks.contains(ranks) || rule.algorithm.empty()) continue;
        for (const std::uint64_t size :
             {rule.bytes.first, (rule.bytes.first + rule.bytes.last) / 2}) {
          if (size < ranks) continue;
          INFO(title(asked) << " P " << ranks << " " << rule.collective << " " << rule.algorithm
                            << " " << size);
          CHECK(oracle.time(rule, size) <= most * oracle.best(rule.collective, size));
        }
      }
    }
  }
}

TEST_CASE("choices change at the byte at which the other one becomes faster") {
  std::size_t changes = 0;
  for (const std::uint32_t ranks : {4u, 8u, 12u, 16u}) {
    const TableCase asked{TuningFormat::ompi_rules,
                          {Collective::allreduce, Collective::allgather},
                          {ranks},
                          1,
                          1 << 20,
                          some_model};
    const Oracle oracle(asked, ranks);
    const TuningTable table = read_back(asked);
    for (std::size_t i = 0; i + 1 < table.rules.size(); ++i) {
      const TuningRule& low = table.rules[i];
      const TuningRule& high = table.rules[i + 1];
      if (low.algorithm.empty() || high.algorithm.empty() || low.collective != high.collective)
        continue;
      ++changes;
      INFO("P " << ranks << " " << low.algorithm << " to " << high.algorithm << " at "
                << high.bytes.first);
      const std::uint64_t last = low.bytes.last;
      REQUIRE(high.bytes.first == last + 1);
      const auto at_most = [](double a, double b) { return a <= b * (1 + 1e-8); };
      CHECK(at_most(oracle.time(low, last), oracle.time(high, last)));
      CHECK(at_most(oracle.time(high, last + 1), oracle.time(low, last + 1)));
    }
  }
  CHECK(changes >= 4);
}

TEST_CASE("equal rules of numbers of ranks that follow one another are one entry") {
  const auto entries = [](const std::vector<std::uint32_t>& ranks, TuningFormat format) {
    return tuned_table(
               request_for({format, {Collective::alltoall}, ranks, 1 << 20, 1 << 21, some_model}))
        .table.entries;
  };
  const auto ompi = entries({6, 7, 9, 20}, TuningFormat::ompi_json);
  REQUIRE(ompi.size() == 1);
  CHECK(ompi.front().ranks == Interval{6, 20});
  const auto served = tuned_table(request_for(
      {TuningFormat::nccl_tuner, {Collective::allreduce}, {6, 7, 9}, 1, 1 << 20, some_model}));
  REQUIRE(served.table.entries.size() == 3);
  CHECK(served.table.entries[1].ranks == Interval{7, 7});
}

TEST_CASE("algorithms of the library that schedcc does not have are stated") {
  const auto left_out = [](Collective collective, const std::vector<std::uint32_t>& ranks) {
    std::string result;
    for (const OmittedAlgorithms& l :
         tuned_table(
             request_for({TuningFormat::ompi_rules, {collective}, ranks, 1, 1024, some_model}))
             .left_out)
      result += l.collective + ": " + l.algorithms + ": " + l.reason + "\n";
    return result;
  };
  CHECK(left_out(Collective::allreduce, {8}) ==
        "allreduce: basic_linear (1), nonoverlapping (2), allgather_reduce (7): no counterpart in "
        "schedcc\n");
  CHECK(left_out(Collective::reduce_scatter, {6, 7, 8})
            .ends_with(
                "reduce_scatter_block: all on 6..7 ranks: no algorithm of schedcc serves them\n"));
  // A word of the library without any choice is not an error if another word has one.
  CHECK(left_out(Collective::reduce_scatter, {6})
            .ends_with("reduce_scatter_block: all: no algorithm of schedcc serves them\n"));
}

TEST_CASE("algorithms for commutative operators are not chosen for others") {
  TableRequest request = request_for({TuningFormat::ompi_json,
                                      {Collective::allreduce, Collective::reduce},
                                      {6, 8},
                                      1,
                                      1 << 20,
                                      some_model});
  request.times.ordered = true;
  for (const WrittenEntry& entry : tuned_table(request).table.entries) {
    for (const WrittenRule& rule : entry.rules) {
      INFO(entry.collective << " " << rule.choice.name);
      const bool keeps = entry.collective == "reduce"
                             ? rule.choice.number == 1 || rule.choice.number == 6
                             : rule.choice.number == 3 || rule.choice.number == 0;
      CHECK(keeps);
    }
  }
}

TEST_CASE("collectives that the library does not serve are left out if it serves others") {
  for (const TuningFormat format : all_formats) {
    const Collective none =
        format == TuningFormat::nccl_tuner ? Collective::alltoall : Collective::scan;
    const TunedTable tuned =
        tuned_table(request_for({format, {none, Collective::broadcast}, {8}, 1, 1024, some_model}));
    REQUIRE(tuned.table.entries.size() == 1);
    CHECK(tuned.left_out.front().collective == info(none).name);
    CHECK(tuned.left_out.front().algorithms == "all");
  }
}

TEST_CASE("tables without a choice, or with too many rules, are refused") {
  CHECK_THROWS_WITH(tuned_table(request_for(
                        {TuningFormat::nccl_tuner, {Collective::alltoall}, {8}, 1, 9, some_model})),
                    "the tables of NCCL have no alltoall");
  CHECK_THROWS_AS(tuned_table(request_for(
                      {TuningFormat::ompi_rules, {Collective::scan}, {8}, 1, 9, some_model})),
                  InputError);
  for (const TuningFormat format : all_formats) {
    WrittenTable table;
    table.format = format;
    WrittenEntry entry{"allreduce", {8, 8}, {}};
    for (std::uint64_t i = 0; i <= max_rules; ++i)
      entry.rules.push_back({{i, i}, {i % 2 == 0 ? "ring" : "tree", 3 + i % 2}});
    table.entries.push_back(entry);
    CHECK_THROWS_AS(write_tuning_table(table), InputError);
    table.entries.front().rules.resize(10);
    CHECK_NOTHROW(write_tuning_table(table));
  }
}
