// The catalogue of algorithms: the list, and an algorithm by its name or specification.

#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/entry.hpp"
#include "algorithm/own_algorithm.hpp"
#include "core/catalogue.hpp"
#include "core/join.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "model/aliases.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

std::span<const Algorithm* const> algorithms() {
  static const Catalogue<Algorithm> all(algorithm_entries());
  return all.list();
}

namespace {

/// The collective that is named, perhaps misspelt, where an algorithm should be; empty if the name
/// resembles an algorithm, or nothing.
std::string_view meant_collective(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CollectiveInfo& c : collectives()) names.push_back(c.name);
  const std::string_view collective = without_alias(AliasKind::collective, name);
  if (std::ranges::find(names, collective) != names.end()) return collective;
  std::vector<std::string_view> algorithm_names;
  for (const Algorithm* a : algorithms()) algorithm_names.push_back(a->name);
  return nearest(name, algorithm_names).empty() ? nearest(name, names) : std::string_view();
}

/// Throws InputError with the algorithms of a collective that is named where an algorithm should
/// be.
void refuse_collective(std::string_view name) {
  const std::string_view collective = meant_collective(name);
  const auto found = std::ranges::find(collectives(), collective, &CollectiveInfo::name);
  if (found == collectives().end()) return;
  std::vector<std::string_view> names;
  for (const Algorithm* a : algorithms()) {
    if (a->serves(found->collective)) names.push_back(a->name);
  }
  const bool exact = without_alias(AliasKind::collective, name) == collective;
  throw InputError(fmt::format("{}; its algorithms are {}",
                               exact ? fmt::format("'{}' is a collective, not an algorithm", name)
                                     : fmt::format("unknown algorithm '{}'; '{}' is a collective",
                                                   printable(name), collective),
                               join(names, ", ")));
}

}  // namespace

const Algorithm& find_algorithm(std::string_view name) {
  if (names_own_algorithm(name)) return own_algorithm()->algorithm();
  const auto found = std::ranges::find(algorithms(), name, &Algorithm::name);
  if (found == algorithms().end()) refuse_collective(name);
  if (name == own_algorithm_word && found == algorithms().end())
    throw InputError("'generator' is the program of --generator COMMAND, which is not given");
  return find_named(algorithms(), "algorithm", name);
}

Spec algorithm_spec(std::string_view text) {
  if (names_own_algorithm(text)) return {own_algorithm()->name, {}};
  if (is_composition(text)) return {composition_text(text), {}};
  Spec result = Spec::parse(text);
  result.name = without_alias(AliasKind::algorithm, result.name);
  return result;
}

std::shared_ptr<const Algorithm> named_algorithm(const Spec& spec) {
  if (!names_own_algorithm(spec.name) && is_composition(spec.name))
    return std::make_shared<const Algorithm>(composition(spec.name));
  return {std::shared_ptr<void>(), &find_algorithm(spec.name)};
}

}  // namespace schedcc
