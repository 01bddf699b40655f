// SPDX-License-Identifier: Apache-2.0
// Model of debanding, written from its definition. Only tests include it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tests/filter_suite/clip.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::plain {

// Returns the bytes of successive words of xorshift128.
class RandomBytes {
 public:
  explicit RandomBytes(int seed) : state_{123456789u - uint32_t(seed), 362436069u, 521288629u, 88675123u} {}
  int next() {
    if (left_ == 0) {
      const uint32_t mixed = state_[0] ^ state_[0] << 11;
      const uint32_t last = state_[3];
      state_ = {state_[1], state_[2], last, last ^ last >> 19 ^ mixed ^ mixed >> 8};
      left_ = 4;
    }
    return int(state_[3] >> 8 * (4 - left_--) & 255);
  }

 private:
  std::array<uint32_t, 4> state_;
  int left_ = 0;
};

inline Clip deband(const v1::Deband& options, const Clip& clip) {
  Clip result = clip;
  const VideoFormat& format = clip.format;
  RandomBytes random(options.seed());
  std::vector<int> bytes(2 * size_t(format.width) * size_t(format.height));
  for (int& byte : bytes) byte = random.next();
  const int threshold = int(options.threshold() * double(1 << format.bit_depth) / 256 + 0.5);
  for (size_t i = 0; i < clip.frames.size(); i++)
    for (int plane = 0; plane < format.planes(); plane++) {
      const Picture& frame = clip.frames[i];
      const int width = format.plane_width(plane), height = format.plane_height(plane);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const int reach = std::min({options.range(), x, y, width - 1 - x, height - 1 - y});
          const size_t n = size_t(y) * size_t(width) + size_t(x);
          const int a = ((2 * reach + 1) * bytes[n]) / 256 - reach;
          const int b = ((2 * reach + 1) * bytes[bytes.size() / 2 + n]) / 256 - reach;
          std::vector<int> others{frame.at(plane, x + b, y + a)};
          if (options.samples() != v1::DEBAND_SAMPLES_ONE) others.push_back(frame.at(plane, x - b, y - a));
          if (options.samples() == v1::DEBAND_SAMPLES_FOUR) {
            others.push_back(frame.at(plane, x + a, y - b));
            others.push_back(frame.at(plane, x - a, y + b));
          }
          const int own = frame.at(plane, x, y);
          int sum = 0, difference = 0;
          for (const int other : others) {
            sum += other;
            difference = std::max(difference, std::abs(own - other));
          }
          const int mean = sum / int(others.size());
          if (options.blur_first()) difference = std::abs(own - mean);
          if (difference <= threshold) result.frames[i].at(plane, x, y) = uint16_t(mean);
        }
    }
  return result;
}

}  // namespace weft::filters::plain
