// The fit of a level. G is the median slope of the times of large messages, since a library treats
// small ones differently; the start-up is the median of what the times of small messages are above
// G b; L is what the overheads leave of it. All intervals are by one bootstrap over all samples.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cost/calibration.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The series of the bootstrap that come last, after those of `one_way` and of `simultaneous`,
/// which have one for each size.
enum Single : std::size_t { sends, receives, posted_receives, gaps };

bool is_large(std::uint64_t bytes) { return bytes >= large_sizes[0]; }
bool is_small(std::uint64_t bytes) { return bytes <= *std::rbegin(small_sizes); }

double slope(const std::vector<std::uint64_t>& sizes, const std::vector<double>* series) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (is_large(sizes[i])) points.push_back({static_cast<double>(sizes[i]), median(series[i])});
  }
  return median_slope(points);
}

class Fit {
 public:
  explicit Fit(const LevelSamples& samples) {
    for (const TimedSize& timed : samples.one_way) add(sizes_, timed);
    for (const TimedSize& timed : samples.simultaneous) add(shared_sizes_, timed);
    for (const auto* single :
         {&samples.send, &samples.receive, &samples.posted_receive, &samples.gap})
      add(*single);
  }

  LevelFit result() const {
    const std::vector<Estimate> all =
        bootstrap(series_, [this](const auto& drawn) { return figures(drawn); });
    LevelFit fit{all[0], all[1], all[2], all[3], all[4], all[5]};
    fit.samples = samples_;
    fit.outliers = outliers_;
    if (fit.per_byte.value <= 0 || fit.shared_per_byte.value <= 0) {
      throw InputError(
          "messages of more bytes did not take longer: the measurement is disturbed; "
          "repeat it, with more --repetitions");
    }
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const double measured = median(series_[i]);
      const double off = std::abs(fit.seconds(sizes_[i]) - measured) / measured;
      if (off > fit.max_error) fit.max_error = off, fit.max_error_bytes = sizes_[i];
    }
    return fit;
  }

 private:
  void add(const std::vector<double>& values) {
    series_.push_back(without_outliers(values));
    samples_ += values.size();
    outliers_ += values.size() - series_.back().size();
  }
  void add(std::vector<std::uint64_t>& sizes, const TimedSize& timed) {
    sizes.push_back(timed.bytes);
    add(timed.seconds);
  }

  /// In the order of LevelFit.
  std::vector<double> figures(const std::vector<std::vector<double>>& series) const {
    const auto single = [&](Single which) {
      return std::max(median(series[sizes_.size() + shared_sizes_.size() + which]), 0.0);
    };
    const double per_byte = slope(sizes_, series.data());
    std::vector<double> starts;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (is_small(sizes_[i]))
        starts.push_back(median(series[i]) - per_byte * static_cast<double>(sizes_[i]));
    }
    const double start = std::max(median(starts), 0.0);
    const double send = std::min(single(sends), start);
    const double receive = std::min(
        receive_overhead(single(receives), single(posted_receives), start - send), start - send);
    const double shared =
        shared_sizes_.empty() ? per_byte : slope(shared_sizes_, series.data() + sizes_.size());
    return {start - send - receive, send,     receive,
            single(gaps),           per_byte, std::max(shared, per_byte)};
  }

  /// A receive of a message that has arrived takes its overhead. If it takes as long as one from
  /// its send on, the library moves a message only when its receive is posted; then the overhead is
  /// that of the completion of a posted receive.
  static double receive_overhead(double receive, double posted, double after_send) {
    return receive < 0.9 * after_send ? receive : std::min(receive, posted);
  }

  std::vector<std::vector<double>> series_;
  std::vector<std::uint64_t> sizes_, shared_sizes_;
  std::size_t samples_ = 0, outliers_ = 0;
};

}  // namespace

LevelFit fit(const LevelSamples& samples) { return Fit(samples).result(); }

}  // namespace schedcc
