# The files that a page (--emit html) consists of, as text in the library: those of src/format/html, and
# D3, with its licence, where Debian's libjs-d3 is installed. Without it schedcc writes no pages.

find_file(SCHEDCC_D3 d3.min.js PATHS /usr/share/javascript PATH_SUFFIXES d3 NO_DEFAULT_PATH)
find_file(SCHEDCC_D3_LICENSE copyright PATHS /usr/share/doc/libjs-d3 NO_DEFAULT_PATH)

set(page_folder ${CMAKE_CURRENT_SOURCE_DIR}/src/format/html)
set(page_files ${page_folder}/page.css ${page_folder}/page.html)
file(GLOB page_scripts CONFIGURE_DEPENDS ${page_folder}/*.js)
list(APPEND page_files ${page_scripts})
set(page_d3 false)
if(SCHEDCC_D3 AND SCHEDCC_D3_LICENSE)
  list(APPEND page_files ${SCHEDCC_D3} ${SCHEDCC_D3_LICENSE})
  set(page_d3 true)
else()
  message(STATUS "schedcc is built without pages (--emit html): there is no libjs-d3")
endif()

set(page_text "")
foreach(file IN LISTS page_files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  string(APPEND page_text "  if (name == \"${name}\") return R\"page_file(${text})page_file\";\n")
endforeach()
file(CONFIGURE OUTPUT generated/page_files.cpp @ONLY CONTENT [[
// Generated from src/format/html and the files of D3.

#include <string>

#include "format/html/page_files.hpp"
#include "schedcc/error.hpp"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace schedcc::html {

bool has_d3() { return @page_d3@; }

std::string_view page_file(std::string_view name) {
@page_text@  throw InternalError("no such file: " + std::string(name));
}

}  // namespace schedcc::html
]])
