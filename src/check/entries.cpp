// The list of checks.

#include <algorithm>
#include <string_view>
#include <vector>

#include "check/checks.hpp"
#include "core/names.hpp"
#include "program/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

// clang-format off
#define SCHEDCC_CHECKS(ENTRY) \
  ENTRY(shape) ENTRY(ports) ENTRY(links) ENTRY(switches) ENTRY(causality) ENTRY(delivery) \
  ENTRY(deadlock) \
  ENTRY(buffers) ENTRY(redundancy) ENTRY(agreement) ENTRY(same_as) ENTRY(bound)
// clang-format on

#define SCHEDCC_DECLARE(name) extern const CheckEntry name##_check;
SCHEDCC_CHECKS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE

std::span<const CheckEntry* const> check_entries() {
#define SCHEDCC_ADDRESS(name) &name##_check,
  static constexpr const CheckEntry* list[] = {SCHEDCC_CHECKS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

bool asks_for(const CheckOptions& options, std::string_view check) {
  return !options.checks || std::ranges::find(*options.checks, check) != options.checks->end();
}

void require_checks(std::span<const std::string> names) {
  std::vector<std::string_view> known;
  for (const CheckInfo& check : all_checks()) known.push_back(check.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(unknown("check", name, known));
  }
}

std::vector<CheckInfo> checks() {
  std::vector<CheckInfo> result;
  for (const CheckEntry* entry : check_entries()) result.push_back({entry->name, entry->summary});
  return result;
}

std::vector<CheckInfo> all_checks() {
  std::vector<CheckInfo> result = checks();
  for (const CheckInfo& check : program_checks()) {
    if (std::ranges::find(result, check.name, &CheckInfo::name) == result.end())
      result.push_back(check);
  }
  return result;
}

}  // namespace schedcc
