#pragma once

// Payload for testing tables: numbers that identify their elements, and the expected results.
//
// A chunk that is copied holds hashes of the positions of its elements in the whole message. A
// contribution to a reduction hashes its rank as well; numbers are small enough for floating-point
// sums to be exact in any order, so that results can be compared byte by byte.

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/mpi/executor.hpp"

namespace schedcc::mpi {

inline std::uint64_t scrambled(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// x -> scale x + shift, modulo 2^32: functions, whose composition has an order.
struct Affine {
  std::uint32_t scale, shift;
};

/// A datatype for elements, by its name for users.
struct NamedType {
  const char* name;
  std::size_t size;
  /// Writes the number selected by `hash`.
  void (*write)(std::uint64_t hash, std::byte* to);
  bool bits;  ///< has the bitwise operations, and products
};

template <typename Number>
void write_integer(std::uint64_t hash, std::byte* to) {
  const auto number = static_cast<Number>(hash >> 8);
  std::memcpy(to, &number, sizeof number);
}
/// Integers below 1024: sums over 2^14 ranks are exact in a float.
template <typename Number>
void write_floating(std::uint64_t hash, std::byte* to) {
  const auto number = static_cast<Number>(hash >> 54);
  std::memcpy(to, &number, sizeof number);
}
inline void write_affine(std::uint64_t hash, std::byte* to) {
  const Affine function{static_cast<std::uint32_t>(hash) | 1,
                        static_cast<std::uint32_t>(hash >> 32)};
  std::memcpy(to, &function, sizeof function);
}

inline const std::array<NamedType, 6>& named_types() {
  static const std::array<NamedType, 6> types{{
      {"byte", 1, write_integer<std::uint8_t>, true},
      {"uint32", 4, write_integer<std::uint32_t>, true},
      {"uint64", 8, write_integer<std::uint64_t>, true},
      {"float", 4, write_floating<float>, false},
      {"double", 8, write_floating<double>, false},
      {"affine", sizeof(Affine), write_affine, false},
  }};
  return types;
}

/// into = into after from: the left operand first.
inline void compose(void* from, void* into, int* count, MPI_Datatype*) {
  const auto* f = static_cast<const Affine*>(from);
  auto* g = static_cast<Affine*>(into);
  for (int i = 0; i < *count; ++i) {
    g[i] = {g[i].scale * f[i].scale, g[i].scale * f[i].shift + g[i].shift};
  }
}

/// Is the operator idempotent, so that a contribution counted twice has no effect?
inline bool idempotent(const std::string& op) {
  return is_one_of(op, {"min", "max", "band", "bor"});
}

/// A named datatype with an operation.
class NamedPayload {
 public:
  /// Throws Error if there is no such type, or it has no such operation.
  NamedPayload(const std::string& type, const std::string& op) : op_name(op) {
    for (const NamedType& t : named_types()) {
      if (type == t.name) named_ = &t;
    }
    if (named_ == nullptr) {
      throw Error("there is no datatype '" + type +
                  "'; there are byte, uint32, uint64, float, double, affine");
    }
    if (type == "affine") {
      if (op != "compose") throw Error("affine functions have the operation 'compose' only");
      check(MPI_Type_contiguous(2, MPI_UINT32_T, &payload_.type));
      check(MPI_Type_commit(&payload_.type));
      check(MPI_Op_create(compose, 0, &payload_.op));
      return;
    }
    payload_.type = type == "byte"     ? MPI_UINT8_T
                    : type == "uint32" ? MPI_UINT32_T
                    : type == "uint64" ? MPI_UINT64_T
                    : type == "float"  ? MPI_FLOAT
                                       : MPI_DOUBLE;
    payload_.op = op == "sum"   ? MPI_SUM
                  : op == "min" ? MPI_MIN
                  : op == "max" ? MPI_MAX
                                : bitwise(op);
    if (payload_.op == MPI_OP_NULL) {
      throw Error("the datatype '" + type + "' has no operation '" + op +
                  "'; it has sum, min, max" + (named_->bits ? ", prod, band, bor, bxor" : ""));
    }
  }
  ~NamedPayload() {
    if (op_name != "compose" || finalized()) return;
    MPI_Op_free(&payload_.op);
    MPI_Type_free(&payload_.type);
  }
  NamedPayload(const NamedPayload&) = delete;
  NamedPayload& operator=(const NamedPayload&) = delete;

  Payload get() const { return payload_; }
  const NamedType& type() const { return *named_; }

  /// The contribution of `rank` to the elements starting with `first` (of the whole message).
  void write(std::uint32_t rank, std::uint64_t first, std::uint64_t count, std::byte* to) const {
    const std::uint64_t seed = scrambled(rank);
    for (std::uint64_t i = 0; i < count; ++i, to += named_->size) {
      named_->write(scrambled(seed + first + i), to);
    }
  }

  std::string op_name;

 private:
  MPI_Op bitwise(const std::string& op) const {
    if (!named_->bits) return MPI_OP_NULL;
    if (op == "prod") return MPI_PROD;
    if (op == "band") return MPI_BAND;
    if (op == "bor") return MPI_BOR;
    return op == "bxor" ? MPI_BXOR : MPI_OP_NULL;
  }

  const NamedType* named_ = nullptr;
  Payload payload_;
};

/// Fills a rank's chunks before an execution, and verifies them after it.
class PayloadTest {
 public:
  PayloadTest(const Problem& problem, Executor& executor, const NamedPayload& payload)
      : problem_(problem), executor_(executor), payload_(payload) {}

  /// Sets the chunks that the rank starts with, and makes all others wrong in every byte.
  void fill() {
    for (const Run& run : executor_.layout().runs()) {
      each(run, [&](std::uint32_t chunk, std::uint64_t first, std::uint64_t count) {
        std::byte* to = place(chunk);
        payload_.write(no_rank, first, count, to);
        for (std::size_t i = 0; i < count * payload_.type().size; ++i) to[i] = ~to[i];
      });
    }
    const std::uint32_t rank = executor_.communicator().rank();
    for (const Run& run : starts(problem_, rank)) {
      each(run, [&](std::uint32_t chunk, std::uint64_t first, std::uint64_t count) {
        payload_.write(reduced(problem_, chunk) ? rank : no_rank, first, count, place(chunk));
      });
    }
  }

  /// The error in the rank's chunks at the end; none if every byte is right.
  std::optional<std::string> examine() {
    std::optional<std::string> result;
    const std::uint32_t rank = executor_.communicator().rank();
    for (const Run& run : goals(problem_, rank)) {
      each(run, [&](std::uint32_t chunk, std::uint64_t first, std::uint64_t count) {
        if (result) return;
        const std::vector<std::byte> right = expected(rank, chunk, first, count);
        const std::byte* is = place(chunk);
        for (std::size_t i = 0; i < right.size(); ++i) {
          if (is[i] == right[i]) continue;
          result = "rank " + std::to_string(rank) + " ends with a wrong chunk " +
                   std::to_string(chunk) + ": byte " + std::to_string(i) + " of " +
                   std::to_string(right.size()) + " is " +
                   std::to_string(std::to_integer<int>(is[i])) + ", not " +
                   std::to_string(std::to_integer<int>(right[i]));
          return;
        }
      });
    }
    return result;
  }

 private:
  static constexpr std::uint32_t no_rank = UINT32_MAX;  ///< for chunks that are only copied

  std::byte* place(std::uint32_t chunk) { return static_cast<std::byte*>(executor_.at(chunk)); }

  template <typename Visit>
  void each(const Run& run, Visit visit) {
    const Layout& layout = executor_.layout();
    for (std::uint64_t c = run.first; c < run.end(); ++c) {
      const auto chunk = static_cast<std::uint32_t>(c);
      visit(chunk, layout.before(c), layout.size({chunk, 1}));
    }
  }

  /// The chunk as the collective defines it: contributions combined in the order of the ranks.
  std::vector<std::byte> expected(std::uint32_t rank, std::uint32_t chunk, std::uint64_t first,
                                  std::uint64_t count) const {
    std::vector<std::byte> all(count * payload_.type().size), next(all.size());
    if (!reduced(problem_, chunk)) {
      payload_.write(no_rank, first, count, all.data());
      return all;
    }
    bool begun = false;
    for (const std::uint32_t r : contributors(problem_, rank, chunk)) {
      payload_.write(r, first, count, next.data());
      if (begun) {
        combine(all.data(), next.data(), count, executor_.element(), payload_.get().op);
      }
      std::swap(all, next);
      begun = true;
    }
    return all;
  }

  const Problem& problem_;
  Executor& executor_;
  const NamedPayload& payload_;
};

}  // namespace schedcc::mpi
