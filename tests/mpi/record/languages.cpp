// A broadcast by a program in C++: a chain.

#include <cstdint>
#include <vector>

#include <mpi.h>
#include <schedcc/record.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int P = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::uint32_t> data(8);
  schedcc_record_begin("broadcast", nullptr, data.data(), 8, MPI_UINT32_T, MPI_OP_NULL, 0,
                       MPI_COMM_WORLD);
  if (rank > 0)
    MPI_Recv(data.data(), 8, MPI_UINT32_T, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < P - 1) MPI_Send(data.data(), 8, MPI_UINT32_T, rank + 1, 0, MPI_COMM_WORLD);
  schedcc_record_end();
  MPI_Finalize();
}
