#pragma once

// Completion of command lines. A shell calls 'schedcc __complete WORD...' with the words after the
// program's name, of which the last one is to be completed, and gets what it may be.

#include <string>
#include <string_view>
#include <vector>

namespace schedcc::cli {

/// A line for each candidate, with its description after a tab. A line ":files" or ":folders" means
/// that files, or folders, are candidates, too. Never throws for a command line that is wrong.
std::string completions(const std::vector<std::string>& words);

/// The script that makes bash, zsh or fish call it. Throws UsageError for another shell.
std::string completion_script(std::string_view shell);

}  // namespace schedcc::cli
