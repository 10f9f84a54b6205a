# Debian packages, by `cpack -G DEB` in the build directory: the program; schedcc-mpirun, which needs
# MPI; and the library for programs. Shared libraries that they depend on are found by dpkg-shlibdeps.

set(CPACK_PACKAGE_NAME schedcc)
set(CPACK_PACKAGE_VENDOR schedcc)
set(CPACK_PACKAGE_CONTACT "the authors of schedcc <schedcc@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
if(MPI_CXX_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpirun)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME schedcc)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS graphviz)
# The cost model `simgrid` loads its library.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS libsimgrid-dev)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "schedcc takes a collective operation, builds a schedule of the messages of each
step, checks that it is correct on its machine, and writes it as a table that a
program can execute, as a picture, or as text.")

set(CPACK_DEBIAN_MPIRUN_PACKAGE_NAME schedcc-mpirun)
set(CPACK_DEBIAN_MPIRUN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPIRUN_PACKAGE_RECOMMENDS mpi-default-bin)
set(CPACK_DEBIAN_MPIRUN_DESCRIPTION "Executes them over MPI.
schedcc-mpirun executes the schedules of schedcc, compares every byte of the
result with the definition of the collective, and times them.")

set(development libfmt-dev libexpat1-dev)
if(SCHEDCC_Z3_LIBRARY AND SCHEDCC_Z3_INCLUDE)
  list(APPEND development libz3-dev)
endif()
if(SCHEDCC_CADICAL_LIBRARY AND SCHEDCC_CADICAL_INCLUDE)
  list(APPEND development libcadical-dev)
endif()
list(JOIN development ", " development)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libschedcc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${development}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "The library of schedcc, its headers, among them those that execute schedules
over MPI, and what CMake and pkg-config need to find it.")

include(CPack)
