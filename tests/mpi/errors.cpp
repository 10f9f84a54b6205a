// Errors of the runtime, on four ranks: exceptions with the same message at all ranks before any
// message is sent, and unchanged error handlers of the program. Ends with status 1 and the failed
// expectation if one fails.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expect.hpp"

/// A header that was written for rank 1.
namespace of_rank_1 {
constexpr std::string_view collective = "broadcast", machine = "duplex";
constexpr std::uint32_t ranks = 4, root = 0, chunks = 1, rank = 1;
constexpr std::uint64_t total_chunks = 1;
constexpr bool ordered = false;
inline std::vector<Operation> program() { return {{0, receive, 0, 0, 1, copy}}; }
}  // namespace of_rank_1

/// One that computes, for more ranks than there can be.
namespace vast {
constexpr std::string_view collective = "broadcast", machine = "duplex";
constexpr std::uint64_t ranks = std::uint64_t{1} << 40, root = 0, chunks = 1, total_chunks = 1;
constexpr bool ordered = false;
inline std::vector<Operation> program(std::uint64_t) { return {}; }
}  // namespace vast

namespace {

void refusals() {
  const Payload payload{MPI_INT};
  Table few = chain(1);
  few.problem.ranks = 3;
  expect_error("a table for 3 ranks cannot be executed by 4",
               [&] { Executor(few, MPI_COMM_WORLD, Cut{1}, payload); });
  expect_error("too small", [&] { Executor(chain(2), MPI_COMM_WORLD, Cut{9, 4}, payload); });
  Table sum = chain(1);
  sum.problem.collective = "reduce";
  expect_error("needs an operation", [&] { Executor(sum, MPI_COMM_WORLD, Cut{1}, payload); });
  expect_error("needs an operation",
               [&] { Executor(exchange(reduce), MPI_COMM_WORLD, Cut{2}, payload); });
  Table unknown_start = exchange(copy);
  unknown_start.problem.pre.clear();
  expect_error("what the ranks start with",
               [&] { Executor(unknown_start, MPI_COMM_WORLD, Cut{2}, payload); });
  const NamedPayload affine("affine", "compose");
  expect_error("does not keep the order",
               [&] { Executor(sum, MPI_COMM_WORLD, Cut{1}, affine.get()); });
  const auto every_rank = [](const Operation& o) {
    return table_of({"broadcast", 4, 0, 1, 1, false, {}, {}}, "duplex", {{o}, {o}, {o}, {o}});
  };
  expect_error("too large to be addressed",
               [&] { Executor(chain(2), MPI_COMM_WORLD, Cut{std::uint64_t{1} << 60}, payload); });
  expect_error("rank 9 cannot be its peer", [&] {
    Executor(every_rank({0, send, 9, 0, 1, copy}), MPI_COMM_WORLD, Cut{1}, payload);
  });
  expect_error("there is no chunk 1", [&] {
    Executor(every_rank({0, send, 9, 0, 2, copy}), MPI_COMM_WORLD, Cut{1}, payload);
  });
  expect_error("there is no datatype 'short'", [] { NamedPayload("short", "sum"); });
  expect_error("has no operation 'bxor'", [] { NamedPayload("double", "bxor"); });
  expect_error("'64KB?' is not a size", [] { parse_size("64KB?"); });
}

void tables_of_one_rank() {
  expect_error("rank 0: the table has only the operations of rank 1", [] {
    Executor(SCHEDCC_MPI_RANK(of_rank_1), MPI_COMM_WORLD, Cut{1}, Payload{MPI_INT});
  });
  expect_error("a table for 4294967295 ranks cannot be executed by 4",
               [] { Executor(SCHEDCC_MPI_LOCAL(vast), MPI_COMM_WORLD, Cut{1}, Payload{MPI_INT}); });
}

/// Rank 2 has another table or other parameters. The sums of the messages sent and received agree.
void disagreements() {
  const bool other = rank == 2;
  const auto expect_disagreement = [](const std::string& there, const std::string& at_rank_0,
                                      const Table& table, Cut cut, Payload payload) {
    expect_error("rank 2: the ranks do not agree: " + there + " here, " + at_rank_0 + " at rank 0",
                 [&] { Executor(table, MPI_COMM_WORLD, cut, payload); });
  };
  const Payload ints{MPI_INT};
  expect_disagreement("a message of 9 elements", "a message of 8 elements", chain(2),
                      Cut{other ? 9U : 8U}, ints);
  expect_disagreement("chunks of 5 elements", "chunks of 4 elements", chain(2),
                      Cut{8, other ? 5U : 4U}, ints);
  expect_disagreement("elements of 8 bytes", "elements of 4 bytes", chain(2), Cut{8},
                      other ? Payload{MPI_DOUBLE} : ints);
  expect_disagreement("broadcast, 4 ranks, root 0, 3 chunks on duplex",
                      "broadcast, 4 ranks, root 0, 2 chunks on duplex", chain(other ? 3 : 2),
                      Cut{8}, ints);
  expect_disagreement("broadcast, 4 ranks, root 0, 2 chunks on simplex",
                      "broadcast, 4 ranks, root 0, 2 chunks on duplex",
                      chain(2, other ? "simplex" : "duplex"), Cut{8}, ints);
  const NamedPayload affine("affine", "compose");
  expect_disagreement("an operation that commutes", "one that does not commute", chain(2), Cut{8},
                      other ? Payload{affine.get().type, MPI_OP_NULL} : affine.get());
}

void ignored(MPI_Comm*, int*, ...) {}

/// Errors for which MPI calls the handlers of MPI_COMM_WORLD and MPI_COMM_SELF, which by default
/// end the program.
void errors_without_a_communicator() {
  const Payload bits_of_doubles{MPI_DOUBLE, MPI_BAND};
  expect_error("the operation: MPI: ",
               [&] { Executor(exchange(reduce), MPI_COMM_WORLD, Cut{2}, bits_of_doubles); });
  expect_error("MPI: ",
               [] { Executor(chain(1), MPI_COMM_WORLD, Cut{1}, Payload{MPI_DATATYPE_NULL}); });
  expect_error("MPI: ", [] { Executor(chain(1), MPI_COMM_NULL, Cut{1}, Payload{MPI_INT}); });
}

/// Error handlers that the program has set are preserved.
void handlers_of_the_program() {
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(ignored, &own);
  const std::array<MPI_Comm, 2> comms{MPI_COMM_WORLD, MPI_COMM_SELF};
  for (const MPI_Comm comm : comms) MPI_Comm_set_errhandler(comm, own);
  errors_without_a_communicator();
  Executor executor(chain(2), MPI_COMM_WORLD, Cut{2}, Payload{MPI_INT});
  executor.run();
  for (const MPI_Comm comm : comms) {
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &now);
    expect(now == own, "an error handler of the program");
    MPI_Errhandler_free(&now);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Errhandler_free(&own);
}

/// Destroyed after MPI_Finalize, like a variable of a main function that calls it.
std::optional<Executor> left_over;

void what_is_left_over() {
  const int blocks[] = {1, 1}, places[] = {0, 2};
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_indexed(2, blocks, places, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  left_over.emplace(chain(3), MPI_COMM_WORLD, Cut{7}, Payload{gaps});
  left_over->run();
  MPI_Type_free(&gaps);
}

}  // namespace

int main(int argc, char** argv) {
  return run_tests(argc, argv, [] {
    refusals();
    tables_of_one_rank();
    disagreements();
    errors_without_a_communicator();
    handlers_of_the_program();
    what_is_left_over();
  });
}
