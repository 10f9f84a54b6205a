#pragma once

// The translations of a torus of ranks, and what they make of ports and channels.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "prove/sat/question/instance.hpp"

namespace schedcc::prover {

/// The translations of a torus, row-major. Each is the rank to which it takes rank 0.
class Translations {
 public:
  Translations(std::uint64_t rows, std::uint64_t columns) : rows_(rows), columns_(columns) {}

  std::uint64_t size() const { return rows_ * columns_; }
  /// A rank, translated by another; the one that makes `to` of `from`.
  Rank sum(Rank a, Rank b) const {
    return rank(a / columns_ + b / columns_, a % columns_ + b % columns_);
  }
  Rank difference(Rank to, Rank from) const {
    return rank(rows_ + to / columns_ - from / columns_,
                columns_ + to % columns_ - from % columns_);
  }
  /// The subgroups of so many translations, a divisor of size(); 0 is the first of each.
  std::vector<std::vector<Rank>> subgroups(std::uint64_t order) const;

 private:
  Rank rank(std::uint64_t row, std::uint64_t column) const {
    return static_cast<Rank>(row % rows_ * columns_ + column % columns_);
  }

  std::uint64_t rows_, columns_;
};

/// What translations make of ports, numbered by sender, then by receiver, and of the channels after
/// them.
class TranslatedPorts {
 public:
  /// `instance` is a torus with one port.
  TranslatedPorts(const Instance& instance, const Translations& translations);

  /// Is the image of each route the route of the image? Else nothing below is of use.
  bool regular() const { return regular_; }

  std::size_t size() const { return capacity_.size(); }
  /// Messages in a step.
  std::uint64_t capacity(std::size_t port) const { return capacity_[port]; }
  std::size_t image(Rank translation, std::size_t port) const { return image_[translation][port]; }
  /// Classes of ports that are each other's images: class 0 are senders, 1 receivers.
  std::size_t classes() const { return classes_; }
  std::size_t class_of(std::size_t port) const { return class_[port]; }
  /// What a message from rank 0 takes.
  const std::vector<std::size_t>& taken(Rank to) const { return taken_[to]; }

 private:
  void find_images(const Instance& instance, const Translations& translations);
  void find_classes();

  std::vector<std::uint64_t> capacity_;
  std::vector<std::vector<std::size_t>> image_;  ///< by translation
  std::vector<std::vector<std::size_t>> taken_;  ///< by goal
  std::vector<std::size_t> class_;
  std::size_t classes_ = 0;
  bool regular_ = true;
};

}  // namespace schedcc::prover
