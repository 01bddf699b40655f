// SPDX-License-Identifier: Apache-2.0
// Defines the kernels before and after cuFFT's transforms: pixels of four halves to planes,
// products, and planes to pixels. Only cufft_peer.cu includes it.
#pragma once

#include <cuda_fp16.h>

namespace weft::bench {
namespace {

struct alignas(8) Pixel {
  __half2 rg, ba;
};

__device__ float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Writes planes [frame][2] of complex numbers.
__global__ void unpack_complex(const Pixel* source, float2* planes, int width, int height, int points_x) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y), points_y = int(gridDim.y);
  if (x >= points_x) return;
  const size_t plane = size_t(points_x) * points_y, address = size_t(y) * points_x + x;
  float2 rg = make_float2(0, 0), ba = rg;
  if (x < width && y < height) {
    const Pixel pixel = source[(size_t(blockIdx.z) * height + y) * width + x];
    rg = __half22float2(pixel.rg);
    ba = __half22float2(pixel.ba);
  }
  planes[2 * blockIdx.z * plane + address] = rg;
  planes[(2 * blockIdx.z + 1) * plane + address] = ba;
}

__global__ void pack_complex(const float2* planes, Pixel* target, int width, int points_x, int points_y) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  const size_t plane = size_t(points_x) * points_y, address = size_t(y) * points_x + x;
  const float2 rg = planes[2 * blockIdx.z * plane + address],
               ba = planes[(2 * blockIdx.z + 1) * plane + address];
  target[(size_t(blockIdx.z) * gridDim.y + y) * width + x] = {__floats2half2_rn(rg.x, rg.y),
                                                              __floats2half2_rn(ba.x, ba.y)};
}

// Returns one of the three channels of each frame. The channels of all frames are consecutive, two
// per plane; each plane has a block.
__device__ float channel_at(const Pixel* source, size_t pixels, size_t address, int which) {
  const Pixel pixel = source[size_t(which / 3) * pixels + address];
  return __half2float(which % 3 == 0   ? __low2half(pixel.rg)
                      : which % 3 == 1 ? __high2half(pixel.rg)
                                       : __low2half(pixel.ba));
}
__global__ void unpack_pairs(const Pixel* source, float2* planes, int width, int height, int points_x,
                             int channels) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y), points_y = int(gridDim.y);
  if (x >= points_x) return;
  const size_t pixels = size_t(width) * height, address = size_t(y) * width + x;
  const int first = 2 * int(blockIdx.z);
  float2 pair = make_float2(0, 0);
  if (x < width && y < height) {
    pair.x = channel_at(source, pixels, address, first);
    if (first + 1 < channels) pair.y = channel_at(source, pixels, address, first + 1);
  }
  planes[(size_t(blockIdx.z) * points_y + y) * points_x + x] = pair;
}
__global__ void pack_pairs(const float2* planes, Pixel* target, int width, int points_x, int points_y) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  const size_t plane = size_t(points_x) * points_y, at = size_t(y) * points_x + x;
  const size_t pixel = (size_t(blockIdx.z) * gridDim.y + y) * width + x;
  float value[3];
  for (int c = 0; c < 3; c++) {
    const int which = 3 * int(blockIdx.z) + c;
    const float2 pair = planes[size_t(which / 2) * plane + at];
    value[c] = which % 2 == 0 ? pair.x : pair.y;
  }
  target[pixel] = {__floats2half2_rn(value[0], value[1]), __floats2half2_rn(value[2], 0.0f)};
}

__global__ void multiply(float2* planes, const float2* spectrum, size_t count, int plane_count) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float2 k = spectrum[i];
  for (int p = 0; p < plane_count; p++) planes[p * count + i] = product(planes[p * count + i], k);
}

// Computes Y(k) = Z(k) P(k) + conj(Z(-k)) M(k) for two real signals with different kernels. A
// thread processes k and -k. Plane i uses kernel i modulo `kinds`.
__global__ void multiply_pairs(float2* planes, const float2* p, const float2* m, int points_x, int points_y,
                               int kinds, int plane_count) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x > points_x / 2) return;
  const int mirror_x = x == 0 ? 0 : points_x - x, mirror_y = y == 0 ? 0 : points_y - y;
  if (x == mirror_x && mirror_y < y) return;
  const size_t plane = size_t(points_x) * points_y;
  const size_t i = size_t(y) * points_x + x, j = size_t(mirror_y) * points_x + mirror_x;
  for (int kind = 0; kind < kinds; kind++) {
    const float2 pk = p[kind * plane + i], mk = m[kind * plane + i];
    for (int which = kind; which < plane_count; which += kinds) {
      float2* z = planes + size_t(which) * plane;
      const float2 a = z[i], b = make_float2(z[j].x, -z[j].y);
      const float2 ap = product(a, pk), bm = product(b, mk), bp = product(b, pk), am = product(a, mk);
      z[i] = make_float2(ap.x + bm.x, ap.y + bm.y);
      if (i != j) z[j] = make_float2(bp.x + am.x, -(bp.y + am.y));
    }
  }
}

__global__ void unpack_real(const Pixel* source, float* planes, int width, int height, int points_x,
                            int channels) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y), points_y = int(gridDim.y);
  if (x >= points_x) return;
  const size_t plane = size_t(points_x) * points_y;
  float* address = planes + channels * blockIdx.z * plane + size_t(y) * points_x + x;
  float2 rg = make_float2(0, 0), ba = rg;
  if (x < width && y < height) {
    const Pixel pixel = source[(size_t(blockIdx.z) * height + y) * width + x];
    rg = __half22float2(pixel.rg);
    ba = __half22float2(pixel.ba);
  }
  address[0] = rg.x;
  address[plane] = rg.y;
  address[2 * plane] = ba.x;
  if (channels == 4) address[3 * plane] = ba.y;
}

__global__ void pack_real(const float* planes, Pixel* target, int width, int points_x, int points_y,
                          int channels) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  const size_t plane = size_t(points_x) * points_y;
  const float* address = planes + channels * blockIdx.z * plane + size_t(y) * points_x + x;
  const size_t pixel = (size_t(blockIdx.z) * gridDim.y + y) * width + x;
  const __half alpha = __float2half_rn(channels == 4 ? address[3 * plane] : 0.0f);
  target[pixel] = {__floats2half2_rn(address[0], address[plane]),
                   __halves2half2(__float2half_rn(address[2 * plane]), alpha)};
}

// Multiplies planes [frame][channels] by the spectrum of their channel.
__global__ void multiply_channels(float2* planes, const float2* spectrum, size_t count, int frames,
                                  int channels) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int c = 0; c < channels; c++) {
    const float2 k = spectrum[c * count + i];
    for (int frame = 0; frame < frames; frame++) {
      float2* address = planes + (channels * size_t(frame) + c) * count + i;
      *address = product(*address, k);
    }
  }
}

// Keeps the device busy while the host enqueues the measured work.
__global__ void spin(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

}  // namespace
}  // namespace weft::bench
