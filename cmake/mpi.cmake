# The MPI libraries that there are, whatever FindMPI finds: Debian has compiler wrappers and launchers with
# the names of Open MPI and of MPICH. Elsewhere the one that FindMPI found is known by its wrapper.

foreach(library mpich openmpi)
  find_program(SCHEDCC_MPICXX_${library} mpicxx.${library})
  find_program(SCHEDCC_MPIRUN_${library} mpirun.${library})
endforeach()

# What the library whose compiler wrapper is `wrapper` is used with.
function(use_mpi name wrapper)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(words UNIX_COMMAND "${shown}")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.*)")
      target_include_directories(${name} SYSTEM PRIVATE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.*)")
      target_link_directories(${name} PRIVATE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.*)")
      target_link_libraries(${name} PRIVATE ${CMAKE_MATCH_1})
    endif()
  endforeach()
endfunction()

# The wrapper of a library: its own, or that of FindMPI if it is for this library.
function(mpi_wrapper library result)
  set(wrapper ${SCHEDCC_MPICXX_${library}})
  if(NOT wrapper AND MPI_CXX_COMPILER)
    execute_process(COMMAND ${MPI_CXX_COMPILER} -show OUTPUT_VARIABLE shown ERROR_QUIET)
    if(shown MATCHES ${library})
      set(wrapper ${MPI_CXX_COMPILER})
    elseif(library STREQUAL mpich AND shown MATCHES "-lmpich?( |$)" AND NOT shown MATCHES openmpi)
      set(wrapper ${MPI_CXX_COMPILER})
    endif()
  endif()
  set(${result} ${wrapper} PARENT_SCOPE)
endfunction()
