// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/frame_rate.h"

#include <cmath>

namespace weft::media {

namespace {

// Relative tolerance between a rate and its declaration, because frames may have unequal durations.
constexpr double kBelievedError = 0.05;
// Relative tolerance of a measurement.
constexpr double kMeasuredError = 0.0006;  // 24 and 23.976 frames per second differ by 0.001
constexpr int kMostNumerator = 100000;

bool is_near(double rate, double other, double error) { return std::abs(rate - other) <= error * other; }

// Returns the rate by the stream's index, or nullopt without an index.
std::optional<double> rate_of_index(const AVStream& stream) {
  if (stream.nb_frames < 2 || stream.duration <= 0) return std::nullopt;
  return double(stream.nb_frames) / (double(stream.duration) * av_q2d(stream.time_base));
}

}  // namespace

Ratio usual_rate(double measured, double error) {
  for (const int rate : {24, 25, 30, 48, 50, 60, 12, 15, 10, 20, 5, 8, 100, 120, 90, 1, 2, 3, 4, 6})
    for (const Ratio usual : {Ratio{rate, 1}, Ratio{rate * 1000, 1001}})
      if (is_near(measured, usual.value(), error)) return usual;
  return from_av(av_d2q(measured, kMostNumerator));
}

StatusOr<Ratio> believable_rate(Demuxer& demuxer, FirstFrames& frames) {
  AVStream& stream = demuxer.video();
  const int pictures = frames.woven() ? 2 : 1;  // packets of a frame
  const Ratio said =
      from_av(av_div_q(av_guess_frame_rate(&demuxer.context(), &stream, nullptr), {pictures, 1}));
  const auto is_said = [&](double rate) {
    return said.known() && is_near(rate / pictures, said.value(), kBelievedError);
  };
  const std::optional<double> of_index = rate_of_index(stream);
  if (of_index && is_said(*of_index)) return said;
  ASSIGN_OR_RETURN(const std::optional<double> of_packets, frames.packets_per_second());
  if (!of_packets || is_said(*of_packets)) return said;
  const bool is_plausible = of_index && *of_index < 2 * *of_packets && *of_packets < 2 * *of_index;
  const double rate = (is_plausible ? *of_index : *of_packets) * frames.pictures_per_packet();
  return is_said(rate) ? said : usual_rate(rate / pictures, kMeasuredError);
}

}  // namespace weft::media
