#include "cli/schedule_files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "core/counted.hpp"
#include "core/input_text.hpp"
#include "core/join.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cli {

namespace {

namespace fs = std::filesystem;

/// Extensions that no other program's files have: such a file is to be a schedule, whatever it
/// contains.
constexpr std::string_view extensions[] = {".sched", ".schedb", ".goal"};

bool recognised(std::string_view text, const std::optional<std::string>& from) {
  return std::ranges::any_of(formats(), [&](const Format* format) {
    return format->readable && (!from || format->name == *from) && format->recognises(text);
  });
}

bool is_schedule(const std::string& path, const std::optional<std::string>& from) {
  const auto ends = [&](std::string_view extension) { return path.ends_with(extension); };
  if (!from && std::ranges::any_of(extensions, ends)) return true;
  if (from && std::ranges::any_of(find_format(*from).extensions, ends)) return true;
  try {
    return recognised(InputText::open(path).view(), from);
  } catch (const InputError&) {
    return true;  // reading it again reports the reason
  }
}

/// The files below a folder. Throws InputError if it cannot be read.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unknown;  // of a link to nothing, which is not a file
    if (at->path().filename().string().starts_with('.')) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(unknown)) {
      result.push_back(at->path().string());
    }
  }
  if (error)
    throw InputError({folder, 0, 0}, fmt::format("cannot read the folder: {}", error.message()));
  std::ranges::sort(result);
  return result;
}

std::string skipped_note(const std::string& folder, const std::vector<std::string>& skipped) {
  constexpr std::size_t most = 5;
  const std::vector<std::string> shown(
      skipped.begin(),
      skipped.begin() + static_cast<std::ptrdiff_t>(std::min(most, skipped.size())));
  return without_controls(fmt::format(
      "{}: skipped {} that {}: {}{}", folder, counted(skipped.size(), "file"),
      skipped.size() == 1 ? "is not a schedule" : "are not schedules", join(shown, ", "),
      skipped.size() > most ? fmt::format(" and {} more", skipped.size() - most) : ""));
}

void add_folder(ScheduleFiles& result, const std::string& folder,
                const std::optional<std::string>& from) {
  std::vector<std::string> skipped;
  const std::size_t before = result.files.size();
  try {
    for (const std::string& path : files_below(folder)) {
      if (is_schedule(path, from)) {
        result.files.push_back({path});
      } else {
        skipped.push_back(path);
      }
    }
  } catch (const InputError& error) {
    result.files.push_back({folder, error.what()});
  }
  if (!skipped.empty()) result.notes.push_back(skipped_note(folder, skipped));
  if (result.files.size() == before) {
    result.files.push_back({folder, "this folder has no schedules"});
  }
}

}  // namespace

ScheduleFiles schedule_files(const std::vector<std::string>& arguments,
                             const std::optional<std::string>& from) {
  ScheduleFiles result;
  for (const std::string& argument : arguments) {
    std::error_code unknown;
    if (argument != "-" && !names_own_algorithm(argument) && fs::is_directory(argument, unknown)) {
      result.folders = true;
      add_folder(result, argument, from);
    } else {
      result.files.push_back({argument});
    }
  }
  return result;
}

}  // namespace schedcc::cli
