#pragma once

// The files of which a page consists, embedded when schedcc is built (cmake/page.cmake).

#include <string_view>

namespace schedcc::html {

/// Was schedcc built with D3, without which there are no pages?
bool has_d3();

/// The text of a file of src/format/html, of D3 ("d3.min.js") or of its licence ("copyright").
/// Throws InternalError for any other name.
std::string_view page_file(std::string_view name);

}  // namespace schedcc::html
