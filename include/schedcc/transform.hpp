#pragma once

// Schedules made from others: backwards, one after another, with other ranks. All are built in
// memory; whether they hold is left to the checks.

#include <span>

#include "schedcc/problem.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// Every message goes back, the last one first (docs/composition.md, "reverse(X)"). An allreduce
/// has a reverse if no chunk is reduced after it is copied. In a custom collective, a chunk that
/// starts at one rank and ends at several becomes a sum, and a sum that ends at one rank a copy.
/// Throws InputError for a problem that has no reverse.
Source reversed(const Source& source);

/// All of `first`, then all of `second`, which starts where the first one ends: one of the
/// sequences of docs/composition.md, "X then Y", or else a custom collective. Throws InputError if
/// ranks or chunks differ, the machines do, or the second starts with what the first does not
/// bring.
Source sequence(const Source& first, const Source& second);

/// Rank r becomes rank `map[r]`, with its blocks, its root and its lines. Throws InputError for a
/// map that is not a permutation, scans, and schedules at hop level.
Source relabelled(const Source& source, std::span<const Rank> map);

}  // namespace schedcc

#pragma GCC visibility pop
