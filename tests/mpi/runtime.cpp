// The runtime as a library, on four ranks: features that emitted programs do not use. Ends with
// status 1 and the failed expectation if one fails.

#include <algorithm>
#include <vector>

#include "expect.hpp"

namespace {

void memory_of_the_caller() {
  for (const ExecutionMode mode : {ExecutionMode{}, ExecutionMode{StepOrder::step, false},
                                   ExecutionMode{StepOrder::free, true}}) {
    for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{7}}) {
      std::vector<int> memory(23, -1);  // 5 chunks of 5, the last of 3; or of 7, the last of 0
      if (rank == 0) {
        for (int i = 0; i < 23; ++i) memory[static_cast<std::size_t>(i)] = 100 + i;
      }
      Executor executor(chain(5), MPI_COMM_WORLD, Cut{23, chunk}, Payload{MPI_INT}, mode,
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

/// Elements of two ints with a gap between them and one before, which must not be touched.
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
  Executor(chain(3), MPI_COMM_WORLD, Cut{6}, Payload{type}, ExecutionMode{}, memory.data()).run();
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
    for (const Message& m : executor.messages().sends)
      expect(stride != tags || m.tag == 0, "a tag");
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
  return run_tests(argc, argv, [] {
    memory_of_the_caller();
    nothing();
    a_type_with_gaps();
    an_exchange();
    equal_tags();
    side_by_side();
    ports();
  });
}
