#pragma once

// The part of a schedule that a picture or a page shows: the parameters `ranks` and `steps`.

#include <cstdint>
#include <string>
#include <string_view>

#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"

namespace schedcc {

/// First and last, both included.
struct NumberInterval {
  std::uint64_t first = 0, last = UINT64_MAX;
  bool contains(std::uint64_t number) const { return number >= first && number <= last; }
};

/// Reads "A..B", or "A", which is A..A. Throws InputError that names `what`.
NumberInterval number_interval(const std::string& text, std::string_view what);

/// The ranks (at hop level: nodes) and steps that are shown.
struct Selection {
  NumberInterval ranks, steps;
  bool all_ranks = true, all_steps = true;

  /// ", ranks 0..15, steps 2..4": for titles; empty for a whole schedule.
  std::string text() const;
};

/// The parameters of a format that can show a part.
Parameter ranks_parameter();
Parameter steps_parameter();

/// The part that the parameters of a format ask for. Throws InputError for a range that is
/// malformed, or for ranks that the source does not have.
Selection selection_of(const Parameters& parameters, const Source& source);

/// Which transfers belong to chosen ranks: those of which both ends are, or one.
enum class Ends : std::uint8_t { both, any };

/// The source with its transfers in the selection only.
Source selected(const Source& source, const Selection& selection, Ends ends);

}  // namespace schedcc
