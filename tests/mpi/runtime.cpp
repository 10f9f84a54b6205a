// The runtime as a library, on four ranks: what programs around it do not use. Ends with the status
// 1, and says where, if something is not as it should be.

#include <cstdio>
#include <string>
#include <vector>

#include "schedcc/mpi.hpp"

namespace {

using namespace schedcc::mpi;

int rank = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Calls `work`, which must throw an Error that says `message`.
template <typename Work>
void expect_error(const std::string& message, Work work) {
  try {
    work();
  } catch (const Error& error) {
    expect(std::string(error.what()).find(message) != std::string::npos, error.what());
    return;
  }
  expect(false, "no error: " + message);
}

/// Operations for every rank; rank r does those of `programs[r]`.
Table table_of(Problem problem, std::string machine, std::vector<std::vector<Operation>> programs) {
  return {"test", std::move(problem), std::move(machine),
          [programs](std::uint32_t r) { return programs[r]; }};
}

/// A chain 0 -> 1 -> 2 -> 3 of so many chunks, with a step in so many.
Table chain(std::uint32_t chunks, const std::string& machine = "duplex", std::uint64_t stride = 1) {
  std::vector<std::vector<Operation>> programs(4);
  for (std::uint64_t step = 0; step < chunks + 2; ++step) {
    for (const Kind kind : {send, receive}) {
      for (std::uint32_t r = 0; r < 4; ++r) {
        const std::uint64_t chunk =
            step - (kind == send ? r : r - 1);  // above all if r = 0 receives
        if (chunk >= chunks || (kind == send ? r == 3 : r == 0)) continue;
        programs[r].push_back({step * stride, kind, kind == send ? r + 1 : r - 1,
                               static_cast<std::uint32_t>(chunk), 1, copy});
      }
    }
  }
  return table_of({"broadcast", 4, 0, chunks, chunks, false, {}, {}}, machine, programs);
}

/// Neighbours 0, 1 and 2, 3 exchange their chunk in one step, which both send and receive.
Table exchange(Mode mode) {
  const std::vector<Holding> pre{
      {0, 0, 1, false}, {1, 0, 1, false}, {2, 1, 1, false}, {3, 1, 1, false}};
  std::vector<std::vector<Operation>> programs(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const std::uint32_t peer = r ^ 1, chunk = r / 2;
    programs[r] = {{0, send, peer, chunk, 1, mode}, {0, receive, peer, chunk, 1, mode}};
  }
  return table_of({"custom", 4, 0, 2, 2, false, pre, {}}, "duplex", programs);
}

void memory_of_the_caller() {
  for (const Manner manner : {Manner{}, Manner{Pace::step, false}, Manner{Pace::free, true}}) {
    for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{7}}) {
      std::vector<int> memory(23, -1);  // 5 chunks of 5, the last of 3; or of 7, the last of 0
      if (rank == 0) {
        for (int i = 0; i < 23; ++i) memory[static_cast<std::size_t>(i)] = 100 + i;
      }
      Executor executor(chain(5), MPI_COMM_WORLD, Cut{23, chunk}, Payload{MPI_INT}, manner,
                        memory.data());
      executor.run();
      executor.run();
      for (int i = 0; i < 23; ++i) {
        expect(memory[static_cast<std::size_t>(i)] == 100 + i,
               "a broadcast in the caller's memory");
      }
      expect(executor.at(1) == memory.data() + (chunk == 0 ? 5 : 7), "the place of a chunk");
    }
  }
}

/// Messages without content keep the order of things, as a barrier does.
void nothing() { Executor(chain(3), MPI_COMM_WORLD, Cut{0}, Payload{MPI_INT}).run(); }

/// Elements of two ints with a gap between them and one before, which nobody may touch.
void a_type_with_gaps() {
  const int displacements[] = {1, 3};
  const int lengths[] = {1, 1};
  MPI_Datatype gaps = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &gaps);
  MPI_Type_create_resized(gaps, 0, 5 * sizeof(int), &type);
  MPI_Type_commit(&type);
  std::vector<int> memory(5 * 6, -rank);
  if (rank == 0) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<int>(i);
  }
  Executor(chain(3), MPI_COMM_WORLD, Cut{6}, Payload{type}, Manner{}, memory.data()).run();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool data = i % 5 == 1 || i % 5 == 3;
    expect(memory[i] == (data || rank == 0 ? static_cast<int>(i) : -rank), "an element with gaps");
  }
  MPI_Type_free(&type);
  MPI_Type_free(&gaps);
}

/// The chunk is sent and overwritten in the same step.
void an_exchange() {
  Executor copies(exchange(copy), MPI_COMM_WORLD, Cut{200000}, Payload{MPI_INT});
  const auto chunk = static_cast<std::uint32_t>(rank / 2);
  auto* data = static_cast<int*>(copies.at(chunk));
  std::fill(data, data + 100000, rank);
  copies.run();
  expect(std::count(data, data + 100000, rank ^ 1) == 100000, "an exchange of chunks");

  Executor sums(exchange(reduce), MPI_COMM_WORLD, Cut{200000}, Payload{MPI_INT, MPI_SUM});
  data = static_cast<int*>(sums.at(chunk));
  std::fill(data, data + 100000, 1 + rank);
  sums.run();
  expect(std::count(data, data + 100000, 2 + rank + (rank ^ 1)) == 100000, "an exchange of sums");
}

/// Steps that have one tag together are kept apart by their order.
void equal_tags() {
  void* bound = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &known);
  const std::uint64_t tags = static_cast<std::uint64_t>(*static_cast<int*>(bound)) + 1;
  for (const std::uint64_t stride : {tags, tags - 1, tags / 3}) {
    Executor executor(chain(50, "duplex", stride), MPI_COMM_WORLD, Cut{50}, Payload{MPI_INT});
    for (const Message& m : executor.plan().sends) expect(stride != tags || m.tag == 0, "a tag");
    for (std::uint32_t c = 0; c < 50; ++c) {
      *static_cast<int*>(executor.at(c)) = rank == 0 ? static_cast<int>(c) : -1;
    }
    executor.run();
    for (std::uint32_t c = 0; c < 50; ++c) {
      expect(*static_cast<int*>(executor.at(c)) == static_cast<int>(c), "equal tags");
    }
  }
}

/// Two executors at once over one communicator, and a message of the program between them.
void side_by_side() {
  Executor a(chain(2), MPI_COMM_WORLD, Cut{2}, Payload{MPI_INT});
  Executor b(chain(2, "simplex"), MPI_COMM_WORLD, Cut{2}, Payload{MPI_INT});
  int other = rank;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) MPI_Irecv(&other, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  for (const std::uint32_t c : {0U, 1U}) {
    *static_cast<int*>(a.at(c)) = rank == 0 ? 10 : 0;
    *static_cast<int*>(b.at(c)) = rank == 0 ? 20 : 0;
  }
  a.run();
  b.run();
  if (rank == 0) MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(*static_cast<int*>(a.at(1)) == 10 && *static_cast<int*>(b.at(0)) == 20, "two executors");
  expect(rank > 1 || other == 0, "a message of the program's own");
}

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
  expect_error("'64KB?' is no size", [] { parse_size("64KB?"); });
}

/// What machines allow.
void ports() {
  const Ports none{0, 0, 0, 0};
  const auto same = [](const Ports& a, const Ports& b) {
    return a.send == b.send && a.receive == b.receive && a.both == b.both && a.delay == b.delay;
  };
  expect(same(ports_of("duplex", none), {1, 1, 2, 0}), "duplex");
  expect(same(ports_of("simplex:width=1", none), {1, 1, 1, 0}), "simplex");
  expect(same(ports_of("kport:width=3,k=2", none), {2, 2, 4, 0}), "kport");
  expect(same(ports_of("bsp:h=16", none), {16, 16, 32, 0}), "bsp");
  expect(same(ports_of("logp:L=6,o=2,g=4", none), {2, 2, 4, 8}), "logp");
  expect(same(ports_of("simplex", {1, 1, 2, 0}), {1, 1, 2, 0}), "a step that breaks the rule");
}

}  // namespace

int main(int argc, char** argv) {
  return with_mpi(argc, argv, [] {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Watchdog watchdog(300);
    Watchdog::start(nullptr);
    memory_of_the_caller();
    nothing();
    a_type_with_gaps();
    an_exchange();
    equal_tags();
    side_by_side();
    refusals();
    ports();
    return 0;
  });
}
