#pragma once

// Broadcasts of which one generation of packets, and the last packet, show all that happens.
//
// Theory. Let a broadcast have n packets, of one chunk each, and rows 0..N-1, one a step. Let m be
// the last packet, in none of the rows before row m, and the only one that is unlike the others.
// With a period of q rows and q packets let
//
//   (1) row i + q be row i with q added to each packet, but for packets below 0 and from m on, for
//       all i + q < m; and for i + q >= m, if m is left out: here N - m <= q;
//   (2) packets 0..q-1, generation 0, be in rows before row W only, W + q <= m, and packet c in no
//       row before row c.
//
// Then packet c + fq < m is in row i + fq what c is in row i: by (1), applied f times, since with
// (2) no packet from m on would be in rows before m, and none below q is in rows from W on. So its
// life is that of c. Those of the last generation have the latest ends, which must be before row N.
// Causality, delivery, redundancy and arrivals that meet depend on the transfers of one packet
// alone: they are found for generation 0, in which each rank's arrival is remembered, and for
// packet m.
//
// Rows m-q..m-1 have transfers of all packets that generations without beginning or end would have
// there; each row before them has some of the transfers of one of these, with other packets. So
// what ports allow in rows m-q..N-1 they allow in all rows.
//
// A rank keeps packet c + fq from row a + fq on, up to the last of its sends, in row b + fq. Of
// generations without beginning or end it would keep after a row as many as q rows later, a number
// that is reached before row m, and no larger one until packet m arrives: what it keeps of that and
// of the packets before it is counted row by row. For the queues of all ranks together
// (symmetry/one_block.hpp) the same holds, and all packets are counted.
//
// The circulant broadcast is like this, once it has more than W + q packets: its last packet fills
// up the last phase. All rows are compared with those a period later, once; beyond that no
// transfers are read but those of these packets, and of the rows for the ports.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "check/crew.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

/// What is left to be checked of a broadcast, and its figures.
struct OneGeneration {
  Source busiest;               ///< the rows in which ports are used most
  std::uint64_t steps;          ///< none of which is idle
  std::uint64_t transfers;      ///< of one chunk each
  std::uint64_t longest_queue;  ///< of a rank, or of all of them
};

/// None if the broadcast is another one, or if the machine or the options ask for more. Throws
/// Abandoned if there may be anything to report. The rows are compared by a crew;
/// `progress` is called by the caller's thread with the number of transfers read. `one_queue`: the
/// queues of all ranks are counted as one.
std::optional<OneGeneration> one_generation(const Source& source, const Machine& machine,
                                            const CheckOptions& options, const Crew& crew,
                                            const std::function<void(std::uint64_t)>& progress,
                                            bool one_queue);

}  // namespace schedcc
