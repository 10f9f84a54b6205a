#pragma once

// Pipelines on LogP whose packets take the same way, one after another, and do not meet at a rank:
// two of them show all that happens.
//
// Theory. Let the chunks of the problem be alike (period.hpp), call each a packet, and number them
// in the order of their first sends. Let each transfer have one chunk, and let those of packet i be
// those of packet 0, i d cycles later. So causality, delivery, redundancy and sums are those of
// packet 0. A packet stays at a rank from the start of its first call there to the end of its last
// one. Let no packet stay anywhere longer than d cycles. Then in each cycle a rank has to do with
// one packet at most: its calls for packet i end before those for packet i + 1 start. So
//
// ports   calls overlap only within a packet. Of two calls of a kind that follow one another both
//         are for the same packet, or the first is the last for packet i, and the second is the
//         first for packet i + 1: all distances are those of packets 0 and 1.
// queues  are those of packet 0: a chunk waits from the end of its receive to its last send.
// deadlock: a call waits for the other end of its message, for calls before it at its rank, and,
//         with eager messages, for earlier receives of its pair: all are for the same packet, or
//         for earlier ones. So if those for packet 0 complete, those for packet 1 complete as if
//         they were alone, and so on.
//
// So there is nothing to report if there is nothing to report of two packets. All transfers are
// read once, in order, to be compared.

#include <cstdint>
#include <functional>
#include <optional>

#include "check/period/period.hpp"

namespace schedcc {

/// The first two packets; none if packets are not seen to do the same without meeting, or are
/// fewer than 3. The chunks of the problem are alike, and the machine has times. `progress` is
/// called with the number of transfers read.
std::optional<Excerpt> two_packets(const Source& source, const LogP& machine,
                                   const std::function<void(std::uint64_t)>& progress);

}  // namespace schedcc
