// How the text that names a machine becomes the machine: aliases, machine files, parameters and
// paths.

#include "schedcc/machine.hpp"
#include "machine/spec_paths.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "machine/entry.hpp"
#include "machine/files.hpp"
#include "machine/parameters.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The specification with an alias, or the name of a machine file, expanded.
std::string resolve(std::string_view text) {
  const Spec spec = Spec::parse(text);
  if (spec.items.empty() && find_machine_text(spec.name) != nullptr) return "topology:" + spec.name;
  for (const MachineEntry* entry : machine_entries()) {
    for (const auto& [alias, meaning] : entry->aliases) {
      if (spec.name != alias) continue;
      return spec.items.empty()
                 ? std::string(meaning)
                 : fmt::format("{},{}", meaning, spec.text().substr(alias.size() + 1));
    }
  }
  return std::string(text);
}

/// With all parameters, so that a verdict names the complete machine.
std::string spelled_out(const MachineEntry& entry, const Parameters& parameters) {
  Spec full{std::string(entry.name), {}};
  for (const Parameter& parameter : entry.parameters) {
    if (!parameters.has(parameter.name)) continue;
    full.items.emplace_back(std::string(parameter.name), parameters.list(parameter.name));
  }
  return full.text();
}

/// An unknown name may be near to that of a kind, or of a machine file; or it may be a path.
const MachineEntry& find_machine(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MachineEntry* entry : machine_entries()) {
    if (entry->name == name) return *entry;
    names.push_back(entry->name);
  }
  if (find_machine_text(name) != nullptr)
    throw InputError(fmt::format("machine '{}' is a machine file, and has no parameters", name));
  if (name.ends_with(".json") || name.find('/') != std::string_view::npos)
    throw InputError(fmt::format("unknown machine '{0}'; a file is topology:{0}", printable(name)));
  const std::size_t kinds = names.size();
  for (const MachineText& machine : machine_texts()) names.push_back(machine.name);
  if (nearest(name, names).empty()) names.resize(kinds);
  throw_unknown("machine", name, names);
}

/// The kind of machine that a specification names, and its parameters.
struct Named {
  explicit Named(std::string_view text) : Named(Spec::parse(resolve(text))) {}
  explicit Named(const Spec& spec)
      : entry(find_machine(spec.name)),
        parameters(spec.check(entry.parameters, fmt::format("machine '{}'", spec.name))) {}

  const MachineEntry& entry;
  Parameters parameters;
};

/// Does it name a machine file that is part of schedcc, rather than one in this folder?
bool is_machine_name(const std::string& name, const std::filesystem::path& folder) {
  std::error_code ignored;
  return find_machine_text(name) != nullptr && !std::filesystem::exists(folder / name, ignored);
}

/// The specification with change(path) for every path in it, but not for names that are none. A
/// malformed specification is returned unchanged: make_machine reports the error. Paths are
/// relative to `folder`.
template <typename F>
std::string with_paths(const std::string& text, const std::filesystem::path& folder, F change) {
  Spec spec;
  try {
    spec = Spec::parse(text);
  } catch (const InputError&) {
    return text;
  }
  bool changed = false;
  for (const MachineEntry* entry : machine_entries()) {
    if (entry->name != spec.name) continue;
    for (auto& [key, values] : spec.items) {
      const auto parameter = std::ranges::find(entry->parameters, key, &Parameter::name);
      if (parameter == entry->parameters.end() || !parameter->path) continue;
      if (std::filesystem::path(values.front()).is_absolute()) continue;
      if (is_machine_name(values.front(), folder)) continue;
      values.front() = change(values.front());
      changed = true;
    }
  }
  return changed ? spec.text() : text;
}

/// The folder to which paths in the file are relative; empty for the current one.
std::filesystem::path folder_of(const std::string& file) {
  return file.starts_with("/dev/") ? "" : std::filesystem::path(file).parent_path();
}

/// The specification with this width; empty: without one.
std::string width_in_spec(const std::string& text, const std::string& width) {
  Spec spec = Spec::parse(text);
  std::erase_if(spec.items, [](const auto& item) { return item.first == width_parameter.name; });
  if (!width.empty()) spec.items.push_back({std::string(width_parameter.name), {width}});
  return spec.text();
}

}  // namespace

Machine::Machine() {
  static const Machine duplex = make_machine("duplex", 1);
  rules_ = duplex.rules_;
}

Machine::Machine(MachineRules rules)
    : rules_(std::make_shared<const MachineRules>(std::move(rules))) {
  const int limits = (ports() ? 1 : 0) + (timing() ? 1 : 0) + (network() ? 1 : 0);
  const bool checked = (ports() || !channels()) && (width() == 0 || !network());
  if (limits == 1 && checked) return;
  throw InternalError(fmt::format("machine '{}' has an unsupported combination of rules", spec()));
}

std::string_view Machine::name() const {
  return std::string_view(spec()).substr(0, spec().find(':'));
}

Machine Machine::with_spec(std::string spec) const {
  MachineRules rules = *rules_;
  rules.spec = std::move(spec);
  return Machine(std::move(rules));
}

Machine Machine::with_width(std::uint32_t width) const {
  if (width == rules_->width) return *this;
  MachineRules rules = *rules_;
  rules.width = width;
  rules.spec = width_in_spec(spec(), width == 0 ? "" : std::to_string(width));
  return Machine(std::move(rules));
}

std::string machine_spec_from_file(const std::string& file, const std::string& spec) {
  const auto folder = folder_of(file);
  if (folder.empty()) return spec;
  return with_paths(spec, folder,
                    [&](const std::string& path) { return (folder / path).string(); });
}

std::string machine_spec_for_file(const std::string& file, const std::string& spec) {
  const auto folder = folder_of(file);
  if (folder.empty()) return spec;
  return with_paths(spec, "", [&](const std::string& path) {
    std::error_code error;
    const auto relative = std::filesystem::proximate(path, folder, error);
    return error ? path : relative.string();
  });
}

void check_machine(std::string_view text) { static_cast<void>(Named(text)); }

std::optional<std::uint64_t> machine_ranks(std::string_view text) {
  const auto& [entry, parameters] = Named(text);
  return entry.ranks == nullptr ? std::nullopt : entry.ranks(parameters);
}

Machine make_machine(std::string_view text, Rank ranks) {
  const auto& [entry, parameters] = Named(text);
  MachineRules rules = entry.make(parameters, ranks);
  const bool limited = parameters.has(width_parameter.name);
  if (limited) rules.width = static_cast<std::uint32_t>(parameters.integer(width_parameter.name));
  if (rules.spec.empty()) {
    rules.spec = spelled_out(entry, parameters);
  } else if (limited) {
    rules.spec = width_in_spec(rules.spec, parameters.text(width_parameter.name));
  }
  return Machine(std::move(rules));
}

std::vector<MachineInfo> machines() {
  std::vector<MachineInfo> result;
  for (const MachineEntry* entry : machine_entries()) {
    result.push_back({entry->name, entry->summary, entry->source, entry->parameters, entry->aliases,
                      entry->any_ranks});
  }
  return result;
}

}  // namespace schedcc
