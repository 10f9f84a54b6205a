#pragma once

// From the words of the command line to a source and the machine that it runs on.

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

/// A source, its machine, and what the command line made of it.
struct Input {
  Source source;
  Machine machine;
  bool own = false;     ///< an algorithm of schedcc on a machine that it was made for
  std::string command;  ///< that makes it again: "schedcc compile ..."
};

/// Is it a file rather than an algorithm: "-", something with a slash or a known extension?
bool is_file(const std::string& name);

/// The command that makes an algorithm's schedule, in its full form.
std::string command(const std::string& spec, const WideProblem& problem, const Machine& machine,
                    const Options& options);

/// The algorithms that a list names, each with its parameters; "all" of the registry. A comma ends
/// an algorithm or a parameter: what has a '=' before any ':' is a further parameter.
std::vector<Spec> algorithm_specs(const std::string& text);

/// The algorithm or file that `name` stands for.
Input open_input(const std::string& name, const Options& options);
/// The same for a file, whatever its name.
Input open_file(const std::string& path, const Options& options);

}  // namespace schedcc::cli
