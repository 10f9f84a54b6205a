// Open MPI takes the first entry of its text format also for fewer ranks, and the last one for
// more, and the same of sizes: there, rules with the number 0, its fixed rules, end what the table
// serves.

#include "format/tuning/write.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/json.hpp"
#include "format/tuning/ompi_names.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

constexpr std::uint64_t no_end = UINT64_MAX;

/// The rules, with Open MPI's fixed rules for smaller and larger sizes.
std::vector<WrittenRule> for_all_sizes(const std::vector<WrittenRule>& rules) {
  std::vector<WrittenRule> result = rules;
  const std::uint64_t first = rules.front().bytes.first, last = rules.back().bytes.last;
  if (first > 0) result.insert(result.begin(), {{0, first - 1}, library_default()});
  if (last < no_end) result.push_back({{last + 1, no_end}, library_default()});
  return result;
}

/// The entries of a collective, with Open MPI's fixed rules for fewer and for more ranks; one rank
/// needs none.
std::vector<WrittenEntry> for_all_ranks(std::vector<WrittenEntry> entries) {
  const std::uint64_t first = entries.front().ranks.first, last = entries.back().ranks.last;
  const std::vector<WrittenRule> fixed{{{}, library_default()}};
  if (first > 2)
    entries.insert(entries.begin(), {entries.front().collective, {0, first - 1}, fixed});
  if (last < no_end) entries.push_back({entries.front().collective, {last + 1, no_end}, fixed});
  return entries;
}

/// The entries by collective.
std::vector<std::vector<WrittenEntry>> by_collective(const WrittenTable& table) {
  std::vector<std::vector<WrittenEntry>> result;
  for (const WrittenEntry& entry : table.entries) {
    if (result.empty() || result.back().front().collective != entry.collective)
      result.emplace_back();
    result.back().push_back(entry);
  }
  return result;
}

std::string comments_text(const WrittenTable& table) {
  std::string result;
  for (const std::string& line : table.comments)
    result += line.empty() ? "#\n" : fmt::format("# {}\n", line);
  return result;
}

std::string ompi_rules_text(const WrittenTable& table) {
  const auto collectives = by_collective(table);
  std::string result = comments_text(table);
  result += fmt::format("{}  # collectives\n", collectives.size());
  for (const std::vector<WrittenEntry>& served : collectives) {
    const std::vector<WrittenEntry> entries = for_all_ranks(served);
    const auto all = ompi_collectives();
    const auto at =
        std::ranges::find(all, std::string_view(served.front().collective), &OmpiCollective::name);
    result += fmt::format("{} {}  # {}\n", at - all.begin(), entries.size(), at->name);
    for (const WrittenEntry& entry : entries) {
      const std::vector<WrittenRule> rules = for_all_sizes(entry.rules);
      result +=
          fmt::format("{} {}  # {}\n", entry.ranks.first, rules.size(), ranks_text(entry.ranks));
      for (const WrittenRule& rule : rules) {
        const LibraryChoice& choice = rule.choice;
        result += fmt::format("{} {} {} {}  # {}\n", rule.bytes.first, choice.number, choice.fanout,
                              choice.segment, choice.name);
      }
    }
  }
  return result;
}

Json rule_json(const WrittenRule& rule) {
  return {{"msg_size_min", rule.bytes.first},
          {"msg_size_max", rule.bytes.last == no_end ? Json("inf") : Json(rule.bytes.last)},
          {"alg", rule.choice.number},
          {"faninout", rule.choice.fanout},
          {"seg_size", rule.choice.segment}};
}

/// The loader takes no comments, and the schema no other keys.
std::string ompi_json_text(const WrittenTable& table) {
  Json collectives = Json::object();
  for (const std::vector<WrittenEntry>& entries : by_collective(table)) {
    Json comms = Json::array();
    for (const WrittenEntry& entry : entries) {
      Json rules = Json::array();
      for (const WrittenRule& rule : for_all_sizes(entry.rules)) rules.push_back(rule_json(rule));
      Json comm{{"comm_size_min", entry.ranks.first}};
      if (entry.ranks.last != no_end) comm["comm_size_max"] = entry.ranks.last;
      comm["rules"] = std::move(rules);
      comms.push_back(std::move(comm));
    }
    collectives[entries.front().collective] = std::move(comms);
  }
  return dump({{"rule_file_version", std::uint64_t{3}},
               {"module", "tuned"},
               {"collectives", std::move(collectives)}});
}

/// NCCL has the other algorithms with this protocol alone.
std::string_view protocol_of(const WrittenTable& table, const WrittenRule& rule) {
  const std::string& name = rule.choice.name;
  return name == "ring" || name == "tree" ? std::string_view(table.protocol) : "simple";
}

std::string nccl_tuner_text(const WrittenTable& table) {
  std::string result = comments_text(table);
  result += "# collective,minBytes,maxBytes,algorithm,protocol,channels,nNodes,nRanks\n";
  for (const WrittenEntry& entry : table.entries) {
    for (const WrittenRule& rule : entry.rules) {
      result += fmt::format("{},{},{},{},{},{},{},{}\n", entry.collective, rule.bytes.first,
                            rule.bytes.last, rule.choice.name, protocol_of(table, rule),
                            table.channels, table.nodes, entry.ranks.first);
    }
  }
  return result;
}

}  // namespace

std::string write_tuning_table(const WrittenTable& table) {
  std::string result = table.format == TuningFormat::ompi_rules  ? ompi_rules_text(table)
                       : table.format == TuningFormat::ompi_json ? ompi_json_text(table)
                                                                 : nccl_tuner_text(table);
  try {
    read_tuning_table(result, "the table", table.format);
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "the table could not be read back: {}; request fewer ranks or sizes", error.what()));
  }
  return result;
}

}  // namespace schedcc
