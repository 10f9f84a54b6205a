# Draws a schedule: cmake -DSCHEDCC=... -DARGUMENTS="chain;--ranks;8" -DDOT=... -P picture.cmake

execute_process(COMMAND ${SCHEDCC} compile ${ARGUMENTS} --quiet COMMAND ${DOT} -Tsvg
                RESULTS_VARIABLE statuses ERROR_VARIABLE errors OUTPUT_VARIABLE picture)
if(NOT statuses STREQUAL "0;0")
  message(FATAL_ERROR "exit statuses ${statuses}\n${errors}")
elseif(NOT errors STREQUAL "")
  message(FATAL_ERROR "${errors}")
elseif(NOT picture MATCHES "</svg>")
  message(FATAL_ERROR "no picture")
endif()
