#include "cli/cost_model.hpp"

#include <fmt/core.h>

#include "machine/files.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/units.hpp"

namespace schedcc::cli {

bool states_model(const ModelOptions& options) {
  return options.model || options.alpha || options.beta;
}

CostModel cost_model(const ModelOptions& options, const std::optional<std::string>& machine) {
  if (!states_model(options) && machine && names_topology(*machine))
    return make_cost_model("machine");
  const bool shorthand = options.alpha || options.beta;
  if (options.model && shorthand) {
    throw UsageError(
        fmt::format("--{} cannot be combined with --model; state it as a parameter of the model",
                    options.alpha ? "alpha" : "beta"));
  }
  if (options.model) return make_cost_model(*options.model);
  if (!options.alpha || !options.beta) {
    if (machine) check_machine(*machine);  // a file with a misspelt name would have times
    throw UsageError(
        fmt::format("missing --{}: the model alpha-beta needs --alpha, the start-up time of a "
                    "message (10us), and --beta, the time per byte (0.1ns/B, 10GB/s); or name "
                    "another --model, or a machine file with the times of its links",
                    options.alpha ? "beta" : "alpha"));
  }
  parse_time(*options.alpha, "--alpha");
  parse_gap(*options.beta, "--beta");
  return make_cost_model(fmt::format("alpha-beta:alpha={},beta={}", *options.alpha, *options.beta));
}

void require_bytes(const std::optional<std::string>& bytes, Collective collective,
                   std::string_view what) {
  const bool tokens = info(collective).tokens;
  if (tokens && bytes) throw UsageError("a barrier has no --bytes: its messages are empty");
  if (!tokens && !bytes) throw UsageError(fmt::format("missing --bytes, {}", what));
}

}  // namespace schedcc::cli
