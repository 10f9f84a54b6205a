#pragma once

// --generator: a program in any language that prints schedules, as an algorithm.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/entry.hpp"
#include "algorithm/own_algorithm.hpp"
#include "cli/options.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cli {

/// What a generator is asked for: its arguments.
struct GeneratorArguments {
  Rank ranks = 1;
  std::uint32_t chunks = 1;
  Rank root = 0;
  friend auto operator<=>(const GeneratorArguments&, const GeneratorArguments&) = default;
};

/// The program of --generator, which is the user's own algorithm while this exists. It is run once
/// for the same arguments, unless what it printed takes too much memory to be kept. Its functions
/// may be called by several threads.
class Generator {
 public:
  /// `options` has a generator. `first`: the arguments by which its collective and machine are
  /// found, if they are needed; the first ones that it serves count. If there are none,
  /// `collective` counts, as --collective names it. Throws UsageError for a command that is none.
  Generator(const GeneratorOptions& options, const std::optional<std::string>& collective,
            std::vector<GeneratorArguments> first);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator();

  /// The one that exists; nullptr: none.
  static const Generator* in_use();

  /// In reports, and as the file in locations: its command.
  const std::string& name() const { return name_; }
  /// Why it does not serve these arguments; none if it does. Throws InputError if it fails, or if
  /// it prints something else than asked for, LimitError if it prints too much.
  std::optional<std::string> refusal(const GeneratorArguments& arguments) const;
  /// The schedule that it prints, read as a file. Throws InputError, also for a refusal, and if it
  /// is for another collective than the one asked for.
  Source source(const GeneratorArguments& arguments, std::optional<Collective> collective) const;
  /// Throws InputError if its schedules are for another collective.
  void require_collective(Collective collective) const;

 private:
  struct Answer {
    std::shared_ptr<const Source> source;  ///< nullptr: it refuses
    std::string refusal = {};
    std::size_t bytes = 0;
    SourceLocation collective = {};  ///< where it is stated
  };

  std::shared_ptr<const Answer> answer(const GeneratorArguments& arguments) const;
  Answer run(const GeneratorArguments& arguments) const;
  [[noreturn]] static void refuse_collective(const Answer& answer, Collective collective);
  void keep(const GeneratorArguments& arguments, const std::shared_ptr<const Answer>& answer) const;
  const Algorithm& algorithm() const;
  Steps steps(const Request& request) const;

  std::string name_;
  std::vector<std::string> words_;  ///< the program and its first arguments
  double seconds_;
  std::optional<Collective> collective_;
  std::vector<GeneratorArguments> first_;

  mutable std::mutex mutex_;
  mutable std::map<GeneratorArguments, std::shared_ptr<const Answer>> answers_;
  mutable std::deque<GeneratorArguments> order_;  ///< of the answers, the oldest first
  mutable std::size_t bytes_ = 0;                 ///< of all answers

  mutable std::once_flag made_;
  mutable std::shared_ptr<const Answer> sample_;  ///< for the first arguments that it serves
  mutable std::string machine_;
  mutable AlgorithmEntry entry_;
  mutable std::optional<Algorithm> algorithm_;

  std::optional<OwnAlgorithmInUse> in_use_;
};

/// The generator in use, unless it is one of the algorithms; none if there is none. Throws
/// InputError if its schedules are for another collective than `collective` names.
std::optional<Spec> unlisted_generator(const std::vector<Spec>& algorithms,
                                       const std::optional<std::string>& collective);

/// The arguments for a problem.
GeneratorArguments generator_arguments(const Problem& problem);

}  // namespace schedcc::cli
