! A broadcast by a program in Fortran: a chain. With -DF08 through the module mpi_f08.

program languages
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use schedcc_record
  implicit none
  integer, parameter :: n = 8
  integer :: ranks, rank, code
  double precision :: values(n)
  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  values = 0
#ifdef F08
  call schedcc_record_begin('broadcast', values, values, n, MPI_DOUBLE_PRECISION%MPI_VAL, &
                            MPI_SUM%MPI_VAL, 0, MPI_COMM_WORLD%MPI_VAL)
#else
  call schedcc_record_begin('broadcast', values, values, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, &
                            MPI_COMM_WORLD)
#endif
  if (rank > 0) then
    call MPI_Recv(values, n, MPI_DOUBLE_PRECISION, rank - 1, 0, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, code)
  end if
  if (rank < ranks - 1) then
    call MPI_Send(values, n, MPI_DOUBLE_PRECISION, rank + 1, 0, MPI_COMM_WORLD, code)
  end if
  call schedcc_record_end()
  call MPI_Finalize(code)
end program
