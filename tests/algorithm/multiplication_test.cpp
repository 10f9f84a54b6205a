// SUMMA and 3D matrix multiplication: the schedules are executed on matrices, and the products
// compared with the definition.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "products.hpp"

using namespace products;

namespace {

/// A matrix of small integers.
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), values_(rows * columns) {}
  long& operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }
  long operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<long> values_;
};

Matrix some_matrix(std::size_t rows, std::size_t columns, long seed) {
  Matrix m(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      m(i, j) = seed / 65536 % 19 - 9;
    }
  }
  return m;
}

/// Multiplies two matrices by a schedule: every rank has nothing but what it starts with, its local
/// products, and what the schedule brings.
class Execution {
 public:
  /// Blocks of A are a x b elements, those of B b x c.
  Execution(const ProductCase& asked, const Layout& layout, std::size_t a, std::size_t b,
            std::size_t c)
      : layout_(layout),
        K_(asked.request.problem.chunks),
        a_(a),
        b_(b),
        c_(c),
        A_(some_matrix(layout.rows * a, layout.inner * b, 1)),
        B_(some_matrix(layout.inner * b, layout.columns * c, 2)),
        problem_(asked.algorithm.problem(asked.request)) {
    REQUIRE(problem_.total_chunks() == layout.blocks.size() * K_);
    for (Rank rank = 0; rank < problem_.ranks; ++rank) begin(rank);
    const auto steps = stream(asked.algorithm.steps(asked.request));
    for (Step step; steps->next(step);) run(step);
  }

  /// The whole of C, gathered from where the problem says that it is.
  Matrix result() {
    Matrix C(layout_.rows * a_, layout_.columns * c_);
    std::set<Block> seen;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      for (const Block& block : layout_.stay[rank]) {
        if (block.matrix != 'C') continue;
        seen.insert(block);
        put(C, block, product(rank, block));
      }
    }
    for (const Holding& goal : problem_.custom->post()) {
      if (!goal.reduced) continue;
      for (const Run& run : goal.runs) {
        REQUIRE(run.first % K_ == 0);
        for (Chunk chunk = run.first; chunk < run.first + run.count; chunk += K_) {
          const Block block = layout_.blocks[chunk / K_];
          seen.insert(block);
          std::vector<long> values;
          for (Chunk j = 0; j < K_; ++j) {
            const auto& piece = read(goal.rank, chunk + j);
            values.insert(values.end(), piece.begin(), piece.end());
          }
          put(C, block, values);
        }
      }
    }
    CHECK(seen.size() == layout_.rows * layout_.columns);  // every block of C is somewhere
    return C;
  }

  /// The product by its definition.
  Matrix expected() const {
    Matrix C(layout_.rows * a_, layout_.columns * c_);
    for (std::size_t i = 0; i < layout_.rows * a_; ++i) {
      for (std::size_t j = 0; j < layout_.columns * c_; ++j) {
        for (std::size_t k = 0; k < layout_.inner * b_; ++k) C(i, j) += A_(i, k) * B_(k, j);
      }
    }
    return C;
  }

  bool right() {
    const Matrix C = result(), wanted = expected();
    for (std::size_t i = 0; i < layout_.rows * a_; ++i) {
      for (std::size_t j = 0; j < layout_.columns * c_; ++j) {
        if (C(i, j) != wanted(i, j)) return false;
      }
    }
    return true;
  }

 private:
  using Values = std::vector<long>;

  /// Chunk j of the K nearly equal chunks of a block.
  Values piece(const Values& block, std::size_t j) const {
    const auto at = [&](std::size_t i) {
      return block.begin() + static_cast<std::ptrdiff_t>(i * block.size() / K_);
    };
    return {at(j), at(j + 1)};
  }

  Values input(const Block& block) const {
    const bool of_A = block.matrix == 'A';
    const std::size_t rows = of_A ? a_ : b_, columns = of_A ? b_ : c_;
    Values values;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        values.push_back((of_A ? A_ : B_)(block.row * rows + i, block.column * columns + j));
      }
    }
    return values;
  }

  /// The parts of A and B that a rank starts with. (Its contributions to C are computed by read().)
  void begin(Rank rank) {
    for (Chunk chunk = 0; chunk < problem_.total_chunks(); ++chunk) {
      const Block block = layout_.blocks[chunk / K_];
      if (block.matrix != 'C' && problem_.starts_with(rank, chunk)) {
        held_[{rank, chunk}] = piece(input(block), chunk % K_);
      }
    }
  }

  void put(Matrix& C, const Block& block, const Values& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      C(block.row * a_ + i / c_, block.column * c_ + i % c_) = values[i];
    }
  }

  /// A block of A or B that `rank` must have by now.
  Values operand(Rank rank, const Block& block) const {
    if (layout_.stay[rank].count(block) != 0) return input(block);
    const auto number = static_cast<Chunk>(
        std::find(layout_.blocks.begin(), layout_.blocks.end(), block) - layout_.blocks.begin());
    Values values;
    for (Chunk j = 0; j < K_; ++j) {
      const auto found = held_.find({rank, number * K_ + j});
      REQUIRE(found != held_.end());
      values.insert(values.end(), found->second.begin(), found->second.end());
    }
    return values;
  }

  /// The sum of the rank's own products for a block of C.
  Values product(Rank rank, const Block& block) const {
    Values sum(a_ * c_);
    int products = 0;
    for (const auto& [i, j, k] : layout_.products[rank]) {
      if (i != block.row || j != block.column) continue;
      ++products;
      const Values left = operand(rank, {'A', i, k}), right = operand(rank, {'B', k, j});
      for (std::size_t x = 0; x < a_; ++x) {
        for (std::size_t y = 0; y < c_; ++y) {
          for (std::size_t z = 0; z < b_; ++z) {
            sum[x * c_ + y] += left[x * b_ + z] * right[z * c_ + y];
          }
        }
      }
    }
    REQUIRE(products > 0);
    return sum;
  }

  /// The value of a chunk at a rank; a contribution is computed when it is first needed.
  const Values& read(Rank rank, Chunk chunk) {
    const auto found = held_.find({rank, chunk});
    if (found != held_.end()) return found->second;
    const Block block = layout_.blocks[chunk / K_];
    REQUIRE(block.matrix == 'C');
    REQUIRE(problem_.starts_with(rank, chunk));
    return held_[{rank, chunk}] = piece(product(rank, block), chunk % K_);
  }

  void run(const Step& step) {
    std::vector<Values> under_way;  // all read the state before the step
    for (const Transfer& t : step.transfers) {
      for (Chunk c = t.first; c < t.first + t.count; ++c) under_way.push_back(read(t.src, c));
    }
    auto values = under_way.begin();
    for (const Transfer& t : step.transfers) {
      for (Chunk c = t.first; c < t.first + t.count; ++c, ++values) {
        if (t.reduce == 0) {
          held_[{t.dst, c}] = *values;
          continue;
        }
        Values sum = read(t.dst, c);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*values)[i];
        held_[{t.dst, c}] = sum;
      }
    }
  }

  const Layout& layout_;
  Chunk K_;
  std::size_t a_, b_, c_;
  Matrix A_, B_;
  Problem problem_;
  std::map<std::pair<Rank, Chunk>, Values> held_;
};

}  // namespace

TEST_CASE("SUMMA multiplies matrices") {
  for (const auto& [R, C] :
       {std::pair(1u, 1u), {2u, 2u}, {3u, 3u}, {2u, 3u}, {4u, 2u}, {1u, 4u}, {5u, 1u}, {4u, 6u}}) {
    for (const char variant : {'A', 'B', 'C'}) {
      for (const std::uint32_t K : {1u, 2u, 5u}) {
        for (const char* by : {"binomial-tree", "fractional-tree", "circulant"}) {
          const std::string spec = fmt::format("summa:grid={}x{},variant={},broadcast={},reduce={}",
                                               R, C, variant, by, by);
          INFO(spec << ", K = " << K);
          const Layout layout = summa_layout(R, C, variant);
          CHECK(Execution(ask(spec, R * C, K), layout, 2, 3, 4).right());
        }
      }
    }
  }
}

TEST_CASE("3D matrix multiplication multiplies matrices") {
  for (const auto& [R, C, D] : {std::tuple(1u, 1u, 1u),
                                {2u, 2u, 2u},
                                {3u, 3u, 3u},
                                {2u, 3u, 4u},
                                {1u, 4u, 2u},
                                {3u, 1u, 2u},
                                {4u, 3u, 1u}}) {
    for (const std::uint32_t K : {1u, 2u, 5u}) {
      const std::string spec = fmt::format("matmul-3d:grid={}x{}x{}", R, C, D);
      INFO(spec << ", K = " << K);
      const Layout layout = cube_layout(R, C, D);
      CHECK(Execution(ask(spec, R * C * D, K), layout, 3, 2, 2).right());
    }
  }
}
