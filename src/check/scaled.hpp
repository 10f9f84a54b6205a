#pragma once

// Checks of schedules that differ in the size of their blocks only.
//
// Theory. Let problem B be problem A with every chunk c replaced by n chunks, cn to cn + n - 1,
// which start where c does and end where c does, and let schedule B be schedule A with every
// transfer of the chunks first..first+count-1 replaced by one of first n..(first + count) n - 1, in
// the same steps. Then what ranks hold of each of the n chunks is at any time what they hold in A
// of c: by induction over the steps, as transfers act on each chunk by itself. So causality,
// delivery with the order of operands, redundancy and the expressions of sums are those of A. B has
// the messages of A, each with n times the chunks. Where a machine counts messages (a machine
// without a width, and without links that count chunks; LogP, too, has no time that depends on
// chunks), ports, channels, times and deadlocks are those of A. So there is nothing to report of B
// if there is nothing to report of A, unless queues have a limit; and the figures of B follow from
// those of A.
//
// Other rules send the n packets of a block one after another. Let each step of B have the
// transfers of a step of A, each of one chunk c, replaced by chunk cn + j, with the same packet j
// for the whole step; and let the steps with packet j be, in order, those of A. Then the life of
// chunk cn + j in B is that of c in A, with other steps in between, in which nothing happens to it;
// and each step of B is one of A. On a machine with steps, ports, channels and deadlocks are
// decided step by step, and the rest follows as above.
//
// How long queues are depends on the packets together. That is not found out: without a limit there
// is nothing to report of queues, and to follow them takes a quarter of a check in full.
//
// Many rules move whole blocks, or packet by packet, whatever K is. Of an algorithm whose tables
// are made from that for K = 1 in one of these ways (model/scaling.hpp), with its problem, the one
// for K = 1 is checked, and no other one is made. Other schedules are compared with that for the
// first K; that costs what it takes to make them. Both only show that there is nothing to report:
// otherwise the schedule is checked by itself, and the next ones that are compared are compared
// with that one. Of a pipeline an excerpt is checked (period/period.hpp), which may be that of the
// last K, and then is not checked again.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "algorithm/entry.hpp"
#include "analysis/demand.hpp"
#include "check/period/checked_excerpt.hpp"
#include "check/scaled_rows.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

/// Checks schedules of an algorithm with growing numbers of chunks, one after the other. For one
/// thread.
class ScaledChecks {
 public:
  /// `most`: the transfers that are kept to be compared with, at 16 bytes each.
  explicit ScaledChecks(std::uint64_t most = std::uint64_t{1} << 24) : room_(most) {}
  ScaledChecks(const ScaledChecks&) = delete;
  ScaledChecks& operator=(const ScaledChecks&) = delete;

  /// As `check`, but for the longest queue (Report::max_buffer), which is none where there is
  /// nothing to report of a schedule. The options have to be the same in each call.
  Report check(const Source& source, const Machine& machine, const CheckOptions& options);
  /// The same of the schedule of an algorithm for a request that it serves, named `spec`, on the
  /// request's machine. The algorithm and the number of ranks have to be the same in each call.
  Report check(const Algorithm& algorithm, const Request& request, const std::string& spec,
               const CheckOptions& options);

  /// How many reports followed from others.
  std::uint64_t followed() const { return followed_; }

 private:
  /// A schedule of which there is nothing to report.
  struct Base {
    Base(const Source& source, const Report& found, std::uint64_t& room)
        : report(found), rows(source, found.transfers, room) {}

    Report report;
    ScaledRows rows;
    std::optional<Demand> demand = {};  ///< of its problem
  };

  /// What is known of an algorithm's schedule for K = 1.
  struct Unit {
    Report report;
    bool clean = false;      ///< is there nothing to report?
    std::uint64_t span = 0;  ///< of its steps
    Demand demand = {};
  };

  CheckedExcerpt* excerpt_of(Rank root);
  Report check_alone(const Source& source, const Machine& machine, const CheckOptions& options,
                     const Demand* demand = nullptr);
  Unit unit(const Algorithm& algorithm, const Request& request, const std::string& spec,
            const CheckOptions& options);
  std::optional<Report> from(const Unit& unit, Scaling scaling, const Algorithm& algorithm,
                             const Request& request) const;
  std::optional<Report> from(Base& base, const Source& source, const Machine& machine);

  std::uint64_t room_;  ///< for transfers that are kept
  std::uint64_t followed_ = 0;
  std::map<Rank, std::optional<Base>> bases_;  ///< by root
  std::map<Rank, Unit> units_;                 ///< by root
  std::map<Rank, CheckedExcerpt> excerpts_;    ///< by root
};

}  // namespace schedcc
