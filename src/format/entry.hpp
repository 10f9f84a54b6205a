#pragma once

// The entry of a format: its reader, its writer, and the properties that the catalogue lists.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_text.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

/// A format, defined at the end of its file.
struct FormatEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> extensions;  ///< with the dot
  std::vector<Parameter> parameters = {};
  /// Throws InputError for parameters that contradict one another; nullptr: none can.
  void (*check)(const Parameters& parameters) = nullptr;
  /// Throws InputError for a source that can be refused before its steps are read: a problem that
  /// the format cannot express, a parameter that does not fit it. `write` refuses the same;
  /// nullptr: there is nothing to refuse.
  void (*refuse)(const Source& source, const EmitOptions& options) = nullptr;
  /// Writes the source; nullptr if the format is only read. Throws InputError, with the step and
  /// the transfer, for steps that the format cannot express, or that its own reader would refuse.
  void (*write)(const Source& source, const EmitOptions& options, Output& out) = nullptr;
  /// Reads a schedule from a text; `file` is its name for messages. Throws InputError with the
  /// location. nullptr if the format is only written.
  Source (*read)(const InputText& text, const std::string& file) = nullptr;
  /// Does the beginning of a text look like this format? For formats that are only written it
  /// serves the message that they are not read, and may be nullptr.
  bool (*recognises)(std::string_view text) = nullptr;
  /// Is all that a schedule can have read again from what is written?
  bool keeps_all = false;

  /// Its form in the public header.
  Format listed() const { return Format(*this); }
  /// The entry of a format.
  static const FormatEntry& of(const Format& format) { return *format.entry_; }
};

/// The formats, in the order in which they are listed.
std::span<const FormatEntry* const> format_entries();

}  // namespace schedcc
