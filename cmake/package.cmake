# Debian packages, by `cpack -G DEB` in the build directory: the program; what needs MPI, schedcc-mpirun and
# the library of `schedcc record`; for each MPI library what processes of a job need; the module for Python;
# and the library for programs. Shared libraries that they depend on are found by dpkg-shlibdeps.

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
foreach(library IN LISTS job_libraries)
  list(APPEND CPACK_COMPONENTS_ALL job_${library})
endforeach()
if(TARGET schedcc_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME schedcc)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS graphviz)
# The cost model `simgrid` loads the library of the first, `record` preloads one of the second, and
# processes of a job load one of the others.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libsimgrid-dev, schedcc-mpirun, schedcc-job-openmpi, schedcc-job-mpich")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "schedcc takes a collective operation, builds a schedule of the messages of each
step, checks that it is correct on its machine, and writes it as a table that a
program can execute, as a picture, or as text.")

set(CPACK_DEBIAN_MPIRUN_PACKAGE_NAME schedcc-mpirun)
set(CPACK_DEBIAN_MPIRUN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPIRUN_PACKAGE_RECOMMENDS mpi-default-bin)
set(CPACK_DEBIAN_MPIRUN_DESCRIPTION "Executes them over MPI.
schedcc-mpirun executes the schedules of schedcc, compares every byte of the
result with the definition of the collective, and times them. The package also
has the library with which schedcc records the schedule of an MPI program.")

# Each depends on one MPI library.
foreach(library IN LISTS job_libraries)
  string(TOUPPER JOB_${library} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME schedcc-job-${library})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS schedcc)
  set(CPACK_DEBIAN_${component}_DESCRIPTION "Checks them by several processes of ${library}.
With the library in this package, the processes that the launcher of ${library}
starts as 'mpirun -n N schedcc verify' share the work, and the memory.")
endforeach()

# The module is for one version of Python, whose packages compile the modules in Python when they are
# installed, as those made by dh-python do.
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-schedcc)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS graphviz)
math(EXPR python_next "${Python3_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3 (<< ${Python3_VERSION_MAJOR}.${python_next})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_LIST_DIR}/python/postinst ${CMAKE_CURRENT_LIST_DIR}/python/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Builds, checks, times and proves them from Python.
The package schedcc for Python makes schedules of algorithms, files and steps,
and has findings as exceptions and pages for notebooks.")

set(development libfmt-dev libexpat1-dev)
if(Z3_found)
  list(APPEND development libz3-dev)
endif()
if(CADICAL_found)
  list(APPEND development libcadical-dev)
endif()
list(JOIN development ", " development)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libschedcc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${development}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "The library of schedcc, its headers, among them those that execute schedules
over MPI, and what CMake and pkg-config need to find it.")

include(CPack)
