// Passes arbitrary bytes to the readers of files that are no schedules: the tables by which
// libraries choose, each of which may also be read as one of another library, and topologies.
// Findings must lie in the file, and what a rule states must not depend on how often it is read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "format/tuning/table.hpp"
#include "lint/tables.hpp"
#include "machine/topology.hpp"
#include "schedcc/error.hpp"

namespace {

using namespace schedcc;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

bool same(const TuningRule& a, const TuningRule& b) {
  return a.line == b.line && a.column == b.column && a.collective == b.collective &&
         a.algorithm == b.algorithm && a.ranks == b.ranks && a.bytes == b.bytes &&
         a.applies == b.applies;
}

void read_table(const std::string& text, TuningFormat format) {
  TuningTable table = read_tuning_table(text, "fuzz", format);
  require(table.rules.size() <= max_rules, "more rules than a table may have");
  require(std::ranges::equal(table.rules, read_tuning_table(text, "fuzz", format).rules, same),
          "read again, the rules are others");
  lint_rules(table);
  const auto lines = 1 + static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  for (const LintFinding& finding : table.findings)
    require(finding.location.line <= lines && !finding.message.empty(), "a finding has no place");
  for (const TuningRule& rule : table.rules) {
    require(rule.line > 0 && rule.line <= lines, "a rule has no place");
    if (rule.applies)
      require(rule.ranks.first <= rule.ranks.last && rule.bytes.first <= rule.bytes.last,
              "a rule applies to nothing");
  }
}

void read_topology_text(const std::string& text) {
  const Topology topology = parse_topology(text, "fuzz");
  for (const Topology::Link& link : topology.links)
    require(std::max(link.from, link.to) < topology.nodes(), "a link leads nowhere");
  require(topology.times.empty() || topology.times.size() == topology.links.size(),
          "some links have no time");
}

template <typename Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    require(*error.what() != '\0', "an error without a message");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (std::size_t format = 0; format < tuning_formats; ++format)
    attempt([&] { read_table(text, static_cast<TuningFormat>(format)); });
  attempt([&] { read_topology_text(text); });
  return 0;
}
