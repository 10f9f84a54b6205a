#pragma once

// Programs of broadcasts and reductions along the axes of a grid of ranks: rows, columns, layers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/entry.hpp"

namespace schedcc {

/// Ranks in a grid, in row-major order: the last coordinate varies fastest.
///
/// A *fibre* along an axis is the set of ranks that differ only in that coordinate: along axis 1 of
/// a grid of two axes a row, along axis 0 a column. Fibres are numbered by their other coordinates,
/// again in row-major order, and the position of a rank in a fibre is its coordinate of the axis.
class Grid {
 public:
  explicit Grid(std::vector<Rank> sides) : sides_(std::move(sides)) {}

  Rank side(std::size_t axis) const { return sides_[axis]; }
  std::uint64_t ranks() const;
  Rank fibres(std::size_t axis) const { return static_cast<Rank>(ranks() / sides_[axis]); }
  /// A fibre, of the ranks base, base + stride, and so on.
  struct Fibre {
    Rank base, stride;
    Rank rank(Rank place) const { return base + place * stride; }
  };
  Fibre fibre(std::size_t axis, Rank number) const;
  /// "4x8".
  std::string text() const;

 private:
  std::vector<Rank> sides_;
};

/// A broadcast or a reduction along an axis, in all its fibres at once: of block `first` + f in
/// fibre f, from or to the rank at position `root`.
struct FibreCollective {
  Collective collective;
  std::size_t axis;
  Rank root;
  std::uint64_t first;
};

/// A sequence of moves. Blocks have K chunks each, block b the chunks b K .. (b+1) K - 1.
struct GridProgram {
  Grid grid;
  std::uint64_t blocks;
  std::vector<FibreCollective> collectives;
};

/// Parameters of every such algorithm: the grid (`summary` says how it is written), and the
/// algorithms that do its broadcasts and its reductions.
Parameter grid_parameter(std::string_view summary);
Parameter broadcast_parameter();
Parameter reduce_parameter();

/// The requested grid, or one of P ranks that is near a square or a cube, its sides ascending.
/// Throws InputError if the parameter is not a grid with that many axes.
Grid grid_of(const Request& request, std::size_t axes);
/// For `AlgorithmEntry::reason`, before a program is made: the grid is not one of P ranks, or the
/// blocks have too many chunks.
std::optional<std::string> reason_against_grid(const Request& request, const Grid& grid,
                                               std::uint64_t blocks);

/// AlgorithmEntry's members of the same names, for a grid program.
std::optional<std::string> reason(const Request& request, const GridProgram& program);
std::optional<std::string> order(const Request& request, const GridProgram& program);
Problem own_problem(const Request& request, const GridProgram& program);
/// A phase for each move; a program scales if all of them do in the same way.
std::vector<SchedulePhase> phases(const Request& request, const GridProgram& program);
Scaling scaling(const Request& request, const GridProgram& program);
Steps build(const Request& request, const GridProgram& program);
CostClaim claim(const Request& request, const GridProgram& program);
ChosenParameters choose_grid(const Request& request, std::size_t axes);

}  // namespace schedcc
