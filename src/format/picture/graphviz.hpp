#pragma once

// Graphviz, which draws pictures: a program of its own, found when it is needed.

#include <string>
#include <string_view>

namespace schedcc {

/// Is there a program `dot` in the folders of PATH?
bool has_graphviz();

/// Throws InputError, with a remedy, if there is no program `dot` in the folders of PATH.
void require_graphviz();

/// What `dot -TTYPE` makes of a text. Throws InputError with Graphviz's message if it fails.
std::string draw_with_graphviz(std::string_view type, std::string_view text);

}  // namespace schedcc
