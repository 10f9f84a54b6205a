#pragma once

// The results of `tune`, before they are printed or drawn.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "schedcc/tune.hpp"

namespace schedcc::cli {

/// All choices for one size.
struct Row {
  std::uint64_t bytes;
  std::vector<Choice> choices;
  std::optional<TimeBound> bound;
  /// --improvement: the best of the others over it.
  std::optional<double> improvement;
};

/// The results for one number of ranks.
struct Study {
  Problem problem;
  std::string machine;  ///< empty: choices are for several
  std::vector<Row> rows;
  std::vector<Crossover> crossovers;
  std::vector<Skipped> skipped;

  /// "broadcast, 64 ranks, root 0 on duplex".
  std::string title() const;
  /// (algorithms that were skipped for the same reason, "ring, chain"; the reason), in order.
  std::vector<std::pair<std::string, std::string>> skipped_by_reason() const;
  /// The size at which an improvement is largest; nullptr if there is none.
  const Row* peak() const;
};

/// The comparison that the options ask for: a study for each number of ranks.
class Tune {
 public:
  /// Compares. Throws UsageError and InputError.
  explicit Tune(const TuneOptions& options);

  const std::vector<Study>& studies() const { return studies_; }
  const CostModel& model() const { return model_; }
  /// --reproducible
  bool reproducible() const { return options_.reproducible; }
  /// --improvement in its normal spelling; empty without it.
  const std::string& improved() const { return improved_; }
  bool range() const { return sizes_.size() > 1; }

  /// The time of a choice by the first of the papers' formulas.
  std::optional<double> formula(const Study& study, const Row& row, const Choice& choice) const;
  /// The command that makes the schedule of a choice.
  std::string command(const Study& study, const Choice& choice) const;
  /// The size in start-up times, FT's k/t; none where the model has no start-up time.
  std::optional<double> start_ups(std::uint64_t bytes) const;

 private:
  Problem problem(Rank ranks) const;
  Study study(Rank ranks);
  Row row(Tuner& tuner, const Problem& problem, std::uint64_t bytes) const;
  std::optional<double> improvement(const Row& row) const;
  void tick() { progress_.show(done_, "sizes", sizes_.size()); }

  const TuneOptions& options_;
  CostModel model_;
  std::vector<Spec> specs_;
  std::string improved_;  ///< --improvement
  std::vector<std::uint64_t> sizes_;
  Progress progress_;
  std::uint64_t done_ = 0;
  std::vector<Study> studies_;
};

}  // namespace schedcc::cli
