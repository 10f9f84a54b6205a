# Compiles one schedule to a table, the table with every compiler, and executes it.
#
#   cmake -DSCHEDCC=... -DARGUMENTS="chain;--ranks;8" -DNAME=chain -DNAMESPACE=chain
#         -DWORK=folder -DRUNNER=library -DCXX=compiler -DFLAGS=... -DCHECKERS="g++;clang++"
#         [-DCORRUPT=regex -DBY=text] -P execute.cmake
#
# With CORRUPT, the first match of the expression in the table is replaced; the execution must fail.

include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)

file(MAKE_DIRECTORY ${WORK})
set(table ${WORK}/${NAME}.hpp)
set(other ${WORK}/${NAME}-other.hpp)
run(${SCHEDCC} compile ${ARGUMENTS} --quiet --emit cpp -o ${table})
run(${SCHEDCC} compile ${ARGUMENTS} --quiet --emit cpp:namespace=other::table,form=packed -o ${other})

set(corrupted false)
if(DEFINED CORRUPT)
  file(READ ${table} text)
  string(REGEX MATCH "${CORRUPT}" found "${text}")
  if(found STREQUAL "")
    message(FATAL_ERROR "nothing in ${table} to corrupt")
  endif()
  string(REGEX REPLACE "${CORRUPT}" "${BY}" changed "${found}")
  string(FIND "${text}" "${found}" at)
  string(LENGTH "${found}" length)
  math(EXPR rest "${at} + ${length}")
  string(SUBSTRING "${text}" 0 ${at} before)
  string(SUBSTRING "${text}" ${rest} -1 after)
  file(WRITE ${table} "${before}${changed}${after}")
  set(corrupted true)
endif()

set(here ${CMAKE_CURRENT_LIST_DIR})
set(source -Wall -Wextra -Wpedantic -Werror -I${here} -DTABLE_HEADER="${table}"
           -DOTHER_HEADER="${other}" -DTABLE_NAMESPACE=${NAMESPACE} -DCORRUPTED=${corrupted} ${here}/main.cpp)
if(NOT DEFINED CORRUPT)
  file(REAL_PATH ${CXX} compiler)
  foreach(checker IN LISTS CHECKERS)
    file(REAL_PATH ${checker} checker_path)
    set(standards 17 20)
    if(checker_path STREQUAL compiler)  # which compiles it as C++17 below
      set(standards 20)
    endif()
    foreach(standard IN LISTS standards)
      run(${checker} -std=c++${standard} -fsyntax-only ${source})
    endforeach()
  endforeach()
endif()
run(${CXX} -std=c++17 ${FLAGS} ${source} ${RUNNER} -pthread -o ${WORK}/${NAME})

execute_process(COMMAND ${WORK}/${NAME} TIMEOUT 30 RESULT_VARIABLE status ERROR_VARIABLE errors)
message(STATUS "exit status ${status} ${errors}")
if(DEFINED CORRUPT AND NOT status EQUAL 1)
  message(FATAL_ERROR "the corrupted table went unnoticed")
elseif(NOT DEFINED CORRUPT AND NOT status EQUAL 0)
  message(FATAL_ERROR "the table does not do what its collective is defined to do")
endif()
