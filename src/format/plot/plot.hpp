#pragma once

// Line plots as SVG: curves over a logarithmic or linear axis, for papers and pages.

#include <string>
#include <utility>
#include <vector>

#include "schedcc/format.hpp"

namespace schedcc {

struct Curve {
  std::string name;                               ///< in the legend
  std::vector<std::pair<double, double>> points;  ///< x rising
};

struct Axis {
  std::string label;
  bool logarithmic = false;  ///< values above 0 only
};

struct Plot {
  std::string title;
  std::string description;  ///< for screen readers: the plot, and the command that made it
  Axis x, y;
  std::vector<Curve> curves;
};

/// Writes an SVG document of 720 x 440 units without scripts, fonts or external files. Its
/// background is transparent; colours follow the light or dark scheme of the page. Points that an
/// axis cannot show are left out. Throws InputError if no point is left.
void write_svg(const Plot& plot, Output& out);

}  // namespace schedcc
