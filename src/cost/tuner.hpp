#pragma once

// The search of `tune`: tune.cpp compares algorithms, tune_compositions.cpp compositions:
// sequences, reverses and instances (tune_kinds.cpp), and levels (tune_levels.cpp).

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "core/integers.hpp"
#include "cost/packets.hpp"
#include "cost/search_memory.hpp"
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

class LevelSteps;

/// How many blocks the bytes of a problem, or its chunks, are counted in: P or 1.
inline std::uint64_t blocks_of(const Problem& problem) {
  return problem.in_blocks() ? problem.ranks : 1;
}

/// The request for a part of a composition, which any of the same algorithms may serve.
TuneRequest request_of_part(const TuneRequest& whole, Problem problem);

class Tuner::Impl {
 public:
  /// `memory`: that of the search which it is a part of.
  Impl(TuneRequest request, std::shared_ptr<SearchMemory> memory);

  // As those of Tuner.
  std::vector<Choice> choices(std::uint64_t bytes);
  std::optional<Choice> best(std::uint64_t bytes);
  std::vector<Crossover> crossovers(const std::vector<std::uint64_t>& sizes);
  std::vector<Skipped> skipped() const;
  SearchCounts judged() const;

 private:
  /// A part of compositions, which is searched for itself: for K chunks of the whole it has
  /// ceil(K num / den), and as many bytes in proportion.
  struct Part {
    std::unique_ptr<Impl> tuner;
    std::uint64_t num, den;  ///< without common divisors: it has whole chunks if den divides K

    Part(std::unique_ptr<Impl> part_tuner, std::uint64_t n, std::uint64_t d)
        : tuner(std::move(part_tuner)), num(n / std::gcd(n, d)), den(d / std::gcd(n, d)) {}
    std::uint64_t scaled(std::uint64_t whole) const { return ceil_div(whole * num, den); }
    /// The least K for which it has `chunks` chunks.
    std::uint64_t whole(std::uint64_t chunks) const { return ceil_div(chunks * den, num); }
  };
  /// Compositions that consist of the same parts.
  struct Combination {
    std::string name;  ///< for people
    std::vector<Part> parts;
    /// The composition of the parts with these specifications.
    std::function<std::string(const std::vector<std::string>&)> text;
    /// Do the parts together take no longer than the whole? Else, and in LogP, their times are
    /// estimates.
    bool exact = true;
    /// Is there one part, whose algorithms are tried in the order of their times, until these are
    /// above that of the best whole?
    bool one_part = false;
    /// Is it a choice only if it is better than all before it?
    bool only_if_better = false;
    /// The composition whose stages overlap, in so many segments; nullptr: there is none.
    std::function<std::string(const std::string& text, std::uint64_t segments)> in_segments =
        nullptr;
    StageOverlap overlap = {};
    Failure why = {};     ///< there is no choice so far
    bool chosen = false;  ///< there was one for some size
  };
  /// A composition that was the best one for some size.
  struct Composed {
    AlgorithmSettings candidate;
    std::string plain;  ///< its name without parameters
  };

  AlgorithmSettings candidate(std::shared_ptr<const Algorithm> algorithm, const Spec& spec) const;
  void enter(std::shared_ptr<const Algorithm> algorithm, const Spec& spec);
  /// Is it a barrier, on a machine where not every algorithm for its ports fits? Allgathers, which
  /// spare links, are then tried as well.
  bool tokens_share_links() const;
  /// The first of the best settings, if it takes less than `limit` seconds.
  std::optional<Choice> best_of(AlgorithmSettings& candidate, std::uint64_t bytes, double limit);
  /// The number of chunks of the best choice, and bounds on its time; none if there is no choice,
  /// or if the best one takes `limit` seconds or more.
  std::optional<PacketRange> range_of_best(std::uint64_t bytes, double limit);
  /// A lower bound on the time of the best choice with K chunks; HUGE_VAL: it is not below `limit`.
  double least_with(std::uint64_t K, std::uint64_t bytes, double limit);
  /// The best choice with K chunks, if it takes less than `limit` seconds.
  std::optional<Choice> best_with(std::uint64_t K, std::uint64_t bytes, double limit);
  static Choice choice_of(const AlgorithmSettings& candidate, const Packets& packets,
                          const PacketChoice& found, std::vector<std::uint64_t> tried);
  /// The name without parameters, in which crossovers differ.
  std::string name_at(std::uint64_t bytes);
  void bisect(std::uint64_t low, const std::string& from, std::uint64_t high, const std::string& to,
              std::vector<Crossover>& result);
  /// A lower bound on the time by the synchronous clock of any schedule; 0: none is known. Those on
  /// networks depend on the number of chunks.
  double least_time(std::uint64_t bytes) const;
  /// Why there is no choice at all, by the first algorithm; empty if there is one.
  Failure reason_for_no_choice() const;

  /// Adds a combination if algorithms serve all of its parts.
  static void enter(Combination combination, std::vector<Combination>& combinations);
  /// Adds the kinds of compositions: X then Y, ...
  void enter_sequences();
  /// ... reverse(X), of algorithms that serve only the reverse of the collective, ...
  void enter_reverse();
  /// ... split(n, X), where ranks have ports for n instances, ...
  void enter_splits();
  /// ... and levels(m, X, Y).
  void enter_levels();
  /// Adds levels whose nodes are the groups of this level.
  void enter_levels(const LevelSteps& steps, std::size_t level,
                    std::vector<Combination>& combinations);
  /// The best composition with K chunks, if its parts together take less than `limit` seconds; it
  /// is not built.
  static std::optional<Choice> estimate_with(Combination& combination, std::uint64_t K,
                                             std::uint64_t bytes, double limit);
  /// The lower bound on the time of a part, if the whole has so many bytes.
  static double least_time(const Part& part, std::uint64_t bytes) {
    return part.tuner->least_time(bytes * part.num / part.den);
  }
  /// Is the sum of the lower bounds for the parts above `seconds`?
  static bool cannot_beat(Combination& combination, std::uint64_t bytes, double seconds);
  /// Are these more chunks, of the message or of all blocks, than transfers can name?
  bool too_many_chunks(std::uint64_t K) const {
    return K * blocks_of(request_.problem) > max_transfer_count;
  }
  /// The numbers of chunks to try: those that are best for the parts, and their geometric mean.
  /// None if the parts with these together take `limit` seconds or more.
  std::vector<std::uint64_t> chunks_for(Combination& combination, std::uint64_t bytes,
                                        double limit);
  /// The best choices of the parts, each with the chunks that are best for it; none if there are
  /// none, or if their exact times together are `limit` seconds or more.
  static std::vector<PacketRange> best_of_parts(Combination& combination, std::uint64_t bytes,
                                                double limit);
  /// With K chunks, do the parts together take at least `limit` seconds, as their bounds tell?
  static bool too_slow(Combination& combination, std::uint64_t K, std::uint64_t bytes,
                       double limit);
  /// The best composition, if it takes less than `limit` seconds.
  std::optional<Choice> best_of(Combination& combination, std::uint64_t bytes, double limit);
  /// The same for one part.
  std::optional<Choice> best_of_one_part(Combination& combination, std::uint64_t bytes,
                                         double limit);
  /// The numbers of chunks of the whole that are tried, if this is the choice for its one part.
  std::vector<std::uint64_t> chunks_of_one_part(const Part& part, const Choice& choice) const;
  /// The choice that consists of these, with the time of the whole; `segments`: 0, or in so many.
  std::optional<Choice> composed(Combination& combination, const std::vector<Choice>& parts,
                                 std::uint64_t segments, std::uint64_t K, std::uint64_t bytes,
                                 double limit, const std::vector<std::uint64_t>& tried);
  /// The best choice that consists of these, without segments or in some, if it takes less than
  /// `limit` seconds.
  std::optional<Choice> best_in_segments(Combination& combination, const std::vector<Choice>& parts,
                                         std::uint64_t K, std::uint64_t bytes, double limit,
                                         const std::vector<std::uint64_t>& tried);

  TuneRequest request_;
  std::shared_ptr<SearchMemory> memory_;
  std::vector<AlgorithmSettings> candidates_;
  std::size_t last_best_ = 0;  ///< the best one for the previous size
  std::vector<Combination> combinations_;
  std::vector<Combination> inner_levels_;  ///< of a part of levels; only best_with() asks them
  /// The one that was better than all candidates for the previous size.
  std::optional<std::size_t> last_combination_;
  Packets* last_with_ = nullptr;  ///< the setting that was the best one with the previous K
  std::map<std::string, Composed> composed_;  ///< by specification
};

}  // namespace schedcc
