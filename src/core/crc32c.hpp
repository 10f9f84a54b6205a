#pragma once

// The checksum CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected, as iSCSI, ext4 and Btrfs
// have it. The checksum of "123456789" is 0xE3069283.

#include <cstdint>
#include <string_view>

namespace schedcc {

/// The checksum of `bytes`, or of what `before` is the checksum of followed by `bytes`. Uses the
/// instruction of the processor where there is one.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The same by tables, on any processor.
std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t before = 0);

}  // namespace schedcc
