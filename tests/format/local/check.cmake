# Emits a schedule as a table, as the table of one rank, and as a program that computes all ranks;
# compiles them together, and compares.
#
#   cmake -DSCHEDCC=... -DARGUMENTS="chain;--ranks;8" -DRANK=n -DWORK=folder -DCXX=compiler -DFLAGS=...
#         -P check.cmake

include(${CMAKE_CURRENT_LIST_DIR}/../../support/run.cmake)

file(MAKE_DIRECTORY ${WORK})
set(definitions "")
foreach(form "LOCAL computed local" "OTHER other local" "TABLE table" "ONE one rank=${RANK}")
  separate_arguments(form)
  list(POP_FRONT form macro space)
  list(JOIN form "," how)
  if(how)
    set(how ",${how}")
  endif()
  run(${SCHEDCC} compile ${ARGUMENTS} --quiet --emit cpp:namespace=${space}${how} -o ${WORK}/${space}.hpp)
  list(APPEND definitions "-D${macro}_HEADER=\"${WORK}/${space}.hpp\"")
endforeach()
run(${CXX} -std=c++20 -Wall -Wextra -Wpedantic -Werror ${FLAGS} ${definitions}
    ${CMAKE_CURRENT_LIST_DIR}/check.cpp -o ${WORK}/check)
run(${WORK}/check)
