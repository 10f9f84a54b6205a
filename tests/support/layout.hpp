#pragma once

// The distribution of matrix products over their ranks, as described at the top of each algorithm's
// file.

#include <cstddef>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

namespace products {

/// A block by its matrix and its place in it, counted in blocks.
struct Block {
  char matrix;
  std::size_t row, column;
  friend bool operator==(const Block&, const Block&) = default;
  friend bool operator<(const Block& a, const Block& b) {
    return std::tie(a.matrix, a.row, a.column) < std::tie(b.matrix, b.row, b.column);
  }
};

/// How a product is laid out: how many blocks make the rows of A (and C), the columns of A (rows of
/// B), and the columns of B (and C); which of them are numbered, in order; and which products of
/// blocks (i, j, k) each rank is to make.
struct Layout {
  std::size_t rows, inner, columns;
  std::vector<Block> blocks;
  struct Product {
    std::size_t i, j, k;
  };
  std::vector<std::vector<Product>> products;
  /// Blocks that a rank has from the beginning and that no other rank needs.
  std::vector<std::set<Block>> stay;
};

/// SUMMA as its file describes it.
inline Layout summa_layout(std::size_t R, std::size_t C, char variant) {
  const std::size_t L = std::lcm(R, C);
  Layout layout{variant == 'B' ? L : R,
                variant == 'A'   ? C
                : variant == 'B' ? R
                                 : L,
                variant == 'A' ? L : C,
                {},
                {},
                {}};
  layout.products.resize(R * C);
  layout.stay.resize(R * C);
  // The first matrix that moves, then the second, each panel by panel.
  for (std::size_t p = 0; p < L; ++p) {
    if (variant == 'A') {
      for (std::size_t k = 0; k < C; ++k) layout.blocks.push_back({'B', k, p});
    } else if (variant == 'B') {
      for (std::size_t k = 0; k < R; ++k) layout.blocks.push_back({'A', p, k});
    } else {
      for (std::size_t i = 0; i < R; ++i) layout.blocks.push_back({'A', i, p});
    }
  }
  for (std::size_t p = 0; p < L; ++p) {
    if (variant == 'A') {
      for (std::size_t i = 0; i < R; ++i) layout.blocks.push_back({'C', i, p});
    } else {
      for (std::size_t j = 0; j < C; ++j) {
        layout.blocks.push_back(variant == 'B' ? Block{'C', p, j} : Block{'B', p, j});
      }
    }
  }
  for (std::size_t l = 0; l < R; ++l) {
    for (std::size_t m = 0; m < C; ++m) {
      const std::size_t rank = l * C + m;
      for (std::size_t p = 0; p < L; ++p) {
        if (variant == 'A') layout.products[rank].push_back({l, p, m});
        if (variant == 'B') layout.products[rank].push_back({p, m, l});
        if (variant == 'C') layout.products[rank].push_back({l, m, p});
      }
      layout.stay[rank].insert({variant, l, m});
    }
  }
  return layout;
}

/// The 3D algorithm as its file describes it.
inline Layout cube_layout(std::size_t R, std::size_t C, std::size_t D) {
  Layout layout{R, D, C, {}, {}, {}};
  layout.products.resize(R * C * D);
  layout.stay.resize(R * C * D);
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t k = 0; k < D; ++k) layout.blocks.push_back({'A', i, k});
  }
  for (std::size_t j = 0; j < C; ++j) {
    for (std::size_t k = 0; k < D; ++k) layout.blocks.push_back({'B', k, j});
  }
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) layout.blocks.push_back({'C', i, j});
  }
  for (std::size_t rank = 0; rank < R * C * D; ++rank) {
    layout.products[rank].push_back({rank / D / C, rank / D % C, rank % D});
  }
  return layout;
}

}  // namespace products
