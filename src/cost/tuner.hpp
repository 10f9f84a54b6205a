#pragma once

// The search of `tune`: tune.cpp compares algorithms, tune_compositions.cpp sequences of two.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition.hpp"
#include "cost/packets.hpp"
#include "cost/validity.hpp"
#include "schedcc/tune.hpp"

namespace schedcc {

/// An algorithm with all settings that serve the request.
struct AlgorithmSettings {
  std::shared_ptr<const Algorithm> algorithm;
  Spec spec;        ///< as in the request
  std::string why;  ///< there are no settings
  std::vector<Packets> settings = {};
  std::size_t last_best = 0;  ///< the setting that was best for the previous size
  std::uint64_t near = 0;     ///< and its K; 0: none
};

class Tuner::Impl {
 public:
  explicit Impl(TuneRequest request);

  // As those of Tuner.
  std::vector<Choice> choices(std::uint64_t bytes);
  std::optional<Choice> best(std::uint64_t bytes);
  std::vector<Crossover> crossovers(const std::vector<std::uint64_t>& sizes);
  std::vector<Skipped> skipped() const;

 private:
  /// The compositions by one rule.
  struct Pair {
    CompositionRule rule;
    std::unique_ptr<Impl> first, second;
    Failure why = {};     ///< there is no choice so far
    bool chosen = false;  ///< there was one for some size

    std::string name() const {
      return fmt::format("{} then {}", info(rule.first).name, info(rule.second).name);
    }
  };
  /// A composition that was the best one for some size.
  struct Composed {
    AlgorithmSettings candidate;
    std::string plain;  ///< its name without parameters
  };

  AlgorithmSettings candidate(std::shared_ptr<const Algorithm> algorithm, const Spec& spec) const;
  void enter(std::shared_ptr<const Algorithm> algorithm, const Spec& spec);
  /// The first of the best settings, if it takes less than `limit` seconds.
  std::optional<Choice> best_of(AlgorithmSettings& candidate, std::uint64_t bytes, double limit);
  /// The best choice with K chunks, if it takes less than `limit` seconds.
  std::optional<Choice> best_with(std::uint64_t K, std::uint64_t bytes, double limit);
  static Choice choice_of(const AlgorithmSettings& own, const Packets& packets,
                          const PacketChoice& found, std::vector<std::uint64_t> tried);
  /// The name without parameters, in which crossovers differ.
  std::string name_at(std::uint64_t bytes);
  void bisect(std::uint64_t low, const std::string& from, std::uint64_t high, const std::string& to,
              std::vector<Crossover>& result);
  /// A lower bound on the time by the synchronous clock of any schedule; 0: none is known. Those on
  /// networks depend on the number of chunks.
  double least_time(std::uint64_t bytes) const;
  /// Why there is no choice at all, by the first algorithm; empty if there is one.
  Failure reason_for_nothing() const;

  void enter_compositions();
  /// Is the sum of the lower bounds for the parts above `seconds`?
  bool cannot_reach(Pair& pair, std::uint64_t bytes, double seconds) const;
  /// The bytes of a part's message, or of each of its blocks.
  std::uint64_t part_bytes(const Impl& part, std::uint64_t bytes) const;
  /// The numbers of chunks to try: those that are best for the parts, and their geometric mean.
  std::vector<std::uint64_t> chunks_for(Pair& pair, std::uint64_t bytes);
  /// The best pair, if it takes less than `limit` seconds.
  std::optional<Choice> best_of(Pair& pair, std::uint64_t bytes, double limit);
  /// The choice of X then Y, with the time of the whole.
  std::optional<Choice> composed(Pair& pair, const Choice& x, const Choice& y, std::uint64_t K,
                                 std::uint64_t bytes, double limit,
                                 const std::vector<std::uint64_t>& tried);

  TuneRequest request_;
  std::vector<AlgorithmSettings> candidates_;
  std::size_t last_best_ = 0;  ///< the best one for the previous size
  std::vector<Pair> pairs_;
  std::map<std::string, Composed> composed_;  ///< by specification
};

}  // namespace schedcc
