#pragma once

// What a generator prints: a schedule in the .sched format.

#include <string>
#include <string_view>

#include "cli/generator.hpp"
#include "core/input_text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cli {

/// The text after comments and white space begins with another word than a schedule does.
bool begins_otherwise(std::string_view text);

/// The first line of a header that begins with this word, and the column after the word; of a
/// header without it, the first line.
SourceLocation header_line(std::string_view text, std::string_view word, const std::string& file);

/// The schedule that a generator printed. Throws InputError, with the line, for text that is none,
/// or one of another problem.
Source read_schedule(const InputText& text, const std::string& generator,
                     const GeneratorArguments& asked);

}  // namespace schedcc::cli
