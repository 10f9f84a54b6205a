// schedcc: a compiler and verifier for communication schedules.
//
// A command opens a source, which is an algorithm or a file of some format, and streams its steps:
// through the checks, which give a report, and through the writer of a format. The commands are in
// cli/, which alone prints. This file has what they share: error messages and exit statuses.

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/job.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/signals.hpp"
#include "core/memory.hpp"
#include "schedcc/error.hpp"

namespace {

using namespace schedcc;
using namespace schedcc::cli;

/// So that running out of memory is an exception, with a message and a status, not a kill.
/// (Sanitizers reserve far more than the machine has.)
void limit_memory() {
#if !defined(SCHEDCC_SANITIZED)
  limit_address_space();
#endif
}

std::string out_of_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "out of memory";
  }
  return fmt::format("out of memory: more than the {} MiB that the process may use",
                     limit.rlim_cur >> 20);
}

/// The colour that the command line asks for, also where it could not be read.
Color color(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& next = i + 1 < arguments.size() ? arguments[i + 1] : arguments[i];
    if (arguments[i] == "--color=always" || (arguments[i] == "--color" && next == "always"))
      return Color::always;
    if (arguments[i] == "--color=never" || (arguments[i] == "--color" && next == "never"))
      return Color::never;
  }
  return Color::automatic;
}

/// Runs the command, and prints its error if it has one. Returns the exit status.
int run(const std::vector<std::string>& arguments, bool pipes_end_it) {
  const auto print_error = [&](const SourceLocation& location, const std::string& message) {
    cli::print_error(text(Printer(STDERR_FILENO, color(arguments)), location, message));
    Job::note_error(location, message);
  };
  try {
    Job::join(arguments);
    return cli::run(arguments);
  } catch (const UsageError& error) {
    print_error({}, error.what());
    return bad_input;
  } catch (const InputError& error) {
    print_error(error.location, error.what());
    return bad_input;
  } catch (const LimitError& error) {
    print_error(error.location, error.what());
    return undecided;
  } catch (const ClosedPipe& error) {
    if (!pipes_end_it) print_error({}, error.what());  // the caller ignores the signal
    std::signal(SIGPIPE, SIG_DFL);
    if (pipes_end_it) std::raise(SIGPIPE);
    return bad_input;
  } catch (const OutputError& error) {
    print_error({}, error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    print_error({}, out_of_memory());
    return undecided;
  } catch (const std::length_error&) {
    print_error({}, out_of_memory());
    return undecided;
  } catch (const std::exception& error) {
    print_error({}, fmt::format("internal error: {}", error.what()));
    return internal_error;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe is an error first, so that no file remains half-written.
  const bool pipes_end_it = std::signal(SIGPIPE, SIG_IGN) == SIG_DFL;
  std::signal(SIGXFSZ, SIG_IGN);  // likewise, a limit on the size of files
  limit_memory();
  end_where_files_shrink();
  return Job::leave(run({argv + 1, argv + argc}, pipes_end_it));
}
