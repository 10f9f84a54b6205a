// Executes tables, in all forms in which schedcc writes them, on elements of all shapes: dense,
// with gaps, interleaved like the columns of a matrix, or reversed in memory. The results must be
// those of the collective, and memory that is not part of the elements that a rank receives, such
// as gaps, must not change. Ends with status 1 and the failed expectation if one fails.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "schedcc/mpi.hpp"
#include "tables.hpp"  // written by tables.py

namespace {

using namespace schedcc::mpi;

/// Elements: functions x -> a x + b (pairs of numbers), each at its distance from the element.
struct Shape {
  std::string name;
  std::vector<MPI_Aint> functions;  ///< where each begins; its shift comes `gap` after its scale
  MPI_Aint gap, extent;
};
constexpr MPI_Aint word = sizeof(std::uint32_t);

/// For so many elements side by side.
std::vector<Shape> shapes(std::uint64_t elements) {
  const MPI_Aint row = 2 * word * static_cast<MPI_Aint>(elements);
  return {{"dense", {0, 2 * word}, word, 4 * word},
          {"with gaps", {word, 5 * word}, 2 * word, 9 * word},
          {"columns", {0, row, 2 * row}, word, 2 * word},
          {"columns with gaps", {word, 2 * row + word}, word + row, 2 * word},
          {"backwards", {0}, word, -4 * word}};
}

const Shape* current = nullptr;  ///< for the operations

std::uint32_t get(const std::byte* at) {
  std::uint32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}
void put(std::byte* at, std::uint32_t number) { std::memcpy(at, &number, sizeof number); }

/// Calls `work` with each function of an element.
template <typename Work>
void each_function(const Shape& shape, std::byte* element, Work work) {
  for (const MPI_Aint f : shape.functions) work(element + f, element + f + shape.gap);
}

void apply(void* from, void* into, int count, bool ordered) {
  auto* f = static_cast<std::byte*>(from);
  auto* g = static_cast<std::byte*>(into);
  for (int i = 0; i < count; ++i, f += current->extent, g += current->extent) {
    each_function(*current, g, [&](std::byte* scale, std::byte* shift) {
      const std::uint32_t a = get(f + (scale - g)), b = get(f + (shift - g));
      put(shift, ordered ? get(scale) * b + get(shift) : get(shift) + b);
      put(scale, ordered ? get(scale) * a : get(scale) + a);
    });
  }
}
void composed(void* from, void* into, int* count, MPI_Datatype*) {
  apply(from, into, *count, true);
}
void added(void* from, void* into, int* count, MPI_Datatype*) { apply(from, into, *count, false); }

MPI_Datatype type_of(const Shape& shape) {
  std::vector<MPI_Aint> places;
  for (const MPI_Aint f : shape.functions) {
    places.push_back(f);
    places.push_back(f + shape.gap);
  }
  const std::vector<int> lengths(places.size(), 1);
  MPI_Datatype parts = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(),
                           MPI_UINT32_T, &parts);
  MPI_Type_create_resized(parts, 0, shape.extent, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&parts);
  return type;
}

/// One table, one shape, one operation, and memory of the executor's own or of the caller's.
class SearchResult {
 public:
  SearchResult(const Table& table, const Shape& shape, std::uint64_t elements, MPI_Comm comm,
               MPI_Op op, bool ordered, bool own)
      : table_(table), shape_(shape), ordered_(ordered), own_(own), type_(type_of(shape)) {
    current = &shape;
    const Element element(type_);
    Buffer callers(element, own ? 0 : total(elements));
    Executor executor(table, comm, Cut{elements}, Payload{type_, op}, ExecutionMode{},
                      own ? nullptr : callers.start());
    memory_ = own ? &executor.memory().bytes() : &callers.bytes();
    for (int repetition = 0; repetition < 2; ++repetition) {
      fill(executor);
      const std::vector<std::byte> before = *memory_;
      executor.run();
      examine_rest(executor, before);
      examine_goals(executor);
    }
  }
  ~SearchResult() { MPI_Type_free(&type_); }
  SearchResult(const SearchResult&) = delete;
  SearchResult& operator=(const SearchResult&) = delete;

 private:
  std::uint64_t total(std::uint64_t elements) const {
    return table_.problem.total_chunks / table_.problem.chunks * elements;
  }

  /// A part of an element of a rank's contribution, or of a chunk that is copied.
  std::uint32_t number(std::uint32_t rank, std::uint64_t element, std::size_t part) const {
    return static_cast<std::uint32_t>(scrambled((rank * 1000 + element) * 100 + part)) | 1;
  }

  /// Calls `visit` with each element's number among all and its place.
  template <typename Visit>
  void each_element(Executor& executor, const Run& run, Visit visit) {
    const Layout& layout = executor.layout();
    for (auto c = run.first; c < run.end(); ++c) {
      auto* at = static_cast<std::byte*>(executor.at(c));
      for (std::uint64_t i = 0; i < layout.size({c, 1}); ++i) {
        visit(c, layout.before(c) + i, at + shape_.extent * static_cast<MPI_Aint>(i));
      }
    }
  }

  void fill(Executor& executor) {
    std::fill(memory_->begin(), memory_->end(), std::byte{0xa5});
    const std::uint32_t rank = executor.communicator().rank();
    for (const Run& run : starts(table_.problem, rank)) {
      each_element(executor, run, [&](std::uint32_t c, std::uint64_t i, std::byte* at) {
        std::size_t part = 0;
        each_function(shape_, at, [&](std::byte* scale, std::byte* shift) {
          const std::uint32_t from = reduced(table_.problem, c) ? rank : 99;
          put(scale, number(from, i, part++));
          put(shift, number(from, i, part++));
        });
      });
    }
  }

  /// Memory that is not part of the received chunks must be unchanged.
  void examine_rest(Executor& executor, const std::vector<std::byte>& before) {
    std::vector<bool> received(memory_->size());
    for (const Message& m : executor.messages().receives) {
      for (const Piece& piece : m.pieces) {
        each_element(executor, piece.chunks, [&](std::uint32_t, std::uint64_t, std::byte* at) {
          each_function(shape_, at, [&](std::byte* scale, std::byte* shift) {
            for (MPI_Aint i = 0; i < word; ++i) {
              received[static_cast<std::size_t>(scale + i - memory_->data())] = true;
              received[static_cast<std::size_t>(shift + i - memory_->data())] = true;
            }
          });
        });
      }
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      expect(received[i] || (*memory_)[i] == before[i], executor, "touches byte", i);
    }
  }

  void examine_goals(Executor& executor) {
    const std::uint32_t rank = executor.communicator().rank();
    for (const Run& run : goals(table_.problem, rank)) {
      each_element(executor, run, [&](std::uint32_t c, std::uint64_t i, std::byte* at) {
        std::vector<std::uint32_t> from{99};
        if (reduced(table_.problem, c)) from = contributors(table_.problem, rank, c);
        std::size_t part = 0;
        each_function(shape_, at, [&](std::byte* scale, std::byte* shift) {
          std::uint32_t a = number(from[0], i, part), b = number(from[0], i, part + 1);
          for (std::size_t k = 1; k < from.size(); ++k) {
            const std::uint32_t x = number(from[k], i, part), y = number(from[k], i, part + 1);
            b = ordered_ ? x * b + y : b + y;
            a = ordered_ ? x * a : a + x;
          }
          part += 2;
          expect(get(scale) == a && get(shift) == b, executor, "ends with a wrong element", i);
        });
      });
    }
  }

  void expect(bool holds, const Executor& executor, const char* what, std::uint64_t number) const {
    if (holds) return;
    std::fprintf(stderr, "%s %s, elements %s, %s, %s memory: rank %u %s %llu\n",
                 table_.name.c_str(), describe(table_).c_str(), shape_.name.c_str(),
                 ordered_ ? "composed" : "added", own_ ? "own" : "the caller's",
                 executor.communicator().rank(), what, static_cast<unsigned long long>(number));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  const Table& table_;
  const Shape& shape_;
  bool ordered_, own_;
  MPI_Datatype type_;
  std::vector<std::byte>* memory_ = nullptr;
};

/// On the first ranks, as many as the table has. `all`: for all shapes, or only the two that have
/// least in common. Returns how often it was executed.
std::uint64_t execute(const Table& table, bool all, MPI_Op compose, MPI_Op add) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool takes_part = static_cast<std::uint32_t>(rank) < table.problem.ranks;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, rank, &comm);
  if (!takes_part) return 0;
  const std::uint64_t elements = 7, blocks = table.problem.total_chunks / table.problem.chunks;
  std::uint64_t count = 0;
  for (const Shape& shape : shapes(blocks * elements)) {
    if (!all && shape.name != "dense" && shape.name != "columns with gaps") continue;
    for (const bool ordered : {false, true}) {
      if (ordered && !(table.problem.ordered && reduction(table.problem))) continue;
      for (const bool own : {false, true}) {
        const SearchResult attempt(table, shape, elements, comm, ordered ? compose : add, ordered,
                                   own);
        ++count;
      }
    }
  }
  MPI_Comm_free(&comm);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  return with_mpi(argc, argv, [] {
    const Watchdog watchdog(500);
    Watchdog::start(nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op compose = MPI_OP_NULL, add = MPI_OP_NULL;
    MPI_Op_create(composed, 0, &compose);
    MPI_Op_create(added, 1, &add);
    std::uint64_t count = 0;
    for (const Table& table : whole_tables()) count += execute(table, true, compose, add);
    for (const Table& table : other_tables(static_cast<std::uint32_t>(rank))) {
      count += execute(table, false, compose, add);
    }
    if (rank == 0) std::printf("%llu trials\n", static_cast<unsigned long long>(count));
    MPI_Op_free(&compose);
    MPI_Op_free(&add);
    return 0;
  });
}
