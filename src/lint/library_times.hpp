#pragma once

// The times of the algorithms among which a library chooses: each is timed as the algorithm of
// schedcc which is the library's, with the segments that a rule states, or in its best form where
// the library has none.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/packets.hpp"
#include "format/tuning/table.hpp"
#include "format/tuning/write.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/tune.hpp"

namespace schedcc {

/// By what the choices of a table are timed.
struct LossRequest {
  CostModel model;
  std::uint32_t ranks = 0;
  std::optional<std::string> machine = {};
  std::function<void(std::uint64_t)> progress = {};
  bool ordered = false;  ///< operators do not commute: only algorithms for these are compared
};

/// An algorithm of a library.
struct LibraryAlgorithm {
  std::string name;              ///< the library's word
  std::uint64_t number = 0;      ///< of Open MPI
  std::string counterpart = {};  ///< that of schedcc which is the same; empty: none is known
  std::string unsuited = {};     ///< why it is not for the calls that are compared; empty: it is
};

/// The collective of schedcc that a library's word names; none where it has none.
std::optional<Collective> library_collective(const std::string& word);

/// The algorithm of schedcc that is the library's; empty if there is none, or it does not serve the
/// collective.
std::string counterpart_of(TuningFormat format, const std::string& word, std::string_view name,
                           std::uint64_t number, Collective collective);

/// All that the library has for a collective, in its order. The series of Open MPI is that for
/// which the format is: 5 for text, 6 for JSON.
std::vector<LibraryAlgorithm> library_algorithms(TuningFormat format, const std::string& word,
                                                 Collective collective, std::uint32_t ranks,
                                                 bool ordered);

/// Times what a library has for one collective.
class LibraryTimes {
 public:
  /// `request` must outlive it.
  LibraryTimes(TuningFormat format, const std::string& word, Collective collective,
               const LossRequest& request);

  /// An algorithm and its time.
  struct TimedAlgorithm {
    const LibraryAlgorithm* algorithm;
    double seconds;
  };

  const std::vector<LibraryAlgorithm>& algorithms() const { return all_; }
  /// What the library has, and cannot be timed, with the reasons; the names are the library's.
  std::vector<std::pair<std::string, std::string>> untimed() const;

  /// The fastest of those that suit the calls; none if there is none, or there are fewer bytes than
  /// blocks. `bytes`: as the library counts them.
  std::optional<TimedAlgorithm> fastest(std::uint64_t bytes);
  /// The time of `counterpart` with segments of `segment` bytes (0: one for the message) where it
  /// has them; none if it does not serve, or cannot be timed.
  std::optional<double> seconds(const std::string& counterpart, std::uint64_t segment,
                                std::uint64_t bytes);
  /// The fastest, as a rule for it has to be; segments are powers of two. The first one of the
  /// library's if several are as fast.
  std::optional<LibraryChoice> choice(std::uint64_t bytes);

 private:
  /// An algorithm whose packets are the segments of a rule.
  struct SegmentedAlgorithm {
    TuneRequest request;
    std::vector<Packets> settings;
  };
  /// A choice, and its time.
  struct TimedChoice {
    LibraryChoice choice;
    double seconds;
  };

  TuneRequest request_for(std::vector<Spec> specs) const;
  std::uint64_t block_of(std::uint64_t bytes) const;
  bool has_segments(const std::string& counterpart) const;
  const std::vector<Choice>& choices(std::uint64_t size);
  const LibraryAlgorithm* named(const Choice& choice) const;
  SegmentedAlgorithm& segmented(const std::string& counterpart);
  std::optional<double> by_segment(const std::string& counterpart, std::uint64_t segment,
                                   std::uint64_t size);
  TimedChoice with_segments(const LibraryAlgorithm& algorithm, const Choice& free,
                            std::uint64_t size);
  std::uint64_t ring_segment(const Choice& free, std::uint64_t size) const;
  std::uint64_t fanout_of(const LibraryAlgorithm& algorithm, const Choice& free) const;

  TuningFormat format_;
  std::string word_;
  Collective collective_;
  const LossRequest& asked_;
  std::vector<LibraryAlgorithm> all_;
  std::unique_ptr<Tuner> tuner_;  ///< of all that have a counterpart; nullptr: none has
  std::map<std::uint64_t, std::vector<Choice>> choices_;  ///< by size
  SearchMemory memory_;                                   ///< of `segmented_`
  std::map<std::string, std::unique_ptr<SegmentedAlgorithm>> segmented_;
};

}  // namespace schedcc
