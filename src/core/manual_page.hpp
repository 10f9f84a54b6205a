#pragma once

// Manual pages for man(1), made from the help texts of programs: from "Usage: ...", text, and the
// parts "Options:", "Exit status:" and "Examples:".

#include <string>
#include <string_view>

namespace schedcc {

/// The beginning of the page of a program in section 1, with its name and summary.
std::string manual_head(std::string_view program, std::string_view version,
                        std::string_view summary);

/// The help text of a program, as sections.
std::string manual_sections(std::string_view help);

/// The help text of a command of a program, as a subsection.
std::string manual_subsection(std::string_view help);

/// Words of text, in which nothing is a request or an escape.
std::string manual_text(std::string_view text);

}  // namespace schedcc
