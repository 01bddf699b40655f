// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/bit_budget.h"

#include <algorithm>
#include <cmath>

namespace weft::worker {
namespace {

constexpr double kTextureExponent = 1.1, kMotionExponent = 0.5;  // x264's ratecontrol.c
constexpr double kUnit = 1000;                                   // bits a second

// A segment of the first pass.
struct Segment {
  double texture = 0, motion = 0, other = 0;  // bits
  double seconds = 0;                         // in the encoder's clock
};

double bits_at(const Segment& segment, double scale, double most_rate) {
  const double bits = segment.texture * std::pow(scale, -kTextureExponent) +
                      segment.motion * std::pow(scale, -kMotionExponent) + segment.other;
  return most_rate > 0 ? std::min(bits, most_rate * segment.seconds) : bits;
}

double bits_at(const std::vector<Segment>& segments, double scale, double most_rate) {
  double bits = 0;
  for (const Segment& segment : segments) bits += bits_at(segment, scale, most_rate);
  return bits;
}

// Returns the scale of the quantisers at which the segments have `bits`, within the range of x264's
// scales.
double scale_for(const std::vector<Segment>& segments, double bits, double most_rate) {
  constexpr int kSteps = 60;
  double low = std::log(1e-3), high = std::log(1e3);
  for (int step = 0; step < kSteps; step++) {
    const double middle = (low + high) / 2;
    (bits_at(segments, std::exp(middle), most_rate) > bits ? low : high) = middle;
  }
  return std::exp(high);
}

}  // namespace

StatusOr<BitShares> divide_bits(const std::map<int64_t, internal::v1::SegmentRecord>& records,
                                const media::OutputVideo& video, const BitBudget& budget) {
  std::vector<Segment> segments;
  double seconds = 0, other = 0;
  for (const auto& [number, record] : records) {
    const internal::v1::FirstPassRecord& pass = record.first_pass();
    const double shown = double(pass.duration()) * video.time_base.value();
    const double counted = double(record.outputs()) / video.encoder_rate().value();
    segments.push_back({double(pass.texture_bits()), double(pass.motion_bits()), double(pass.other_bits()),
                        budget.counts_time ? shown : counted});
    seconds += shown;
    other += double(pass.other_bits());
  }
  const double bits = double(budget.rate) * seconds;
  if (bits <= other)
    return invalid_argument(
        "The bit rate ({:.0f} kbit/s) is too low for these pictures: their headers alone take {:.0f} kbit/s; "
        "give a higher one, or make the pictures smaller.",
        double(budget.rate) / kUnit, std::ceil(other / seconds / kUnit));
  BitShares shares;
  shares.excess = bits_at(segments, 1, 0) / bits;
  shares.scale = scale_for(segments, bits, 0);
  const double scale = scale_for(segments, bits, double(budget.most_rate));
  double excess = 0;  // bits that the roundings of earlier segments left
  for (const Segment& segment : segments) {
    const double wanted = bits_at(segment, scale, double(budget.most_rate)) + excess;
    const double units = std::max(std::round(wanted / segment.seconds / kUnit), 1.0);
    excess = wanted - units * kUnit * segment.seconds;
    shares.rates.push_back(int64_t(units * kUnit));
  }
  return shares;
}

}  // namespace weft::worker
