#pragma once

// Checks of pipelines by an excerpt: where a schedule repeats itself packet by packet, a part of it
// shows all that happens.
//
// Theory. The rows of a schedule are its steps that are not empty. They are divided into m phases,
// such as a reduction and a broadcast, one after the other. In each there is a region, rows a..b-1:
// row i + q, of the same phase, consists of the transfers of row i with s added to each chunk, and
// their steps are the same number of steps apart. A phase has q and s of its own, but |s| = U is
// the same in all: several periods together are one.
//
// Let the chunks of the problem be alike, as those of a broadcast, a reduction or an allreduce:
// what ranks start and end with is the same for each. The life of a chunk is the list of the
// transfers that carry it, with their rows. Two lives are alike if in every phase they are the same
// but for a shift in time. What a rank receives in a row it may send in the next one, on machines
// without routes and times, so that what ranks hold of a chunk depends on the order of the rows in
// its life only: if two lives are alike, so are causality, delivery, redundancy and the expressions
// of sums.
//
// Let chunk d be alike with d + U for lo <= d < hi. In a phase they are by repetition, if the rows
// of the one that comes first are in the region, and those of the other one in a+q..b+q-1.
//
// Cuts. Cut n periods, S = nU <= hi - lo chunks, out of each region: rows x..y-1, where y = x + nq.
// What is left are m + 1 segments, which are the excerpt: the rows before the first cut, between
// two cuts, and after the last one. Segment j = 0..m has a gap, S chunks T_j..T_j+S-1 of lo..hi+U-1
// that are in none of its rows; in the excerpt the numbers of those above are lowered by S. So
// chunk c of the excerpt stands for d_j(c) = c or c + S, for c < T_j or not, and d_j is one-to-one
// onto the chunks that are not in the gap.
//
// At the cut between segments i = j - 1 and j let T_i >= T_j if s > 0, and T_i <= T_j if s < 0, and
// let all chunks of the rows that are cut out be between the smaller one and the larger one + S -
// 1. Then either d_i(c) = d_j(c), which is not in these rows. Or d_j(c) = d_i(c) + ns, whose life
// in this phase is that of d_i(c), n periods later: the rows before x of that of d_i(c), followed
// by those from y on of that of d_j(c), are the same life. So c is alike with d_j(c) for each j.
// And each chunk of the schedule is alike with one of the excerpt, since at least U chunks of
// lo..hi+U-1 are not in the gap, one of each residue modulo U. Every row is one of the excerpt, or
// the repetition of one, with the same messages. So there is nothing to report of the schedule if
// there is nothing to report of the excerpt, apart from long queues; and sums over steps are those
// of the excerpt and n times those of a period of each region.
//
// Queues. A rank keeps a chunk from its first arrival until its last send. After a row of segment j
// it keeps c in the excerpt if and only if it keeps d_j(c) in the schedule, since as much of both
// lives has passed. And it keeps some chunks of the gap: the same ones all the time, as they are in
// no row of the segment, namely those that it receives before and sends after the segment; and of
// any U neighbouring ones the same number, as they are alike. So in segment j the rank's queue is
// that of the excerpt and n times this number, which is 0 for j = 0 and for j = m. (With one region
// nothing is to be added.)
//
// In the rows that are cut out no queue is longer. Let rows x-q..y-1 be in the region, and let rows
// x-q..y+q-1 have no chunks but lo+U..hi-1. Let s > 0, and let t be one of x..y+q-1. For lo <= d <
// hi a rank keeps d + U after row t if and only if it keeps d after row t - q. Chunks below lo + U,
// and those from hi on, are in none of these rows, so that the same ones are kept all the time. So
// the queue after row t is that after row t - q, and what is kept of lo..lo+U-1, without what is
// kept of hi..hi+U-1, a difference that does not depend on t; likewise if s < 0. Thus from period
// to period queues only rise or only fall, and are longest in rows of the excerpt: x-q..x-1 or
// y..y+q-1.
//
// Where all packets are alike, and what a rank does is enough for the checks, an excerpt of few
// packets is shorter (generations.hpp): an excerpt by rows shows each row as a whole, and is at
// least as long as a life.
//
// On machines with times two packets are enough, if they do not meet (timed_packets.hpp).
//
// With anything to report all is done again, with all rows (Abandoned). All rows are read once to
// be compared, and those of the excerpt again, which takes a fraction of the time of their checks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "check/crew.hpp"
#include "check/kept_chunks.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

/// What was cut out of a schedule.
struct CutOut {
  std::uint64_t steps = 0, transfers = 0, messages = 0, volume = 0;
  /// Chunks that ranks keep from one cut to the next, by the steps of the excerpt.
  std::vector<KeptChunks> kept = {};
  /// The figures are right only if every message of the excerpt has one chunk, which the checker
  /// finds out (Checker::add_cut_out).
  bool single_chunks = false;
};

/// A part of a schedule that shows all that happens, as a source for a problem with fewer chunks.
struct Excerpt {
  Source source;
  CutOut rest;
};

/// Are there no more reasons against an excerpt than its rows can give?
bool may_have_excerpt(const Source& source, const Machine& machine, const CheckOptions& options);

/// None if the schedule is not seen to repeat itself for most of its rows, or if a check that the
/// options ask for, or the machine, depends on more than the order of rows in the lives of chunks.
/// The rows are compared by a crew; `progress` is called by the caller's thread with the number
/// of transfers read. `again`: the excerpt may be that of another schedule, which was checked: then
/// it may be worth while to cut out little, and of short schedules.
std::optional<Excerpt> excerpt(const Source& source, const Machine& machine,
                               const CheckOptions& options, const Crew& crew,
                               const std::function<void(std::uint64_t)>& progress,
                               bool again = false);

}  // namespace schedcc
