// schedcc list: the names of algorithms, machines, formats, ..., with parameters and sources.

#include <unistd.h>

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/library_names.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "core/names.hpp"
#include "core/only_for.hpp"
#include "model/aliases.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

Json parameters(const std::vector<Parameter>& all) {
  Json result = Json::array();
  for (const Parameter& p : all) {
    Json entry{{"name", p.name}, {"summary", p.summary}};
    if (p.kind == Parameter::Kind::integer) entry["least"] = p.min;
    if (p.kind == Parameter::Kind::integer && p.max != UINT64_MAX) entry["most"] = p.max;
    if (p.kind == Parameter::Kind::flag) entry["flag"] = true;
    if (!p.default_value.empty()) entry["default"] = p.default_value;
    result.push_back(std::move(entry));
  }
  return result;
}

/// The aliases of a name, each with the name.
Json aliases(AliasKind kind, std::string_view name) {
  Json result = Json::object();
  for (const std::string_view alias : aliases_of(kind, name)) result[alias] = name;
  return result;
}

/// What libraries call an algorithm, by library.
Json names_of(const Algorithm& algorithm) {
  Json result = Json::object();
  for (const LibraryNames& names : library_names(algorithm.name))
    result[names.library] = names.names;
  return result;
}

/// Each kind of entry as an array of objects with at least a name and a summary.
Json list_algorithms() {
  Json result = Json::array();
  for (const Algorithm* a : algorithms()) {
    Json names = Json::array();
    for (const Collective c : a->collectives) names.push_back(info(c).name);
    Json entry{{"name", a->name},
               {"summary", a->summary},
               {"collectives", names},
               {"machines", a->machines},
               {"parameters", parameters(a->parameters)},
               {"aliases", aliases(AliasKind::algorithm, a->name)},
               {"names", names_of(*a)},
               {"source", a->source}};
    if (a->serves(Collective::allreduce)) {
      entry["agreement"] = a->disagreement.empty();
      if (!a->disagreement.empty()) entry["disagreement"] = a->disagreement;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

Json list_collectives() {
  Json result = Json::array();
  for (const CollectiveInfo& c : collectives()) {
    static constexpr std::string_view numbering[] = {"K", "K per block", "K per pair of ranks"};
    result.push_back({{"name", c.name},
                      {"summary", c.summary},
                      {"root", c.rooted},
                      {"reduction", c.reduction},
                      {"aliases", aliases(AliasKind::collective, c.name)},
                      {"chunks", c.declared ? "as declared" : numbering[c.blocks]}});
  }
  return result;
}

/// The grammar of SOURCE, and what sequences there are.
Json list_compositions() {
  Json sequences = Json::array();
  for (const CompositionRule& rule : composition_rules()) {
    sequences.push_back(fmt::format("{} then {} is {}", info(rule.first).name,
                                    info(rule.second).name, info(rule.whole).name));
  }
  Json result = Json::array();
  result.push_back({{"name", "X as COLLECTIVE"},
                    {"summary", "X for this collective, one of those that it serves"}});
  result.push_back({{"name", "X then Y"},
                    {"summary", "all of X, then all of Y: where X ends, Y starts"},
                    {"sequences", std::move(sequences)}});
  result.push_back({{"name", "reverse(X)"},
                    {"summary",
                     "X backwards: from a broadcast a reduce, from an allgather a "
                     "reduce-scatter"}});
  result.push_back({{"name", "split(n, X)"},
                    {"summary",
                     "n instances of X at once, on a part of the chunks each, with "
                     "rotated ranks"}});
  result.push_back(
      {{"name", "levels(X, Y)"},
       {"summary",
        "X within nodes and Y between them, on all rails at once; levels(8, X, Y): "
        "nodes of 8 ranks; levels(8, X, Y, leaders): a rank acts for its node; "
        "levels(8, X, Y, segments=S): stages overlap; levels(X, Y, Z): nodes in nodes"}});
  result.push_back({{"name", "(X)"}, {"summary", "X; sequences are from left to right"}});
  return result;
}

Json list_machines() {
  Json result = Json::array();
  for (const MachineInfo& m : machines()) {
    Json aliases = Json::object();
    for (const auto& [alias, meaning] : m.aliases) aliases[alias] = meaning;
    result.push_back({{"name", m.name},
                      {"summary", m.summary},
                      {"parameters", parameters(m.parameters)},
                      {"aliases", aliases},
                      {"source", m.source}});
  }
  return result;
}

/// The files that are part of schedcc.
Json list_machine_files() {
  Json result = Json::array();
  for (const MachineFile& m : machine_files()) {
    result.push_back(
        {{"name", m.name}, {"summary", m.title}, {"ranks", m.ranks}, {"sources", m.sources}});
  }
  return result;
}

Json list_checks() {
  Json result = Json::array();
  for (const CheckInfo& check : all_checks())
    result.push_back({{"name", check.name}, {"summary", check.summary}});
  return result;
}

Json list_formats() {
  Json result = Json::array();
  for (const Format* f : formats()) {
    result.push_back({{"name", f->name},
                      {"summary", f->summary},
                      {"extensions", f->extensions},
                      {"read", f->readable},
                      {"written", f->writable},
                      {"parameters", parameters(f->parameters)}});
  }
  return result;
}

Json list_models() {
  Json result = Json::array();
  for (const CostModelInfo& m : cost_models()) {
    result.push_back({{"name", m.name},
                      {"summary", m.summary},
                      {"parameters", parameters(m.parameters)},
                      {"source", m.source}});
  }
  return result;
}

struct Listing {
  std::string_view name;
  Json (*list)();
};
constexpr Listing listings[] = {{"algorithms", list_algorithms},
                                {"compositions", list_compositions},
                                {"collectives", list_collectives},
                                {"machines", list_machines},
                                {"checks", list_checks},
                                {"formats", list_formats},
                                {"models", list_models}};

std::string words(const Json& array) {
  std::string result;
  for (const Json& item : array.elements()) {
    result += fmt::format("{}{}", result.empty() ? "" : ", ", item.text());
  }
  return result;
}

std::string parameter(const Json& p) {
  const Json* const fallback = p.find("default");
  return fmt::format("{}{}  {}{}", p.find("name")->text(), p.find("flag") != nullptr ? "" : "=",
                     p.find("summary")->text(),
                     fallback != nullptr ? fmt::format(" (default {})", fallback->text()) : "");
}

/// The lines below a name: all fields but the summary.
std::string details(const Json& entry) {
  std::string result;
  const auto line = [&](std::string_view text) { result += fmt::format("      {}\n", text); };
  if (const Json* all = entry.find("collectives")) line(words(*all));
  if (const Json* all = entry.find("sequences")) {
    for (const Json& sequence : all->elements()) line(sequence.text());
  }
  if (const Json* all = entry.find("machines")) line(fmt::format("for {}", words(*all)));
  if (const Json* all = entry.find("parameters")) {
    for (const Json& p : all->elements()) line(parameter(p));
  }
  if (const Json* all = entry.find("aliases")) {
    for (std::size_t i = 0; i < all->keys().size(); ++i) {
      line(fmt::format("also {} for {}", all->keys()[i], all->elements()[i].text()));
    }
  }
  if (entry.find("agreement") != nullptr) {
    const Json* const except = entry.find("disagreement");
    line(fmt::format("all ranks of an allreduce evaluate the same expression{}",
                     except == nullptr ? "" : ", but not " + except->text()));
  }
  if (const Json* ranks = entry.find("ranks")) line(fmt::format("{} ranks", ranks->integer()));
  if (const Json* all = entry.find("sources")) {
    for (const Json& source : all->elements()) line(source.text());
  }
  if (const Json* source = entry.find("source")) line(source->text());
  return result;
}

std::string text(const Printer& printer, const Json& entries, bool full) {
  std::size_t width = 0;
  for (const Json& e : entries.elements()) {
    width = std::max(width, e.find("name")->text().size());
  }
  std::string result;
  for (const Json& entry : entries.elements()) {
    const std::string& name = entry.find("name")->text();
    result += fmt::format("  {}{:{}}  {}\n", printer.bold(name), "", width - name.size(),
                          entry.find("summary")->text());
    if (full) result += details(entry);
  }
  return result;
}

/// The algorithms for which libraries have names, with these alone.
std::string names_text(const Printer& printer) {
  std::size_t width = 0;
  for (const std::string_view library : libraries) width = std::max(width, library.size());
  std::string result = fmt::format("{}\n", printer.bold("algorithms"));
  for (const Algorithm* a : algorithms()) {
    const std::vector<LibraryNames> all = library_names(a->name);
    if (!all.empty()) result += fmt::format("  {}\n", printer.bold(a->name));
    for (const LibraryNames& names : all)
      result += fmt::format("      {:{}}  {}\n", names.library, width, names.names);
  }
  return result;
}

std::vector<const Listing*> chosen(const ListOptions& options) {
  std::vector<const Listing*> result;
  const bool others = std::ranges::any_of(
      options.arguments, [](const std::string& kind) { return kind != "algorithms"; });
  if (options.names && others) throw UsageError(only_for("--names", "algorithms"));
  if (options.names) return {std::begin(listings)};
  if (options.arguments.empty()) {
    for (const Listing& listing : listings) result.push_back(&listing);
  }
  for (const std::string& argument : options.arguments) {
    const auto found = std::ranges::find(listings, std::string_view(argument), &Listing::name);
    if (found == std::end(listings)) throw UsageError(unknown("list", argument, list_kinds()));
    result.push_back(&*found);
  }
  if (!options.files) return result;
  static constexpr Listing files{"files", list_machine_files};
  if (result.size() != 1 || result.front()->list != list_machines)
    throw UsageError(only_for("--files", "'list machines'"));
  return {&files};
}

}  // namespace

std::vector<std::string_view> list_kinds() {
  std::vector<std::string_view> result;
  for (const Listing& listing : listings) result.push_back(listing.name);
  return result;
}

Status list(const ListOptions& options) {
  const Printer printer(STDOUT_FILENO, options.color);
  const std::vector<const Listing*> lists = chosen(options);
  StandardOutput out;
  if (options.json) {
    Json result = Json::object();
    for (const Listing* listing : lists) result[listing->name] = listing->list();
    out.write(dump(result));
    return ok;
  }
  if (options.names) {
    out.write(names_text(printer));
    return ok;
  }
  std::string result;
  for (const Listing* listing : lists) {
    if (!result.empty()) result += "\n";
    result += fmt::format("{}\n", printer.bold(listing->name));
    result += text(printer, listing->list(), lists.size() == 1);
  }
  out.write(result);
  return ok;
}

}  // namespace schedcc::cli
