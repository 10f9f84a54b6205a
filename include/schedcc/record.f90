! Marks the execution of a collective for `schedcc record`, as record.h does for C: the arguments are
! explained there. Compile it with the program; it needs no library.
!
!   use schedcc_record
!   call schedcc_record_begin('allreduce', in, out, count, MPI_INTEGER8, MPI_SUM, 0, comm)
!   call my_allreduce(in, out, count, comm)
!   call schedcc_record_end()
!
! Handles are those of `use mpi`; of mpi_f08 pass datatype%MPI_VAL and so on. In place: pass the same
! array as sendbuf and recvbuf.

module schedcc_record
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: schedcc_record_begin, schedcc_record_end

  abstract interface
    subroutine begin_function(collective, sendbuf, recvbuf, count, datatype, op, root, comm) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: collective(*)
      type(*) :: sendbuf(*), recvbuf(*)
      integer(c_int), value :: count, datatype, op, root, comm
    end subroutine
    subroutine end_function() bind(c)
    end subroutine
  end interface

  interface
    function dlsym(handle, name) bind(c, name='dlsym') result(found)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: found
    end function
  end interface

contains

  subroutine schedcc_record_begin(collective, sendbuf, recvbuf, count, datatype, op, root, comm)
    character(len=*), intent(in) :: collective
    type(*) :: sendbuf(*), recvbuf(*)
    integer, intent(in) :: count, datatype, op, root, comm
    procedure(begin_function), pointer :: begin
    type(c_funptr) :: found
    found = dlsym(c_null_ptr, 'schedcc_recorder_begin_fortran' // c_null_char)
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, begin)
    call begin(trim(collective) // c_null_char, sendbuf, recvbuf, count, datatype, op, root, comm)
  end subroutine

  subroutine schedcc_record_end()
    procedure(end_function), pointer :: finish
    type(c_funptr) :: found
    found = dlsym(c_null_ptr, 'schedcc_recorder_end' // c_null_char)
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, finish)
    call finish()
  end subroutine

end module
