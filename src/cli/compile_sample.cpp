// schedcc compile --sample: random places of a schedule of any size, instead of all of it.

#include "cli/compile_sample.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "check/sample/sample.hpp"
#include "cli/compile_wide.hpp"
#include "cli/destination.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "core/counted.hpp"
#include "core/only_for.hpp"

namespace schedcc::cli {

namespace {

void require_sampled(const Emission& output, const CompileOptions& options) {
  const std::string& name = options.arguments.front();
  if (is_file(name, options) || names_own_algorithm(name))
    throw UsageError(only_for("--sample", "algorithms of schedcc"));
  const CheckOptions& check = options.check;
  for (const auto& [given, option] : std::array{
           std::pair(options.no_verify, "--no-verify"), std::pair(options.hop_level, "--level hop"),
           std::pair(options.block_sizes.has_value(), "--block-sizes"),
           std::pair(check.checks.has_value(), "--checks"),
           std::pair(check.max_buffer.has_value(), "--max-buffer"),
           std::pair(check.blocking != CheckOptions().blocking, "--blocking"),
           std::pair(check.eager != CheckOptions().eager, "--eager"),
           std::pair(check.strict, "--strict"), std::pair(check.fifo.has_value(), "--fifo"),
           std::pair(options.problem.has_value(), "--problem"),
           std::pair(options.runtime.has_value(), "--runtime"),
           std::pair(options.shown_ranks.has_value(), "--ranks A..B"),
           std::pair(options.shown_steps.has_value(), "--steps")}) {
    if (given) throw UsageError(fmt::format("--sample cannot be combined with {}", option));
  }
  if (output.format != nullptr && !emits_kernel(output))
    throw UsageError("with --sample only the output of --emit cpp:local can be written");
}

/// Throws UsageError for a machine that has more than ports, unless it is the LogP machine of an
/// algorithm with its times: of others ranks would expect messages in the step in which they are
/// sent.
void require_ports(const NamedAlgorithm& named, const Machine& machine) {
  if (machine.routed() || machine.channels() != nullptr) {
    throw UsageError(
        fmt::format("--sample does not look at links, which '{}' has; --machine duplex has none",
                    machine.spec()));
  }
  const std::string own = named.machine(std::nullopt);
  if (machine.timing() == nullptr || Spec::parse(own).name == Spec::parse(machine.spec()).name)
    return;
  throw UsageError(fmt::format("--sample: on '{}' messages take time, which '{}' does not know",
                               machine.spec(), named.spec.name));
}

/// The algorithm, the machine and the sample.
class SampleReport {
 public:
  SampleReport(const WideInput& input, const CompileOptions& options)
      : input_(input),
        problem_(input.computed.problem),
        name_(options.arguments.front()),
        asked_(*options.sample),
        seed_(options.seed.value_or(SampleOptions().seed)) {
    Progress progress("sampling", !options.quiet);
    SampleOptions sample{asked_, seed_, options.check.max_findings};
    sample.progress = [&](std::uint64_t n) { progress.show(n, "places", asked_); };
    sample_ = check_sample(problem_, *input.computed.schedule, input.machine, sample);
  }

  bool clean() const { return sample_.findings_total == 0; }
  /// A rank computed wrongly is a fault of schedcc. More messages than the machine allows are one
  /// of the algorithm on a machine that it was not made for. Undecided: of no message that was read
  /// it is known whether its sender held it.
  Status status() const {
    if (clean()) return steps() > 0 && sample_.held == 0 ? undecided : ok;
    const auto faulty = [](const auto& check) { return check.second && check.first != "ports"; };
    return std::ranges::any_of(sample_.checks, faulty) ? internal_error : violated;
  }

  std::string text(bool colored) const {
    const Style style(colored);
    std::string result;
    for (const Finding& finding : sample_.findings)
      result += schedcc::text(style, finding, {}, name_);
    if (const std::uint64_t more = sample_.findings_total - sample_.findings.size(); more > 0) {
      result += fmt::format("{}: {} not shown (--max-findings)\n", style.bold(name_),
                            counted(more, "more finding"));
    }
    const std::string verdict =
        style.verdict(clean() ? Verdict::unknown : Verdict::violated) +
        (clean() ? ": no finding in a sample, which proves nothing of the rest" : "");
    return result + fmt::format("{}: {}: {} on {}: {}; {}\n", style.bold(name_), verdict,
                                describe(problem_), input_.machine.spec(),
                                counted(steps(), input_.machine.step_unit()), figures());
  }

  Json json() const {
    Json result{{"schedule", name_}, {"collective", info(problem_.collective).name}};
    result["machine"] = input_.machine.spec();
    result["ranks"] = problem_.ranks;
    if (problem_.rooted()) result["root"] = problem_.root;
    result["chunks"] = problem_.chunks;
    result["verdict"] = schedcc::name(verdict(sample_.findings_total > 0));
    result[input_.machine.timing() != nullptr ? "time" : "steps"] = steps();
    result["sample"] = Json{{"asked", asked_},
                            {"seed", seed_},
                            {"places", sample_.places},
                            {"idle", sample_.idle},
                            {"unread", sample_.unread},
                            {"messages", sample_.messages},
                            {"held", sample_.held},
                            {"chunks", sample_.chunks},
                            {"undecided", sample_.undecided}};
    result["checks"] = Json::array();
    for (const auto& [check, violated] : sample_.checks)
      result["checks"].push_back({{"check", check}, {"verdict", schedcc::name(verdict(violated))}});
    result["findings"] = Json::array();
    for (const Finding& finding : sample_.findings)
      result["findings"].push_back(schedcc::json(finding, {}));
    result["findings_total"] = sample_.findings_total;
    return result;
  }

 private:
  /// A sample never shows that a check holds.
  static Verdict verdict(bool violated) { return violated ? Verdict::violated : Verdict::unknown; }

  std::uint64_t steps() const { return input_.computed.schedule->steps(); }

  std::string figures() const {
    std::string result = fmt::format("{}, each a rank in a step (seed {})",
                                     counted(sample_.places + sample_.idle, "place"), seed_);
    if (sample_.idle > 0) result += fmt::format(", {} of them of idle ranks", sample_.idle);
    if (sample_.unread > 0)
      result +=
          fmt::format(", {} of them undecided (too many transfers to be read)", sample_.unread);
    result +=
        fmt::format(": {} compared at both ends, {} of them with a chunk that the sender held",
                    counted(sample_.messages, "message"), sample_.held);
    result += fmt::format(", {} looked for", counted(sample_.chunks, "chunk"));
    if (sample_.undecided > 0)
      result += fmt::format(", {} of them undecided (too many steps or transfers to be searched)",
                            sample_.undecided);
    if (problem_.reduction()) result += "; which contributions sums have is not looked at";
    return result;
  }

  const WideInput& input_;
  const WideProblem& problem_;
  const std::string name_;
  const std::uint64_t asked_, seed_;
  Sample sample_;
};

}  // namespace

Status compile_sample(const Emission& output, const CompileOptions& options) {
  require_sampled(output, options);
  const NamedAlgorithm named(options.arguments.front());
  const WideInput input = open_computed(named.problem(options, options), options);
  require_ports(named, input.machine);
  std::optional<Destination> destination;
  if (output.format != nullptr) destination.emplace(options);
  const SampleReport report(input, options);
  if (options.json) {
    StandardOutput().write(dump(report.json(), options));
  } else if (!options.quiet || !report.clean()) {
    print_error(report.text(Printer(STDERR_FILENO, options.color).colored()));
  }
  if (report.status() == ok && destination) write_kernel(input, output, options, *destination);
  return report.status();
}

}  // namespace schedcc::cli
