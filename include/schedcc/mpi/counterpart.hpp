#pragma once

// The library's own collectives, timed for comparison with a table.

#include <cstdint>
#include <string>

#include "schedcc/mpi/executor.hpp"

namespace schedcc::mpi {

/// The library's collective for a problem, over its own buffers, with arbitrary contents.
class LibraryCollective {
 public:
  LibraryCollective(const Problem& problem, const Communicator& comm, std::uint64_t elements,
                    const Element& element, MPI_Op op)
      : collective_(problem.collective),
        comm_(comm.get()),
        root_(static_cast<int>(problem.root)),
        at_root_(comm.rank() == problem.root),
        type_(element.type),
        op_(op),
        countable_(elements <= INT32_MAX),
        count_(static_cast<int>(elements)),
        out_(element, exists() ? elements * blocks_out(problem.ranks) : 0),
        in_(element, exists() ? elements * blocks_in(problem.ranks) : 0) {}

  /// Is there one, and can it count that many elements?
  bool exists() const { return countable_ && *name() != '\0'; }
  /// Its name in MPI; empty if the library has none.
  const char* name() const {
    const std::string& c = collective_;
    if (c == "broadcast") return "MPI_Bcast";
    if (c == "scatter") return "MPI_Scatter";
    if (c == "gather") return "MPI_Gather";
    if (c == "allgather") return "MPI_Allgather";
    if (c == "alltoall") return "MPI_Alltoall";
    if (c == "reduce") return "MPI_Reduce";
    if (c == "allreduce") return "MPI_Allreduce";
    if (c == "reduce-scatter") return "MPI_Reduce_scatter_block";
    if (c == "barrier") return "MPI_Barrier";
    if (c == "scan") return "MPI_Scan";
    return c == "exscan" ? "MPI_Exscan" : "";
  }

  void run() {
    const std::string& c = collective_;
    void* out = out_.start();
    void* in = in_.start();
    if (c == "broadcast") check(MPI_Bcast(out, count_, type_, root_, comm_));
    if (c == "scatter") check(MPI_Scatter(out, count_, type_, in, count_, type_, root_, comm_));
    if (c == "gather") check(MPI_Gather(out, count_, type_, in, count_, type_, root_, comm_));
    if (c == "allgather") check(MPI_Allgather(out, count_, type_, in, count_, type_, comm_));
    if (c == "alltoall") check(MPI_Alltoall(out, count_, type_, in, count_, type_, comm_));
    if (c == "reduce") check(MPI_Reduce(out, in, count_, type_, op_, root_, comm_));
    if (c == "allreduce") check(MPI_Allreduce(out, in, count_, type_, op_, comm_));
    if (c == "reduce-scatter") check(MPI_Reduce_scatter_block(out, in, count_, type_, op_, comm_));
    if (c == "barrier") check(MPI_Barrier(comm_));
    if (c == "scan") check(MPI_Scan(out, in, count_, type_, op_, comm_));
    if (c == "exscan") check(MPI_Exscan(out, in, count_, type_, op_, comm_));
  }

 private:
  std::uint64_t blocks_out(std::uint32_t ranks) const {
    const std::string& c = collective_;
    if (c == "scatter") return at_root_ ? ranks : 0;
    return c == "alltoall" || c == "reduce-scatter" ? ranks : 1;
  }
  std::uint64_t blocks_in(std::uint32_t ranks) const {
    const std::string& c = collective_;
    if (c == "broadcast") return 0;
    if (c == "gather") return at_root_ ? ranks : 0;
    return c == "alltoall" || c == "allgather" ? ranks : 1;
  }

  std::string collective_;
  MPI_Comm comm_;
  int root_;
  bool at_root_;
  MPI_Datatype type_;
  MPI_Op op_;
  bool countable_;
  int count_;
  Buffer out_, in_;
};

}  // namespace schedcc::mpi
