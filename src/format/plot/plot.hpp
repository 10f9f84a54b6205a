#pragma once

// Line plots as SVG: curves over a logarithmic or linear axis, for papers and pages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/format.hpp"

namespace schedcc {

struct Curve {
  std::string name;                               ///< in the legend
  std::vector<std::pair<double, double>> points;  ///< x rising
  /// The number, below 160, of a combination of colour, dashes and shape of the points, the same in
  /// all plots. If an earlier curve has it, the next free combination of the same colour is taken,
  /// or else of any colour.
  std::size_t style = 0;
  bool bound = false;  ///< draw a grey line without points
};

struct Axis {
  /// What its numbers count, for the ticks: 1 KiB, 1 us.
  enum class Unit : std::uint8_t { none, bytes, seconds };

  std::string label;
  bool logarithmic = false;  ///< values above 0 only
  Unit unit = Unit::none;
};

struct Plot {
  std::string title;
  std::string subtitle = {};  ///< below the title: the problem, the machine, the model
  std::string description;    ///< for screen readers: the plot, and the command that made it
  Axis x, y;
  std::vector<Curve> curves;
  std::string note = {};  ///< below the legend: what is not drawn
};

/// Writes an SVG document of 760 x 440 units or more, without scripts, fonts or external files.
/// Where curves coincide, those below are wider. Its background is transparent; colours follow the
/// light or dark scheme of the page. Points that an axis cannot show are left out. Throws
/// InputError if no point is left.
void write_svg(const Plot& plot, Output& out);

}  // namespace schedcc
