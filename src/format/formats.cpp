// The catalogue of formats, and calls of the functions of their entries.

#include <algorithm>

#include <fmt/core.h>

#include "core/catalogue.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "format/entry.hpp"
#include "schedcc/error.hpp"
#include "schedcc/named_machine.hpp"

namespace schedcc {

Format::Format(const FormatEntry& entry)
    : name(entry.name),
      summary(entry.summary),
      extensions(entry.extensions),
      parameters(entry.parameters),
      readable(entry.read != nullptr),
      writable(entry.write != nullptr),
      entry_(&entry) {}

void Format::check(const Parameters& given) const {
  if (entry_->check != nullptr) entry_->check(given);
}

namespace {

/// The options with the machine and the parameters that are not given.
EmitOptions completed(const Format& format, const Source& source, EmitOptions options) {
  if (!options.machine) options.machine = named_machine(source);
  if (options.parameters.empty())
    options.parameters = Spec{}.check(format.parameters, fmt::format("format '{}'", format.name));
  return options;
}

}  // namespace

void Format::refuse(const Source& source, const EmitOptions& options) const {
  if (entry_->refuse != nullptr) entry_->refuse(source, completed(*this, source, options));
}

void Format::write(const Source& source, const EmitOptions& options, Output& out) const {
  if (!writable) throw InputError(fmt::format("format '{}' is only read, not written", name));
  entry_->write(source, completed(*this, source, options), out);
}

Source Format::read(std::string text, const std::string& file) const {
  if (!readable) throw InputError(fmt::format("format '{}' is only written, not read", name));
  return entry_->read(InputText::of(std::move(text)), file);
}

bool Format::recognises(std::string_view text) const {
  return entry_->recognises != nullptr && entry_->recognises(text);
}

std::span<const Format* const> formats() {
  static const Catalogue<Format> all(format_entries());
  return all.list();
}

const Format* format_by_extension(std::string_view path) {
  const Format* result = nullptr;
  std::size_t longest = 0;
  for (const Format* format : formats()) {
    for (const std::string_view extension : format->extensions) {
      if (extension.size() <= longest || path.size() <= extension.size()) continue;
      if (!path.ends_with(extension)) continue;
      result = format;
      longest = extension.size();
    }
  }
  return result;
}

const Format& find_format(std::string_view name) {
  const auto named = [&](const Format* format) { return format->name == name; };
  if (std::ranges::none_of(formats(), named)) {
    if (const Format* format = format_by_extension(fmt::format("a.{}", name))) {
      throw InputError(
          fmt::format("unknown format '{}'; did you mean '{}'?", printable(name), format->name));
    }
  }
  return find_named(formats(), "format", name);
}

}  // namespace schedcc
