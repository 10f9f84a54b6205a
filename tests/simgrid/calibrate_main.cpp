// The command `schedcc-mpirun --calibrate` alone, as SMPI runs it.

#include "mpirun/calibrate.hpp"

int main(int argc, char** argv) {
  namespace mpi = schedcc::mpi;
  return mpi::with_mpi(argc, argv, [&] {
    schedcc::calibrate(
        mpi::parse(argc, argv, {{"--output", "--ranks-per-node", "--ports"}, {"--calibrate"}}));
    return 0;
  });
}
