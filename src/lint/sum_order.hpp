#pragma once

// The order in which a program adds the contributions to each part of a message.

#include <compare>
#include <cstdint>
#include <vector>

#include "analysis/expressions.hpp"
#include "program/memory.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

/// A part of a message with one expression. It begins after the fraction `begin`/`of` of the
/// message, in lowest terms, and ends where the next one of the rank begins.
struct SumPart {
  Rank rank = 0;
  std::uint64_t begin = 0, of = 1;
  Expressions::Id sum = Expressions::empty;
  friend auto operator<=>(const SumPart&, const SumPart&) = default;
};

/// All parts, by ranks. Neighbours with the same expression are one part, and so two programs have
/// equal orders if and only if each rank ends with the same expression of every element of the
/// message, whatever the numbers of their chunks.
using SumOrder = std::vector<SumPart>;

/// The order of a reduction that holds, for calls in place or not, with numbers of `expressions`,
/// which are common to all programs that are compared.
SumOrder sum_order(const Program& program, program::Call call, Expressions& expressions);

}  // namespace schedcc
