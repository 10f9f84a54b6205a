#pragma once

// Text for the elements of a page.

#include <string>
#include <string_view>

namespace schedcc::html {

/// JSON that a script element may contain: no text in it ends the element.
std::string embedded(std::string_view json);

/// A string of such JSON.
std::string script_string(std::string_view text);

}  // namespace schedcc::html
