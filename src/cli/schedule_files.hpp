#pragma once

// The files that `verify` is given, with those below a folder.

#include <optional>
#include <string>
#include <vector>

namespace schedcc::cli {

/// A file to be checked.
struct ScheduleFile {
  std::string path;
  std::string error = {};  ///< a folder that has none, or cannot be read; empty: none
};

struct ScheduleFiles {
  std::vector<ScheduleFile> files;
  bool folders = false;            ///< is one of the arguments a folder?
  std::vector<std::string> notes;  ///< what was skipped in which folder
};

/// The arguments, and in place of a folder the schedules below it, sorted by their paths: files
/// with an extension that only schedules have, and those whose content is that of a format (`from`,
/// if it is given). Hidden files and folders are not looked at, and links to folders not followed.
ScheduleFiles schedule_files(const std::vector<std::string>& arguments,
                             const std::optional<std::string>& from);

}  // namespace schedcc::cli
