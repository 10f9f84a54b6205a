#pragma once

// The text of an input in memory: of a file, of standard input, or given as a string.

#include <memory>
#include <string>
#include <string_view>

namespace schedcc {

/// The bytes of an input, shared by all its readers. Regular files are mapped, not copied.
class InputText {
 public:
  /// "-" is standard input. Throws InputError for a file that cannot be read.
  static InputText open(const std::string& path);
  static InputText of(std::string bytes);

  std::string_view view() const { return view_; }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

/// The path of the mapped file that has this address; nullptr if none has. For a handler of SIGBUS,
/// which a thread gets that reads where a file has been cut short; the thread, which reads a text,
/// does not hold the lock that is taken here.
const char* mapped_file(const void* address);

/// The text after white space and C++ comments, which GOAL and DOT have, too.
std::string_view skip_comments(std::string_view text);

}  // namespace schedcc
