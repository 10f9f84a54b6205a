#pragma once

// The layout of messages in memory as MPI datatypes, so that nothing has to be packed.

#include <cstdint>
#include <vector>

#include "schedcc/mpi/elements.hpp"
#include "schedcc/mpi/rank_messages.hpp"

namespace schedcc::mpi {

/// Makes and owns the datatypes.
class Shapes {
 public:
  struct Shape {
    MPI_Aint offset;
    int count;
    MPI_Datatype type;
  };

  explicit Shapes(const Element& element) : element_(element) {}
  ~Shapes() {
    if (finalized()) return;
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;

  /// `elements` adjacent elements.
  Shape together(std::uint64_t elements) { return shape({{0, elements}}); }
  /// The pieces of a message, each in its place.
  Shape in_place(const Message& message) {
    std::vector<Block> parts;
    for (const Piece& piece : message.pieces) {
      if (piece.elements == 0) continue;
      if (!parts.empty() && parts.back().place + parts.back().elements == piece.place) {
        parts.back().elements += piece.elements;
      } else {
        parts.push_back({piece.place, piece.elements});
      }
    }
    return shape(parts);
  }

 private:
  struct Block {
    std::uint64_t place, elements;
  };

  Shape shape(const std::vector<Block>& parts) {
    if (parts.empty()) return {0, 0, element_.type};
    if (parts.size() == 1 && parts[0].elements <= max_at_once) {
      return {element_.distance(parts[0].place), static_cast<int>(parts[0].elements),
              element_.type};
    }
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const Block& part : parts) {
      for (std::uint64_t done = 0; done < part.elements; done += max_at_once) {
        lengths.push_back(static_cast<int>(std::min(max_at_once, part.elements - done)));
        offsets.push_back(element_.distance(part.place + done));
      }
    }
    made_.push_back(MPI_DATATYPE_NULL);
    check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(),
                                   element_.type, &made_.back()));
    check(MPI_Type_commit(&made_.back()));
    return {0, 1, made_.back()};
  }

  const Element& element_;
  std::vector<MPI_Datatype> made_;
};

}  // namespace schedcc::mpi
