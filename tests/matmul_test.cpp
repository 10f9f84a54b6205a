// SUMMA and 3D matrix multiplication: every grid and variant holds, agrees with the simulator,
// costs what CC says, and multiplies matrices.

#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "agreement.hpp"
#include "catch.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

using namespace agreement;

namespace {

struct Asked {
  const Algorithm& algorithm;
  Request request;
};

Asked ask(const std::string& text, Rank P, std::uint32_t K, const std::string& machine = "duplex",
          bool ordered = false) {
  const Spec spec = Spec::parse(text);
  const Algorithm& algorithm = find_algorithm(spec.name);
  Request r;
  r.problem.collective = Collective::custom;
  r.problem.ranks = P;
  r.problem.chunks = K;
  r.problem.ordered = ordered;
  r.machine = make_machine(machine, P);
  r.parameters = spec.check(algorithm.parameters, text);
  return {algorithm, r};
}

Plan plan_of(const Asked& asked) {
  return {asked.algorithm.problem(asked.request),
          sent(*stream(asked.algorithm.steps(asked.request))), 0};
}

Report report_of(const Asked& asked, const std::string& text) {
  return check(from_algorithm(asked.algorithm, asked.request, text), asked.request.machine);
}

/// Calls f(specification, P) for every grid over up to `most` ranks, and every variant.
template <typename F>
void each_product(Rank most, F f) {
  for (Rank R = 1; R <= most; ++R) {
    for (Rank C = 1; R * C <= most; ++C) {
      for (const char* variant : {"A", "B", "C"}) {
        f(fmt::format("summa:grid={}x{},variant={}", R, C, variant), R * C);
      }
      for (Rank D = 1; R * C * D <= most; ++D) {
        f(fmt::format("matmul-3d:grid={}x{}x{}", R, C, D), R * C * D);
      }
    }
  }
}

std::uint64_t lg(std::uint64_t P) { return static_cast<std::uint64_t>(std::bit_width(P - 1)); }

}  // namespace

TEST_CASE("matrix products agree with the simulator on every small grid") {
  each_product(12, [](const std::string& spec, Rank P) {
    for (const std::uint32_t K : {1u, 3u}) {
      for (const std::string machine : {"duplex", "simplex"}) {
        const Asked asked = ask(spec, P, K, machine);
        const std::string difference = disagreement(plan_of(asked), machine);
        if (!difference.empty()) FAIL_CHECK(spec << ":\n" << difference);
      }
    }
  });
}

TEST_CASE("matrix products hold in the sum of the steps of their parts") {
  // Every broadcast and reduction by a binomial tree: K lg of its ranks, for each of L panels.
  each_product(64, [](const std::string& spec, Rank P) {
    const std::uint32_t K = 2;
    const Asked asked = ask(spec, P, K);
    const Report report = report_of(asked, spec);
    if (report.verdict() != Verdict::holds || report.findings_total > 0 || report.below_bound) {
      FAIL_CHECK(spec << " does not hold");
    }
    const std::string grid = asked.request.parameters.text("grid");
    std::vector<std::uint64_t> sides;
    for (std::size_t at = 0; at < grid.size(); at = std::min(grid.find('x', at), grid.size()) + 1) {
      sides.push_back(std::stoull(grid.substr(at)));
    }
    std::uint64_t steps = 0;
    for (const std::uint64_t side : sides) steps += K * lg(side);
    if (sides.size() == 2) steps *= std::lcm(sides[0], sides[1]);
    if (report.steps != steps) FAIL_CHECK(spec << " takes " << report.steps << ", not " << steps);
    if (P > 1 && asked.algorithm.promise(asked.request).steps != steps) {
      FAIL_CHECK(spec << " promises something else");
    }
  });
}

TEST_CASE("matrix products move their blocks by any algorithm") {
  for (const char* by : {"linear", "chain", "binomial-tree", "fractional-tree:r=2", "circulant",
                         "binary-tree", "butterfly"}) {
    for (const char* product : {"summa:grid=4x4,variant=C", "summa:grid=4x8,variant=A",
                                "summa:grid=2x4,variant=B", "matmul-3d:grid=2x4x8"}) {
      const std::string spec = fmt::format("{},broadcast={},reduce={}", product, by, by);
      for (const std::uint32_t K : {1u, 5u}) {
        const std::string grid = spec.substr(spec.find('=') + 1);
        Rank P = 1;
        for (const char c : grid.substr(0, grid.find(',')))
          P *= c == 'x' ? 1 : static_cast<Rank>(c - '0');
        const Asked asked = ask(spec, P, K);
        const Report report = report_of(asked, spec);
        INFO(spec);
        CHECK(report.verdict() == Verdict::holds);
        CHECK(report.findings_total == 0);
        const Promise promise = asked.algorithm.promise(asked.request);
        CHECK((promise.exact ? report.steps == promise.steps : report.steps <= promise.steps));
      }
    }
  }
}

TEST_CASE("the default grid is the squarest, and near a cube") {
  const auto same = [](const std::string& given, const std::string& meant, Rank P) {
    const Asked a = ask(given, P, 1), b = ask(meant, P, 1);
    INFO(meant);
    CHECK(text(plan_of(a), "duplex") == text(plan_of(b), "duplex"));
  };
  same("summa", "summa:grid=4x4", 16);
  same("summa", "summa:grid=3x4", 12);
  same("summa", "summa:grid=1x7", 7);
  same("matmul-3d", "matmul-3d:grid=2x2x2", 8);
  same("matmul-3d", "matmul-3d:grid=2x3x4", 24);
  same("matmul-3d", "matmul-3d:grid=1x2x5", 10);
}

TEST_CASE("a grid of other than P ranks, and parts that cannot be served, are refused") {
  const auto why = [](const std::string& spec, Rank P, const std::string& machine = "duplex") {
    const Asked asked = ask(spec, P, 1, machine);
    return asked.algorithm.reason(asked.request).value_or("served");
  };
  CHECK(why("summa:grid=2x3", 7) == "a grid of 2x3 has 6 ranks, not 7");
  CHECK(why("matmul-3d:grid=2x2x2", 4) == "a grid of 2x2x2 has 8 ranks, not 4");
  CHECK(
      why("summa:grid=3x4,broadcast=butterfly", 12) ==
      "'butterfly' cannot do the broadcasts to 3 ranks: it needs P = 2^h ranks, and 3 is no power "
      "of two");
  CHECK(why("summa:grid=4x4,broadcast=karp", 16) ==
        "'karp' cannot do the broadcasts to 4 ranks: it is made for logp, not duplex");
  CHECK(why("summa:grid=4x4,broadcast=circulant", 16, "simplex") ==
        "'circulant' cannot do the broadcasts to 4 ranks: it is made for duplex, not simplex");
  CHECK(why("summa:grid=4x4,variant=A,reduce=ring", 16) ==
        "'ring' cannot do the reductions over 4 ranks: it serves allgather, reduce-scatter, "
        "allreduce, not reduce");
  CHECK(why("summa:grid=1x1", 1) == "served");
  CHECK_THROWS_AS(why("summa:grid=2", 2), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x2x2", 8), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x", 2), InputError);
  CHECK_THROWS_AS(why("summa:grid=0x2", 2), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x2,broadcast=nothing", 4), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x2,broadcast=fractional-tree:q=2", 4), InputError);
}

TEST_CASE("products in order are refused exactly where the order would be broken") {
  int kept = 0, refused = 0;
  for (const char* by : {"linear", "chain", "binomial-tree", "circulant"}) {
    each_product(16, [&](const std::string& grid, Rank P) {
      const std::string spec = fmt::format("{},reduce={}", grid, by);
      const Asked any = ask(spec, P, 2);
      Source source = from_algorithm(any.algorithm, any.request, spec);
      if (!source.problem.reduction()) return;  // C stays: nothing is reduced
      source.problem.ordered = true;
      const bool holds = check(source, any.request.machine).verdict() == Verdict::holds;
      const Asked ordered = ask(spec, P, 2, "duplex", true);
      const bool serves = !ordered.algorithm.reason(ordered.request);
      if (serves != holds) FAIL_CHECK(spec << ": serves " << serves << ", holds " << holds);
      ++(serves ? kept : refused);
    });
  }
  CHECK(kept > 50);
  CHECK(refused > 50);
}

// CC's formulas. With broadcasts of K packets of a block in K + h steps, h = log2 of their ranks, a
// program of m broadcasts costs m (K + h) (alpha + s/K beta) for blocks of size s, and its schedule
// m (K + h) steps and a volume of m (K + h) / K blocks. CC bounds it by m times 2 (h alpha + s
// beta), which is what it is for K = h.

TEST_CASE("CC, SUMMA: 2 sqrt(P) broadcasts, at most 2 sqrt(P) log P alpha + 4 n^2 / sqrt(P) beta") {
  for (const std::uint32_t h : {2u, 3u, 4u, 5u}) {
    const Rank root_P = 1u << h, P = root_P * root_P;
    for (const std::uint32_t K : {1u, h, 3 * h + 1}) {
      const std::string spec = fmt::format("summa:grid={0}x{0},broadcast=butterfly", root_P);
      const Report report = report_of(ask(spec, P, K), spec);
      INFO(spec << ", " << K << " packets");
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.steps == 2 * root_P * (K + h));
      CHECK(report.volume == 2 * root_P * (K + h));
      if (K != h) continue;
      CHECK(report.steps == 2 * root_P * lg(P));  // alphas: 2 sqrt(P) log P
      CHECK(report.volume == 4 * root_P * K);     // blocks of n^2 / P: 4 n^2 / sqrt(P)
    }
  }
}

TEST_CASE("CC, SUMMA: binomial trees need half of the alphas for one packet") {
  // Whole blocks through binomial trees: sqrt(P) log P steps, but log P / 4 times CC's volume.
  const Report report = report_of(ask("summa:grid=8x8", 64, 1), "summa");
  CHECK(report.steps == 8 * 6);
  CHECK(report.volume == 8 * 6);
}

TEST_CASE("CC, 3D: two broadcasts and a reduction, at most 2 log P alpha + 6 n^2 / P^(2/3) beta") {
  for (const std::uint32_t h : {2u, 3u, 4u}) {
    const Rank side = 1u << h, P = side * side * side;
    for (const std::uint32_t K : {1u, h, 3 * h + 1}) {
      const std::string spec =
          fmt::format("matmul-3d:grid={0}x{0}x{0},broadcast=butterfly,reduce=butterfly", side);
      const Report report = report_of(ask(spec, P, K), spec);
      INFO(spec << ", " << K << " packets");
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.steps == 3 * (K + h));
      CHECK(report.volume == 3 * (K + h));
      if (K != h) continue;
      CHECK(report.steps == 2 * lg(P));  // alphas: 2 log P
      CHECK(report.volume == 6 * K);     // blocks of n^2 / P^(2/3): 6 of them
    }
  }
}

// ---- Real matrices ----

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
  /// Blocks that a rank has from the beginning and that nobody else needs: what stays.
  std::vector<std::set<Block>> stay;
};

/// SUMMA as its file describes it.
Layout summa_layout(std::size_t R, std::size_t C, char variant) {
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

Layout cube_layout(std::size_t R, std::size_t C, std::size_t D) {
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

/// Multiplies two matrices by a schedule: every rank has nothing but what it starts with, its local
/// products, and what the schedule brings.
class Execution {
 public:
  /// Blocks of A are a x b elements, those of B b x c.
  Execution(const Asked& asked, const Layout& layout, std::size_t a, std::size_t b, std::size_t c)
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

  /// The same, the plain way.
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

  /// Chunk j of K of a block's values: as even pieces as there can be.
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

  /// What a rank starts with of A and B. (Its contributions to C come when they are asked for.)
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

  /// What a rank has of a chunk; a contribution is worked out when it is needed first.
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
