#pragma once

// The generator of a command: from its options, whose types differ.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/generator.hpp"
#include "cli/number_list.hpp"
#include "cli/options.hpp"
#include "cli/requests.hpp"
#include "core/only_for.hpp"

namespace schedcc::cli {

/// The numbers that --ranks or --chunks names.
inline std::vector<std::uint32_t> asked_numbers(const std::optional<std::uint64_t>& value,
                                                std::string_view option) {
  if (!value) return {1};
  return {as_usage([&] { return scheduled_number(option, *value); })};
}
inline std::vector<std::uint32_t> asked_numbers(const std::string& list, std::string_view option) {
  return number_list(list, option, UINT32_MAX - 1);
}
inline std::vector<std::uint32_t> asked_numbers(const std::optional<std::string>& list,
                                                std::string_view option) {
  return asked_numbers(list.value_or("1"), option);
}

/// Throws UsageError if a source is given that the generator is not a part of.
void require_generator(std::vector<std::string>& arguments, const std::string& name,
                       const std::optional<std::string>& same_as);

/// Puts the generator of --generator into use; without the option, nullptr. It becomes the source
/// of a command that takes one and is given none. Throws UsageError.
template <typename Options>
std::unique_ptr<Generator> used_generator(Options& options) {
  constexpr bool searches = requires { options.all_chunks; };  // --timeout is for that, too
  if (!options.generator) {
    if (options.timeout && !searches) throw UsageError(only_for("--timeout", "--generator"));
    return nullptr;
  }
  std::vector<GeneratorArguments> first;
  for (const std::uint32_t ranks : asked_numbers(options.ranks, "--ranks")) {
    first.push_back({ranks, asked_numbers(options.chunks, "--chunks").front(), 0});
    if constexpr (requires { options.root; })
      first.back().root = asked_numbers(options.root, "--root").front();
  }
  auto result = std::make_unique<Generator>(options, options.collective, std::move(first));
  constexpr bool takes_source = requires { options.from; };
  if constexpr (requires { options.same_as; }) {
    require_generator(options.arguments, result->name(), options.same_as);
  } else if constexpr (takes_source) {
    require_generator(options.arguments, result->name(), std::nullopt);
  }
  return result;
}

}  // namespace schedcc::cli
