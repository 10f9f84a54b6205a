#include "cli/destination.hpp"

#include <filesystem>

#include <fmt/core.h>

#include "core/shell_word.hpp"

namespace schedcc::cli {

EmitOptions emit_options(const Emission& emission, const Machine& machine,
                         const std::string& command, const OutputOptions& options, bool quiet) {
  EmitOptions result{emission.parameters, machine,
                     fmt::format("{} --emit {}", command, shell_word(emission.spec)), "schedule"};
  if (is_file_output(options)) {
    const std::filesystem::path path(*options.output);
    result.command += fmt::format(" -o {}", shell_word(path.filename().string()));
    result.stem = path.stem().string();
  }
  if (!quiet) {
    result.note = [](const std::string& message) {
      print_error(fmt::format("schedcc: note: {}\n", message));
    };
  }
  return result;
}

}  // namespace schedcc::cli
