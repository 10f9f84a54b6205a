#pragma once

// The best number of chunks for an algorithm whose parameters are given.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cost/optimum.hpp"
#include "cost/settings.hpp"

namespace schedcc {

/// The choice of K for one setting, for any size. Remembers what it has looked at.
class Packets {
 public:
  /// Both must outlive it.
  Packets(const TuneRequest& request, Setting setting);

  const Setting& setting() const { return setting_; }

  /// The best K and its time; nothing if none takes less than `limit` seconds. `near`: where the
  /// best K may be; 0: no guess.
  std::optional<PacketChoice> best(std::uint64_t bytes, double limit, std::uint64_t near);
  /// The K that were tried for this size; empty: all that there are.
  std::vector<std::uint64_t> tried(std::uint64_t bytes) const;
  /// Why schedules were left out that would have been looked at; empty if none was.
  const std::string& why() const { return why_; }

 private:
  /// What a schedule takes with chunks of x bytes: startup + per_byte x, by the synchronous clock.
  struct Linear {
    std::uint64_t steps, width;
    std::uint64_t chunks;  ///< into which `bytes` are cut
    double startup, per_byte;
  };

  std::optional<PacketChoice> of_all(std::uint64_t bytes, double limit);
  std::optional<PacketChoice> of_those_tried(std::uint64_t bytes, double limit, std::uint64_t near);
  std::uint64_t most_chunks(std::uint64_t bytes) const;
  bool is_pipeline(std::uint64_t most) const;
  std::uint64_t most_in_as_many_steps(std::uint64_t K, std::uint64_t end) const;
  double least_time(std::uint64_t K, std::uint64_t bytes) const;
  std::optional<PacketChoice> time(std::uint64_t K, std::uint64_t bytes, double limit);
  Linear measure(const Source& source) const;
  bool too_wide(std::uint64_t width);

  const TuneRequest& request_;
  Setting setting_;
  std::map<std::uint64_t, Linear> measured_ = {};  ///< by K
  std::string why_;
};

}  // namespace schedcc
