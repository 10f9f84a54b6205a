#include "model/aliases.hpp"

#include "core/names.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

namespace {

struct Alias {
  AliasKind kind;
  std::string_view alias, name;
};
using enum AliasKind;

constexpr Alias alias_table[] = {
    {collective, "bcast", "broadcast"},
    {collective, "all-gather", "allgather"},
    {collective, "multinode-broadcast", "allgather"},
    {collective, "all-to-all", "alltoall"},
    {collective, "total-exchange", "alltoall"},
    {collective, "all-reduce", "allreduce"},
    {collective, "reducescatter", "reduce-scatter"},
    {collective, "reduce_scatter", "reduce-scatter"},
    {algorithm, "pipeline", "chain"},
    {algorithm, "binary", "binary-tree"},
    {algorithm, "tree", "binomial-tree"},
    {algorithm, "binomial", "binomial-tree"},
    {algorithm, "knomial", "knomial-tree"},
    {algorithm, "kary", "kary-tree"},
    {algorithm, "double-tree", "two-tree"},
    {option, "np", "ranks"},
    {option, "size", "bytes"},
    {option, "latency", "alpha"},
    {option, "bandwidth", "beta"},
};

}  // namespace

std::string_view without_alias(AliasKind kind, std::string_view name) {
  for (const Alias& row : alias_table) {
    if (row.kind == kind && row.alias == name) return row.name;
  }
  return name;
}

std::vector<std::string_view> aliases_of(AliasKind kind, std::string_view name) {
  std::vector<std::string_view> result;
  for (const Alias& row : alias_table) {
    if (row.kind == kind && row.name == name) result.push_back(row.alias);
  }
  return result;
}

Collective collective_of_user(std::string_view name) {
  const std::string_view listed = without_alias(AliasKind::collective, name);
  std::vector<std::string_view> names;
  for (const CollectiveInfo& c : collectives()) {
    if (c.name == listed) return c.collective;
    names.push_back(c.name);
    for (const std::string_view alias : aliases_of(AliasKind::collective, c.name))
      names.push_back(alias);
  }
  if (!nearest(name, names).empty()) throw InputError(unknown("collective", name, names));
  return find_collective(name);  // whose error lists the names
}

}  // namespace schedcc
