#pragma once

// The best number of chunks for an algorithm whose parameters are given.

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cost/measurement.hpp"
#include "cost/optimum.hpp"
#include "cost/row_sample.hpp"
#include "cost/search_memory.hpp"
#include "cost/settings.hpp"
#include "cost/timing.hpp"
#include "cost/validity.hpp"
#include "model/scaling.hpp"

namespace schedcc {

/// A number of chunks, and bounds on its time, which coincide where chunks have one size.
struct PacketRange {
  std::uint64_t packets;
  double least, most;
};

/// The choice of K for one setting, for any size. Caches its results.
class Packets {
 public:
  /// The arguments must outlive it.
  Packets(const TuneRequest& request, Setting setting, SearchMemory& memory);

  const Setting& setting() const { return setting_; }

  /// The best K and its time; none if all take at least `limit` seconds. `near`: an estimate of
  /// the best K; 0: none. `evaluated`: as for best_packets(), for all settings together.
  std::optional<PacketChoice> best(std::uint64_t bytes, double limit, std::uint64_t near,
                                   std::uint64_t& evaluated);
  /// The same K, without its exact time.
  std::optional<PacketRange> range_of_best(std::uint64_t bytes, double limit, std::uint64_t near,
                                           std::uint64_t& evaluated);
  /// The same of with().
  std::optional<PacketRange> range_with(std::uint64_t K, std::uint64_t bytes, double limit);
  /// The time with this K; none if it takes at least `limit` seconds, or does not hold.
  std::optional<PacketChoice> with(std::uint64_t K, std::uint64_t bytes, double limit);
  /// The K that were tried for this size; empty: all.
  std::vector<std::uint64_t> tried(std::uint64_t bytes) const;
  /// How many schedules were built and timed, if only in their first steps.
  std::uint64_t built() const { return built_.size(); }
  /// Why none of the evaluated schedules is a choice; its reason is empty if one is. The check for
  /// it may be made only now.
  const Failure& why() const;

 private:
  /// Schedules with more transfers than this are not built just to be timed.
  static constexpr std::uint64_t max_transfers = std::uint64_t{1} << 26;

  /// The algorithm's claim for a number of chunks.
  struct Claimed {
    CostClaim cost;
    bool steps_suffice;  ///< do the steps determine the time?
  };
  /// Lower bounds on the time of a schedule, from those sizes for which it was timed by itself:
  /// each is alpha + beta x, no chunk having fewer than x bytes.
  struct LeastTimes {
    std::uint64_t chunks;  ///< into which the bytes are cut
    std::uint64_t steps;
    std::vector<LinkTime> lines = {};
    std::size_t next = 0;  ///< is replaced, if there are many

    void add(const LinkTime& line);
    double at(std::uint64_t bytes) const;
  };
  /// The bytes of a chunk: of the smaller ones, and in the mean.
  struct ChunkSize {
    double smaller, mean;

    static ChunkSize of(std::uint64_t bytes, std::uint64_t chunks) {
      const std::uint64_t whole = bytes / chunks;
      return {static_cast<double>(whole), static_cast<double>(bytes) / static_cast<double>(chunks)};
    }
  };
  /// Lower bounds from a part of each row.
  struct Sampled {
    RowSample rows;
    Measurement times;
  };
  /// The time of a schedule for any size, by the synchronous clock.
  struct Measured {
    std::uint64_t chunks;  ///< into which `bytes` are cut
    Measurement times;
    std::optional<Sampled> sample = {};
    bool sampled = false;  ///< has a sample been looked for?
  };
  /// The exact time of a choice, or a limit that it is not below.
  struct Exact {
    std::optional<PacketChoice> choice = {};
    double not_below = 0;
  };
  /// The schedule for one chunk, from which those for more are made.
  struct Single {
    Scaling scaling;
    Measurement times;
  };
  /// What least_time() needs of a claim: at least seconds + per_byte x, x bytes in a chunk.
  struct ClaimedLeast {
    double seconds, per_byte;
    bool volume;  ///< does the least volume of the problem count, too?
  };

  const Claimed& claimed(std::uint64_t K) const;
  bool any_packets() const;
  std::optional<PacketChoice> of_all(std::uint64_t bytes, double limit, std::uint64_t& evaluated);
  std::optional<PacketChoice> best_of_tried(std::uint64_t bytes, double limit, std::uint64_t near);
  std::uint64_t full_groups(std::uint64_t K) const;
  std::vector<std::uint64_t> to_try(std::uint64_t bytes) const;
  std::vector<std::uint64_t> in_order(std::uint64_t bytes, std::uint64_t near) const;
  std::optional<PacketChoice> valid_time(std::uint64_t K, std::uint64_t bytes, double limit,
                                         double better);
  std::uint64_t max_chunks(std::uint64_t bytes) const;
  bool is_pipeline(std::uint64_t most) const;
  std::uint64_t rounded_optimum(std::uint64_t bytes, std::uint64_t most) const;
  PacketCost packet_cost(std::uint64_t bytes) const;
  double least_time(std::uint64_t K, std::uint64_t bytes) const;
  CostClaim claimed_messages(std::uint64_t K) const;
  double least_by_messages(std::uint64_t K, std::uint64_t bytes) const;
  ClaimedLeast claimed_least(std::uint64_t K) const;
  double volume_seconds(std::uint64_t bytes) const;
  bool slow_by_scaling(std::uint64_t K, std::uint64_t bytes, double limit, double better);
  bool slow_by_sample(std::uint64_t K, Measured& measured, std::uint64_t bytes, double limit,
                      double better);
  std::optional<Sampled> sample(std::uint64_t K, double chunk) const;
  Single& single();
  std::optional<PacketChoice> time(std::uint64_t K, std::uint64_t bytes, double limit,
                                   double better);
  std::optional<PacketChoice> timed_exactly(const std::optional<PacketChoice>& choice,
                                            std::uint64_t bytes, double limit);
  PacketRange range(const PacketChoice& choice, std::uint64_t bytes) const;
  bool too_large(std::uint64_t K);
  Measured& measured(std::uint64_t K);
  bool can_be_kept(std::uint64_t K) const;
  std::optional<PacketChoice> time_of_steps(std::uint64_t K, std::uint64_t bytes, double limit);
  bool too_wide(std::uint64_t K, std::uint64_t width);
  bool keeps_rules(std::uint64_t K);
  template <typename F>
  bool passes(std::set<std::uint64_t>& passed, std::uint64_t K, F failure);
  bool can_be_built(std::uint64_t K);
  Request with_chunks(std::uint64_t K) const;
  Source source(std::uint64_t K) const;
  Source rest(std::uint64_t K, std::uint64_t row) const;
  Source with_steps(std::uint64_t K, Steps steps) const;
  Steps steps(std::uint64_t K) const { return setting_.algorithm->steps(with_chunks(K)); }

  const TuneRequest& request_;
  Setting setting_;
  SearchMemory& memory_;
  bool once_for_all_;                                ///< is a schedule measured once for all sizes?
  std::map<std::uint64_t, Measured> measured_ = {};  ///< by K
  std::map<std::uint64_t, LeastTimes> least_times_ = {};                 ///< by K
  std::map<std::uint64_t, KeptSteps> kept_ = {};                         ///< by K
  std::map<std::pair<std::uint64_t, std::uint64_t>, Exact> exact_ = {};  ///< by K and size
  /// What tried() returned, by the largest K, where that determines it.
  mutable std::map<std::uint64_t, std::vector<std::uint64_t>> tried_ = {};
  mutable std::map<std::uint64_t, std::uint64_t> full_groups_ = {};   ///< by K
  mutable std::map<std::uint64_t, Claimed> claimed_ = {};             ///< by K
  mutable std::map<std::uint64_t, ClaimedLeast> claimed_least_ = {};  ///< by K
  /// By K and size.
  mutable std::map<std::pair<std::uint64_t, std::uint64_t>, double> least_by_messages_ = {};
  mutable std::pair<std::uint64_t, double> volume_seconds_ = {0, -1};  ///< of the last size
  std::optional<Single> single_ = {};
  std::set<std::uint64_t> built_ = {};  ///< the K that were timed step by step
  std::set<std::uint64_t> buildable_ =
      {};  ///< the K that the algorithm serves, and that are small enough
  std::set<std::uint64_t> keeping_rules_ = {}, holding_ = {};  ///< the K that passed checks
  /// Why a K is not a choice; none: it breaks a rule of the machine, and which one was not asked
  /// for.
  mutable std::map<std::uint64_t, std::optional<Failure>> refused_ = {};
  bool serves_ = false;  ///< is any K one?
};

}  // namespace schedcc
