#pragma once

// Tables as aligned text, and fields of CSV files.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace schedcc {

/// `text` as a field of a CSV file.
std::string csv_field(const std::string& text);

/// A table whose columns are as wide as their widest cell, two spaces apart. Columns marked in
/// `right` by a `>` (one letter a column) are aligned to the right. So that lines are at most
/// `width` letters, rows are broken after a cell of the first column aligned to the left that is
/// too wide. The first row is the heading.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view right,
                    std::size_t width = SIZE_MAX);

}  // namespace schedcc
