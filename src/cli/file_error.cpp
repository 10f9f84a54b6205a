#include "cli/file_error.hpp"

#include <new>
#include <stdexcept>
#include <utility>

namespace schedcc::cli {

std::optional<FileError> file_error(const std::string& path, const std::function<void()>& work) {
  const auto in_file = [&](Status status, SourceLocation location, std::string message) {
    if (location.file.empty()) location.file = path;
    return FileError{status, std::move(location), std::move(message)};
  };
  try {
    work();
    return std::nullopt;
  } catch (const InputError& error) {
    return in_file(bad_input, error.location, error.what());
  } catch (const LimitError& error) {
    return in_file(undecided, error.location, error.what());
  } catch (const std::bad_alloc&) {
    return in_file(undecided, {}, "out of memory");
  } catch (const std::length_error&) {
    return in_file(undecided, {}, "out of memory");
  }
}

void rethrow(const FileError& error) {
  if (error.status == undecided) throw LimitError(error.location, error.message);
  throw InputError(error.location, error.message);
}

}  // namespace schedcc::cli
