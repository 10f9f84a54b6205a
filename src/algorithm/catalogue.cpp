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

/// Throws InputError with the algorithms of a collective that is named where an algorithm should
/// be; perhaps misspelt, if the name resembles no algorithm.
void refuse_collective(std::string_view name) {
  std::vector<std::string_view> rules, kinds;
  for (const Algorithm* a : algorithms()) rules.push_back(a->name);
  for (const CollectiveInfo& c : collectives()) kinds.push_back(c.name);
  std::string_view meant = without_alias(AliasKind::collective, name);
  std::string why = fmt::format("'{}' is a collective, not an algorithm", name);
  if (std::ranges::find(kinds, meant) == kinds.end()) {
    meant = nearest(name, rules).empty() ? nearest(name, kinds) : std::string_view();
    if (meant.empty()) return;
    why = fmt::format("unknown algorithm '{}'; '{}' is a collective", printable(name), meant);
  }
  rules.clear();
  for (const Algorithm* a : algorithms()) {
    if (a->serves(find_collective(meant))) rules.push_back(a->name);
  }
  throw InputError(fmt::format("{}; its algorithms are {}", why, join(rules, ", ")));
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
  if (is_composition(text)) {
    composition(text);  // its errors are at places of this text, not of the normal spelling
    return {composition_text(text), {}};
  }
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
