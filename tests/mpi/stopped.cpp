// Preloaded: a clock of MPI that stands still.

extern "C" double MPI_Wtime();
extern "C" double MPI_Wtime() { return 1; }
