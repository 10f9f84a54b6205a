#pragma once

// Elements of any datatype: their layout in memory, buffers for them, copies and reductions.
//
// A datatype may have gaps, and adjacent elements may even interleave, like the columns of a matrix
// stored by rows. Memory in the gaps is not part of the elements. So only MPI, which knows the
// parts, moves such elements; without gaps, memory is copied.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "schedcc/mpi/library.hpp"

namespace schedcc::mpi {

/// An element: any datatype, also one with gaps or a lower bound of its own.
struct Element {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0, true_low = 0, true_extent = 0;
  MPI_Count size = 0;  ///< bytes of data

  explicit Element(MPI_Datatype datatype) : type(datatype) {
    MPI_Aint low = 0;
    check(MPI_Type_get_extent(type, &low, &extent));
    check(MPI_Type_get_true_extent(type, &true_low, &true_extent));
    check(MPI_Type_size_x(type, &size));
  }
  /// From one element to one `elements` further on; backwards, if the extent is negative.
  MPI_Aint distance(std::uint64_t elements) const {
    return extent * static_cast<MPI_Aint>(elements);
  }
  /// Are adjacent elements contiguous, without gaps?
  bool dense() const { return size == extent && size == true_extent; }
};

/// The bytes from the first to the last of some adjacent elements.
struct Span {
  MPI_Aint low = 0;  ///< the address from which MPI counts
  std::size_t bytes = 0;

  Span(const Element& element, std::uint64_t elements) {
    if (elements == 0) return;
    const MPI_Aint last = element.distance(elements - 1);
    low = element.true_low + std::min<MPI_Aint>(last, 0);
    bytes = static_cast<std::size_t>(element.true_extent + std::abs(last));
  }
};

/// Memory for elements.
class Buffer {
 public:
  Buffer(const Element& element, std::uint64_t elements) : Buffer(Span(element, elements)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// The address from which MPI counts.
  std::byte* start() { return bytes_.data() - low_; }
  /// The size of the elements, gaps included.
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  explicit Buffer(const Span& span)
      : bytes_(std::max<std::size_t>(span.bytes, 1)), low_(span.low) {}

  std::vector<std::byte> bytes_;
  MPI_Aint low_;
};

/// Adjacent elements that MPI moves in one call, in any number.
constexpr std::uint64_t max_at_once = std::uint64_t{1} << 30;

/// Calls `work` with the distance and the number of elements of each part that MPI can count.
template <typename Work>
void in_parts(std::uint64_t elements, const Element& element, Work work) {
  for (std::uint64_t done = 0; done < elements; done += max_at_once) {
    work(element.distance(done), static_cast<int>(std::min(max_at_once, elements - done)));
  }
}

/// `into` = `from` op `into`, element by element.
inline void combine(const std::byte* from, std::byte* into, std::uint64_t elements,
                    const Element& element, MPI_Op op) {
  in_parts(elements, element, [&](MPI_Aint shift, int count) {
    check(MPI_Reduce_local(from + shift, into + shift, count, element.type, op));
  });
}

/// Throws Error if the operation is not defined for these elements.
inline void expect_operation(const Element& element, MPI_Op op) {
  const std::byte from{};
  std::byte into{};
  check(MPI_Reduce_local(&from, &into, 0, element.type, op), "the operation: ");
}

/// `to` = `from`. The gaps of a datatype, and interleaved elements, are not changed. `self`: a
/// communicator in which a rank may send itself a message.
inline void copy_elements(const std::byte* from, std::byte* to, std::uint64_t elements,
                          const Element& element, const Communicator& self) {
  if (element.dense()) {
    const Span span(element, elements);
    if (span.bytes != 0) std::memcpy(to + span.low, from + span.low, span.bytes);
    return;
  }
  const auto rank = static_cast<int>(self.rank());
  in_parts(elements, element, [&](MPI_Aint shift, int count) {
    check(MPI_Sendrecv(from + shift, count, element.type, rank, 0, to + shift, count, element.type,
                       rank, 0, self.get(), MPI_STATUS_IGNORE));
  });
}

}  // namespace schedcc::mpi
