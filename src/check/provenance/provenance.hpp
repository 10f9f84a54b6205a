#pragma once

// Finds the causes of errors: a second pass over the schedule follows the chunks that were sent
// without being held, or that some rank ends without, transfer by transfer, and names the faulty
// transfers.
//
// Errors with the same cause are one finding. Memory and time have limits; errors beyond them are
// reported as the first pass found them, and marked as such.

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/holdings.hpp"
#include "check/provenance/groups.hpp"
#include "check/provenance/history.hpp"
#include "check/provenance/limits.hpp"
#include "check/provenance/text.hpp"
#include "schedcc/report.hpp"

namespace schedcc::provenance {

class Provenance {
 public:
  explicit Provenance(Origins origins, Limits limits = {})
      : origins_(std::move(origins)), limits_(limits) {}

  /// The input from the first pass.
  void note(const Holdings::Outcome& outcome);
  /// The second pass, if anything is wrong. `holdings`: at the end of the first. If only senders
  /// matter, `ends` is false: what is said of them is the same as if ranks at the end mattered.
  void trace(const Holdings& holdings, bool ends);

  const Findings& causality() const { return causality_; }
  const Findings& delivery() const { return delivery_; }

 private:
  /// Errors of one kind, by chunk.
  struct Faults {
    struct Entry {
      Holdings::Fault first;
      std::uint64_t count = 0;
      bool explained = false;
    };
    std::vector<Entry> entries = {};
    std::map<Chunk, std::size_t> index = {};
    std::uint64_t beyond = 0;  ///< without an entry

    void add(const std::vector<Holdings::Fault>& faults, std::size_t most);
    void explain(Chunk chunk);
    bool may_have(Chunk chunk) const { return beyond > 0 || index.contains(chunk); }
    bool empty() const { return entries.empty() && beyond == 0; }
  };
  struct IncorrectRank {
    Holdings::Shortfall shortfall;
    std::vector<Run> runs;
  };

  void list_wrong_ranks(const Holdings& holdings);
  std::size_t ranks_listed() const;
  std::vector<Chunk> faulty_chunks();
  std::vector<Rank> ranks_without(Chunk chunk) const;
  void follow(const std::vector<History>& histories, Groups& groups);
  bool confirm(Cause& cause, Chunk chunk) const;
  bool find_causes(const History& history, Groups& groups, Budget& budget);
  void conclude(const Groups& groups);
  using UntracedFinding = Finding (*)(const Holdings::Fault&, const MessageContext&);
  void leave_unexplained(const Faults& faults, Findings& findings, UntracedFinding finding) const;
  MessageContext wording() const { return {origins_.node, complete_}; }

  Origins origins_;
  Limits limits_;
  const Holdings* holdings_ = nullptr;
  bool complete_ = true;  ///< all errors were followed
  Faults unheld_, unordered_;
  std::vector<IncorrectRank> wrong_;
  std::uint64_t wrong_ranks_ = 0;
  Findings causality_, delivery_;
};

}  // namespace schedcc::provenance
