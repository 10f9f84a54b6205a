// Parts have numbers of roles of which few labels must leave in a step, such as 2^s or 3 * 2^s:
// they have their shares of all but the youngest labels exactly, and double these by themselves. So
// 3 modules of 13 ranks have 16, 24 and 24 roles. Odd numbers are needed where few ranks play two.
//
// A grid with an odd side is not made of squares alone. In one column of an odd number, and in one
// row, two neighbours each are a part whose ranks all play two roles, which is as many as those of
// a square; the rank where both meet belongs to a neighbouring pair, and one of these three plays
// two. Other ranks that play two roles are those of whole squares, as far as possible.
//
// If too few play two, as on 7 x 9 ranks, the ranks of the grid, along a path that winds through it
// in bands of two rows, are cut into 2^(q-2) parts instead, each of four roles: two, three or four
// neighbours, since P is more than half of 2^q.

#include "prove/sat/exchange/exchange_parts.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace schedcc::prover {

namespace {

/// The last `count` ranks of a part but the root play two roles.
void double_ranks(ExchangeParts& parts, std::size_t part, std::size_t count, Rank root) {
  for (std::size_t v = parts.part.size(); v-- > 0 && count > 0;) {
    if (parts.part[v] != part || v == root) continue;
    parts.twice[v] = true;
    --count;
  }
}

/// The labels that leave a part with so many roles in a step, on average and at least, in 2^-q of a
/// label, if it has its share of each, rounded to either side. A share s of one age becomes 2 s of
/// the next. If d is the distance of s from an integer, the other side is taken with probability d,
/// and then the doubled number is off by one more label on that side.
std::uint64_t labels_out(std::uint64_t roles, std::uint64_t q) {
  const std::uint64_t one = std::uint64_t{1} << q;
  std::uint64_t result = 0;
  for (std::uint64_t age = 1; age <= q; ++age) {
    const std::uint64_t beyond = (roles << (age - 1)) % one;
    result += std::min(beyond, one - beyond);
  }
  return result;
}

/// The roles of parts of `size` ranks, `all` together, of which as few labels as possible must
/// leave each: the sum of the squares of labels_out is the least. The first part has the root,
/// which plays one role, and rather fewer roles than others.
std::optional<std::vector<std::size_t>> best_roles(std::size_t parts, std::size_t size,
                                                   std::size_t all) {
  constexpr std::uint64_t none = UINT64_MAX;
  const auto q = static_cast<std::uint64_t>(std::countr_zero(all));
  // By the number of parts and their roles: the least sum, and the roles of the last of them.
  std::vector<std::vector<std::uint64_t>> least(parts + 1,
                                                std::vector<std::uint64_t>(all + 1, none));
  std::vector<std::vector<std::size_t>> last(parts + 1, std::vector<std::size_t>(all + 1));
  least[0][0] = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t most = 2 * size - (part == 0 ? 1 : 0);
    for (std::size_t roles = size; roles <= most; ++roles) {
      const std::uint64_t out = labels_out(roles, q);
      for (std::size_t before = 0; before + roles <= all; ++before) {
        if (least[part][before] == none) continue;
        const std::uint64_t sum = least[part][before] + out * out;
        if (sum > least[part + 1][before + roles]) continue;
        least[part + 1][before + roles] = sum;
        last[part + 1][before + roles] = roles;
      }
    }
  }
  if (least[parts][all] == none) return std::nullopt;
  std::vector<std::size_t> result(parts);
  for (std::size_t part = parts; part > 0; all -= result[--part])
    result[part - 1] = last[part][all];
  return result;
}

/// The roles of each part, of which those with the most are all over the machine.
std::optional<std::vector<std::size_t>> shared_out(const ExchangeParts& parts, std::size_t size,
                                                   std::size_t all, Rank root) {
  auto roles = best_roles(parts.parts, size, all);
  if (!roles) return std::nullopt;
  const std::size_t home = parts.part[root], others = parts.parts - 1;
  std::sort(roles->begin() + 1, roles->end(), std::greater<>());
  const auto more = static_cast<std::size_t>(std::count_if(
      roles->begin() + 1, roles->end(), [&](std::size_t count) { return count > roles->back(); }));
  std::vector<std::size_t> result(parts.parts, roles->back());
  result[home] = roles->front();
  for (std::size_t i = 0; i < more; ++i) {
    result[(home + 1 + i * others / more) % parts.parts] = (*roles)[i + 1];
  }
  return result;
}

/// One of the sides of a grid in pairs of neighbours: the pair of each row or column, the last pair
/// being one alone if their number is odd, not that of the root.
struct SidePairs {
  std::vector<std::size_t> pair;
  std::optional<std::size_t> alone;  ///< a row or column
  std::size_t beside = 0;            ///< a pair next to that one

  SidePairs(std::uint64_t length, std::uint64_t root) {
    if (length % 2 != 0) alone = root + 1 == length ? 0 : length - 1;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t before = alone && *alone < i ? i - 1 : i;
      pair.push_back(i == alone ? length / 2 : before / 2);
    }
    if (length > 1) beside = alone == 0 ? pair[1] : pair[length - 2];
  }
};

/// Squares of a grid with an odd side, and pairs of ranks that all play two roles, with three ranks
/// at a corner. None if too few ranks play two roles, or too many.
std::optional<ExchangeParts> in_squares(const RankRows& grid, Rank root) {
  if (grid.rows < 2 || grid.columns < 2) return std::nullopt;
  const SidePairs rows(grid.rows, root / grid.columns), columns(grid.columns, root % grid.columns);
  const std::size_t across = (grid.columns + 1) / 2, down = (grid.rows + 1) / 2;
  ExchangeParts result;
  result.parts = down * across - (rows.alone && columns.alone ? 1 : 0);
  std::vector<std::size_t> size(result.parts);
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const bool corner = row == rows.alone && column == columns.alone;
      const std::size_t part =
          (corner ? rows.beside : rows.pair[row]) * across + columns.pair[column];
      result.part.push_back(part);
      ++size[part];
    }
  }
  result.twice.resize(result.part.size());
  std::size_t left = std::bit_ceil(result.part.size()) - result.part.size();
  std::vector<std::size_t> squares;  // without the root
  for (std::size_t part = 0; part < result.parts; ++part) {
    if (size[part] == 4) {
      if (part != result.part[root]) squares.push_back(part);
      continue;
    }
    const std::size_t count = 4 - size[part];  // so that they have the roles of a square
    if (left < count) return std::nullopt;
    double_ranks(result, part, count, root);
    left -= count;
  }
  const std::size_t more = (left + 3) / 4;
  if (more > squares.size()) return std::nullopt;
  for (std::size_t i = 0; i < more; ++i) {  // all over the grid
    const std::size_t count = std::min<std::size_t>(left, 4);
    double_ranks(result, squares[i * squares.size() / more], count, root);
    left -= count;
  }
  return result;
}

/// The ranks of a mesh in an order in which neighbours follow one another, mostly: in bands of two
/// rows, one of them of three if their number is odd, from column to column, forth and back.
std::vector<Rank> winding(const RankRows& mesh) {
  std::vector<Rank> result;
  bool forth = true, down = true;
  for (std::uint64_t first = 0, height; first < mesh.rows; first += height, forth = !forth) {
    const std::uint64_t left = mesh.rows - first;
    height = left <= 3 ? left : 2;
    for (std::uint64_t i = 0; i < mesh.columns; ++i, down = !down) {
      const std::uint64_t column = forth ? i : mesh.columns - 1 - i;
      for (std::uint64_t j = 0; j < height; ++j) {
        const std::uint64_t row = first + (down ? j : height - 1 - j);
        result.push_back(static_cast<Rank>(row * mesh.columns + column));
      }
    }
  }
  return result;
}

/// Parts of four roles, two to four ranks that follow one another in `order`. None if the root
/// would have to play two.
std::optional<ExchangeParts> in_fours(const std::vector<Rank>& order, Rank root) {
  constexpr std::size_t roles = 4;
  const std::size_t ranks = order.size();
  ExchangeParts result;
  result.parts = std::bit_ceil(ranks) / roles;
  for (std::size_t shift = result.parts; shift-- > 0;) {
    const auto begin = [&](std::size_t part) {
      return part == 0 ? 0 : (part * ranks + shift) / result.parts;
    };
    result.part.assign(ranks, 0);
    result.twice.assign(ranks, false);
    for (std::size_t part = 0; part < result.parts; ++part) {
      std::size_t twice = roles - (begin(part + 1) - begin(part));
      for (std::size_t i = begin(part); i < begin(part + 1); ++i) {
        result.part[order[i]] = part;
        if (twice == 0 || order[i] == root) continue;
        result.twice[order[i]] = true;
        --twice;
      }
      if (twice > 0) break;
      if (part + 1 == result.parts) return result;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> ExchangeParts::roles() const {
  std::vector<std::uint64_t> result(parts);
  for (std::size_t v = 0; v < part.size(); ++v) result[part[v]] += twice[v] ? 2 : 1;
  return result;
}

std::optional<ExchangeParts> exchange_parts(const RankRows& rows, Rank root) {
  const bool squares = rows.grid;
  const std::size_t ranks = rows.rows * rows.columns, size = squares ? 4 : rows.columns;
  if (squares && (rows.rows % 2 != 0 || rows.columns % 2 != 0)) {
    auto parts = in_squares(rows, root);
    return parts ? parts : in_fours(winding(rows), root);
  }
  if (size < 2 || size >= ranks) return std::nullopt;
  ExchangeParts result;
  result.parts = ranks / size;
  result.twice.resize(ranks);
  for (std::size_t v = 0; v < ranks; ++v) {
    const std::size_t row = v / rows.columns, column = v % rows.columns;
    result.part.push_back(squares ? row / 2 * (rows.columns / 2) + column / 2 : row);
  }
  const auto roles = shared_out(result, size, std::bit_ceil(ranks), root);
  if (!roles) return std::nullopt;
  for (std::size_t part = 0; part < result.parts; ++part) {
    double_ranks(result, part, (*roles)[part] - size, root);
  }
  return result;
}

}  // namespace schedcc::prover
