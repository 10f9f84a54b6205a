// A generator is run as
//
//   COMMAND --ranks P --chunks K --root R
//
// and prints a schedule in the .sched format. Words of plain characters are the command's
// arguments; anything else is a shell's.

#include "cli/generator.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "cli/child.hpp"
#include "cli/generator_output.hpp"
#include "cli/generator_use.hpp"
#include "cli/number_list.hpp"
#include "cli/output.hpp"
#include "core/input_text.hpp"
#include "core/shell_word.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

constexpr int refuses = 77;  ///< the exit status of a generator that does not serve its arguments
constexpr std::size_t max_output = std::size_t{1} << 30;
constexpr std::size_t max_kept = std::size_t{1} << 28;  ///< bytes of all answers

const Generator* generator_in_use = nullptr;

/// The command as words. Throws UsageError if there is none.
std::vector<std::string> command_words(const std::string& command) {
  const bool printable_text =
      std::ranges::none_of(command, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (!printable_text) throw UsageError("--generator: a command is one line of text");
  std::vector<std::string> words;
  for (std::string& word : split(command, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (words.empty()) throw UsageError("--generator needs a command");
  const bool assigns = words.front().find('=') != std::string::npos;
  if (!assigns && std::ranges::all_of(words, is_plain_shell_word)) return words;
  return {"sh", "-c", command + " \"$@\"", "sh"};
}

/// A run of a generator that fails.
[[noreturn]] void fail_run(const std::string& generator, const GeneratorArguments& asked,
                           const std::string& message) {
  throw InputError({generator, 0, 0},
                   fmt::format("the generator {} (--ranks {} --chunks {} --root {})", message,
                               asked.ranks, asked.chunks, asked.root));
}

/// A command with the arguments that ask for a schedule.
std::vector<std::string> with_arguments(std::vector<std::string> words,
                                        const GeneratorArguments& asked) {
  for (const auto& [option, value] :
       {std::pair("--ranks", asked.ranks), std::pair("--chunks", asked.chunks),
        std::pair("--root", asked.root)}) {
    words.emplace_back(option);
    words.push_back(std::to_string(value));
  }
  return words;
}

/// Throws InputError unless the generator ended well and printed something, or was stopped because
/// what it prints is not a schedule, which its reader then says. `seconds`: how long it may run;
/// `said`: the last line on standard error.
void require_output(const ChildEnd& end, double seconds, const std::string& said,
                    const std::string& generator, const GeneratorArguments& asked) {
  if (end.timed_out) {
    fail_run(
        generator, asked,
        fmt::format("did not end within {} seconds, and was stopped; --timeout S gives it more",
                    seconds));
  }
  if (end.too_long) {
    throw LimitError(
        {generator, 0, 0},
        fmt::format("the generator printed more than {} MiB, and was stopped", max_output >> 20));
  }
  if (end.unwanted) return;
  const std::string quoted = said.empty() ? "" : fmt::format(": {}", said);
  if (end.signal != 0) {
    fail_run(
        generator, asked,
        fmt::format("was killed by signal {}, {}{}", end.signal, ::strsignal(end.signal), quoted));
  }
  if (end.exit_status != 0) {
    fail_run(generator, asked, fmt::format("ended with exit status {}{}", end.exit_status, quoted));
  }
  if (end.output.find_first_not_of(" \t\r\n") == std::string::npos)
    fail_run(generator, asked, "printed nothing");
}

/// What the program wrote on standard error is for the user.
void pass_on(const std::string& errors) {
  if (errors.empty()) return;
  print_error(errors.ends_with('\n') ? errors : errors + "\n");
}

}  // namespace

GeneratorArguments generator_arguments(const Problem& problem) {
  return {problem.ranks, problem.chunks, problem.root};
}

Generator::Generator(const GeneratorOptions& options, const std::optional<std::string>& collective,
                     std::vector<GeneratorArguments> first)
    : name_(*options.generator),
      words_(command_words(name_)),
      seconds_(options.timeout.value_or(GeneratorOptions::default_timeout)),
      first_(std::move(first)) {
  if (collective) collective_ = collective_of_user(*collective);  // as a wrong name is an error
  const std::string option = fmt::format("--generator {}", shell_word(name_));
  // The name of an algorithm of schedcc remains that.
  if (std::ranges::find(algorithms(), name_, &Algorithm::name) != algorithms().end())
    name_ += " (generator)";
  in_use_.emplace(
      OwnAlgorithm{name_, option, [this]() -> const Algorithm& { return algorithm(); }});
  generator_in_use = this;
}
Generator::~Generator() { generator_in_use = nullptr; }

const Generator* Generator::in_use() { return generator_in_use; }

std::optional<std::string> Generator::refusal(const GeneratorArguments& arguments) const {
  const auto found = answer(arguments);
  if (found->source) return std::nullopt;
  return found->refusal;
}

void Generator::refuse_collective(const Answer& answer, Collective collective) {
  throw InputError(
      answer.collective,
      fmt::format("the generator printed a schedule for {}; {} was requested",
                  info(answer.source->problem.collective).name, info(collective).name));
}

void Generator::require_collective(Collective collective) const {
  algorithm();
  if (sample_ && sample_->source->problem.collective != collective)
    refuse_collective(*sample_, collective);
}

Source Generator::source(const GeneratorArguments& arguments,
                         std::optional<Collective> collective) const {
  const auto found = answer(arguments);
  if (found->source) {
    if (collective && *collective != found->source->problem.collective)
      refuse_collective(*found, *collective);
    return *found->source;
  }
  throw InputError({name_, 0, 0},
                   fmt::format("the generator refuses --ranks {} --chunks {} --root {}: {}",
                               arguments.ranks, arguments.chunks, arguments.root, found->refusal));
}

std::shared_ptr<const Generator::Answer> Generator::answer(
    const GeneratorArguments& arguments) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = answers_.find(arguments);
    if (known != answers_.end()) return known->second;
  }
  auto result = std::make_shared<const Answer>(run(arguments));
  keep(arguments, result);
  return result;
}

void Generator::keep(const GeneratorArguments& arguments,
                     const std::shared_ptr<const Answer>& answer) const {
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = answer->bytes;
  if (!answers_.try_emplace(arguments, answer).second) return;
  order_.push_back(arguments);
  bytes_ += bytes;
  while (bytes_ > max_kept && order_.size() > 1) {
    const auto oldest = answers_.find(order_.front());
    bytes_ -= oldest->second->bytes;
    answers_.erase(oldest);
    order_.pop_front();
  }
}

Generator::Answer Generator::run(const GeneratorArguments& arguments) const {
  ChildEnd end;
  try {
    end = run_child(with_arguments(words_, arguments),
                    {.seconds = seconds_, .output = max_output, .wanted = [](auto output) {
                       return !begins_otherwise(output);
                     }});
  } catch (const std::system_error& error) {
    fail_run(name_, arguments, fmt::format("cannot be run: {}", error.code().message()));
  }
  const std::string said = last_line(end.errors);
  if (end.exit_status == refuses && end.signal == 0)
    return {nullptr, said.empty() ? "it gives no reason" : said};
  pass_on(end.errors);
  require_output(end, seconds_, said, name_, arguments);

  const std::size_t bytes = end.output.size();
  const InputText text = InputText::of(std::move(end.output));
  auto source = std::make_shared<const Source>(read_schedule(text, name_, arguments));
  return {std::move(source), {}, bytes, header_line(text.view(), "collective", name_)};
}

const Algorithm& Generator::algorithm() const {
  std::call_once(made_, [this] {
    std::string refused;
    machine_ = "duplex";
    std::optional<Collective> collective = collective_;
    for (const GeneratorArguments& arguments : first_) {
      const auto found = answer(arguments);
      refused = found->refusal;
      if (!found->source) continue;
      sample_ = found;
      collective = found->source->problem.collective;
      if (!found->source->machine.empty()) machine_ = found->source->machine;
      break;
    }
    if (!collective) {
      throw InputError(
          {name_, 0, 0},
          fmt::format("the generator refused every requested problem; the last: {}", refused));
    }
    entry_.name = name_;
    entry_.summary = "the program of --generator";
    entry_.source = name_;
    entry_.collectives = {*collective};
    entry_.machines = {machine_};
    entry_.fits = [](const Request&) { return false; };  // nothing is known about its schedules
    entry_.reason = [this](const Request& r) { return refusal(generator_arguments(r.problem)); };
    entry_.order = [](const Request&) -> std::optional<std::string> { return std::nullopt; };
    entry_.build = [this](const Request& r) { return steps(r); };
    entry_.claim = [](const Request&) { return CostClaim{.steps = 0, .exact = false}; };
    if (collective && info(*collective).declared) {
      entry_.own_problem = [this](const Request& r) {
        return source(generator_arguments(r.problem), r.problem.collective).problem;
      };
    }
    algorithm_ = entry_.listed();
  });
  return *algorithm_;
}

Steps Generator::steps(const Request& request) const {
  const Source found = source(generator_arguments(request.problem), request.problem.collective);
  if (found.hop_level()) {
    throw InputError({name_, 0, 0},
                     "the generator prints hops over links; only schedules between ranks can be "
                     "compared or be parts of compositions");
  }
  const auto stream = found.open();
  auto schedule = std::make_shared<const Schedule>(collect(*stream));
  for (std::uint64_t row = 0; row < schedule->size(); ++row) {
    const Step step = (*schedule)[row];
    if (step.rounds == 1) continue;
    throw InputError({name_, step.lines.empty() ? 0 : step.lines.front(), 0},
                     "a step of several rounds cannot be compared or be part of a composition");
  }
  return as_steps(std::move(schedule));
}

std::optional<Spec> unlisted_generator(const std::vector<Spec>& algorithms,
                                       const std::optional<std::string>& collective) {
  const OwnAlgorithm* const own = own_algorithm();
  if (own == nullptr || std::ranges::any_of(algorithms, has_own_algorithm, &Spec::name))
    return std::nullopt;
  if (collective) Generator::in_use()->require_collective(collective_of_user(*collective));
  return Spec{own->name, {}};
}

void require_generator(std::vector<std::string>& arguments, const std::string& name,
                       const std::optional<std::string>& same_as) {
  if (arguments.empty()) arguments.push_back(name);
  for (std::string& argument : arguments) {
    if (argument == own_algorithm_word) argument = name;
  }
  const bool used =
      std::ranges::any_of(arguments, has_own_algorithm) || (same_as && has_own_algorithm(*same_as));
  if (used) return;
  throw UsageError(
      fmt::format("--generator replaces SOURCE; remove '{}', or write 'generator' in it as the "
                  "name of the algorithm",
                  arguments.front()));
}

}  // namespace schedcc::cli
