// SPDX-License-Identifier: Apache-2.0
// Implements FFTW as a peer of bloom_bench: half pixels to planes of floats, transform, product
// with the kernel's spectrum, transform back, and planes to half pixels. All steps use the same
// number of threads. Built for x86-64-v3.
#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include <fftw3.h>
#include <immintrin.h>

#include "bench/bloom/way.h"

namespace weft::bench {
namespace {

struct Free {
  void operator()(void* memory) const { fftwf_free(memory); }
  void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
};
using Floats = std::unique_ptr<float[], Free>;
using Plan = std::unique_ptr<std::remove_pointer_t<fftwf_plan>, Free>;

Floats allocate(size_t count) { return Floats(static_cast<float*>(fftwf_malloc(count * sizeof(float)))); }

__m128 pixel_at(const uint16_t* half) {
  return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(half)));
}
void put_pixel(uint16_t* half, __m128 pixel) {
  const __m128 most = _mm_set1_ps(65504.0f);
  const __m128 bounded = _mm_max_ps(_mm_min_ps(pixel, most), _mm_sub_ps(_mm_setzero_ps(), most));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(half), _mm_cvtps_ph(bounded, _MM_FROUND_TO_NEAREST_INT));
}
Complex product(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

class Fftw final : public Way {
 public:
  Fftw(const Problem& problem, bool is_real, int threads)
      : problem_(problem),
        is_real_(is_real),
        threads_(threads),
        plane_(size_t(problem.points_x) * size_t(problem.points_y)),
        half_(size_t(problem.points_x / 2 + 1) * size_t(problem.points_y)) {}

  std::string make() {
    fftwf_init_threads();
    fftwf_plan_with_nthreads(threads_);
    // Complex: two planes of complex numbers, in place. Real: one plane per channel, and the half
    // spectra of these planes.
    const size_t spectrum = is_real_ ? size_t(Problem::kChannels) * half_ : 2 * plane_;
    data_ = allocate(4 * plane_);
    spectrum_ = is_real_ ? allocate(2 * spectrum) : nullptr;
    if (!data_ || (is_real_ && !spectrum_)) return "the machine has too little memory";
    const int size[2] = {problem_.points_y, problem_.points_x};
    const int plane = int(plane_), half = int(half_);
    auto* const complex = reinterpret_cast<fftwf_complex*>(is_real_ ? spectrum_.get() : data_.get());
    if (is_real_) {
      forward_.reset(fftwf_plan_many_dft_r2c(2, size, Problem::kChannels, data_.get(), nullptr, 1, plane,
                                             complex, nullptr, 1, half, FFTW_MEASURE));
      back_.reset(fftwf_plan_many_dft_c2r(2, size, Problem::kChannels, complex, nullptr, 1, half, data_.get(),
                                          nullptr, 1, plane, FFTW_MEASURE));
    } else {
      forward_.reset(fftwf_plan_many_dft(2, size, 2, complex, nullptr, 1, plane, complex, nullptr, 1, plane,
                                         FFTW_FORWARD, FFTW_MEASURE));
      back_.reset(fftwf_plan_many_dft(2, size, 2, complex, nullptr, 1, plane, complex, nullptr, 1, plane,
                                      FFTW_BACKWARD, FFTW_MEASURE));
    }
    if (!forward_ || !back_) return "FFTW makes no plan";
    make_kernel();
    targets_.resize(size_t(problem_.frames) * problem_.pixels.size());
    return "";
  }

  std::string convolve(std::vector<uint16_t>& pixels) override {
    for (int frame = 0; frame < problem_.frames; frame++) convolve_frame(frame);
    pixels.assign(targets_.end() - ptrdiff_t(problem_.pixels.size()), targets_.end());
    return "";
  }

  std::string measure(int iterations, double& us) override {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; i++)
      for (int frame = 0; frame < problem_.frames; frame++) convolve_frame(frame);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    us = time.count() / iterations;
    return "";
  }

 private:
  // Transforms the kernels' planes in the memory of the frames, before the frames are written.
  void make_kernel() {
    const bool has_channels = problem_.has_channel_kernels;
    const int planes = !has_channels ? 1 : is_real_ ? Problem::kChannels : 4;
    const double scale = 1.0 / double(plane_);
    kernel_.resize(planes);
    for (int i = 0; i < planes; i++) {
      std::fill_n(data_.get(), 4 * plane_, 0.0f);
      if (is_real_) {
        const auto values = kernel_plane(problem_, i, i, 1, scale);
        for (size_t k = 0; k < plane_; k++) data_[k] = values[k].x;
        fftwf_execute(forward_.get());
        const auto* spectrum = reinterpret_cast<const Complex*>(spectrum_.get());
        kernel_[i].assign(spectrum, spectrum + half_);
      } else {
        // The order is P of both pairs, then M of both.
        const int pair = has_channels ? 2 * (i % 2) : 0;
        const auto values = kernel_plane(problem_, pair, has_channels ? pair + 1 : 0, i < 2 ? 1 : -1, scale);
        std::copy(values.begin(), values.end(), reinterpret_cast<Complex*>(data_.get()));
        fftwf_execute(forward_.get());
        const auto* spectrum = reinterpret_cast<const Complex*>(data_.get());
        kernel_[i].assign(spectrum, spectrum + plane_);
      }
    }
  }

  // Calls part(begin, end) for `count` rows, divided among the threads.
  void in_parts(int count, const std::function<void(int, int)>& part) const {
    std::vector<std::thread> others;
    for (int i = 1; i < threads_; i++)
      others.emplace_back(part, int(int64_t{count} * i / threads_), int(int64_t{count} * (i + 1) / threads_));
    part(0, count / threads_);
    for (std::thread& other : others) other.join();
  }

  void convolve_frame(int frame) {
    in_parts(problem_.points_y, [&](int begin, int end) { unpack(begin, end); });
    fftwf_execute(forward_.get());
    in_parts(problem_.points_y, [&](int begin, int end) { multiply(begin, end); });
    fftwf_execute(back_.get());
    in_parts(problem_.height, [&](int begin, int end) { pack(frame, begin, end); });
  }

  void unpack(int begin, int end) {
    const auto nx = size_t(problem_.points_x), width = size_t(problem_.width);
    for (auto y = size_t(begin); y < size_t(end); y++) {
      const size_t used = y < size_t(problem_.height) ? width : 0;
      const uint16_t* source = problem_.pixels.data() + 4 * y * width;
      for (int p = 0; p < (is_real_ ? Problem::kChannels : 2); p++) {
        const size_t floats = is_real_ ? 1 : 2;
        float* row = data_.get() + floats * (size_t(p) * plane_ + y * nx);
        std::fill(row + floats * used, row + floats * nx, 0.0f);
      }
      for (size_t x = 0; x < used; x++) {
        const __m128 pixel = pixel_at(source + 4 * x);
        float* address = data_.get() + y * nx + x;
        if (is_real_) {
          alignas(16) float values[4];
          _mm_store_ps(values, pixel);
          for (size_t c = 0; c < size_t(Problem::kChannels); c++) address[c * plane_] = values[c];
        } else {
          address = data_.get() + 2 * (y * nx + x);
          _mm_storel_pi(reinterpret_cast<__m64*>(address), pixel);
          _mm_storeh_pi(reinterpret_cast<__m64*>(address + 2 * plane_), pixel);
        }
      }
    }
  }

  void pack(int frame, int begin, int end) {
    const auto nx = size_t(problem_.points_x), width = size_t(problem_.width);
    uint16_t* target = targets_.data() + size_t(frame) * problem_.pixels.size();
    for (auto y = size_t(begin); y < size_t(end); y++)
      for (size_t x = 0; x < width; x++) {
        const float* address = data_.get() + y * nx + x;
        __m128 pixel = _mm_setzero_ps();
        if (is_real_) {
          pixel = _mm_setr_ps(address[0], address[plane_], address[2 * plane_], 0);
        } else {
          address = data_.get() + 2 * (y * nx + x);
          pixel = _mm_loadl_pi(pixel, reinterpret_cast<const __m64*>(address));
          pixel = _mm_loadh_pi(pixel, reinterpret_cast<const __m64*>(address + 2 * plane_));
        }
        pixel = _mm_blend_ps(pixel, _mm_setzero_ps(), 8);
        put_pixel(target + 4 * (y * width + x), pixel);
      }
  }

  void multiply(int begin, int end) {
    if (!is_real_ && problem_.has_channel_kernels) return multiply_pairs(begin, end);
    const auto nx = size_t(is_real_ ? problem_.points_x / 2 + 1 : problem_.points_x);
    const size_t plane = is_real_ ? half_ : plane_;
    auto* const data = reinterpret_cast<Complex*>(is_real_ ? spectrum_.get() : data_.get());
    for (size_t p = 0; p < (is_real_ ? size_t(Problem::kChannels) : 2); p++) {
      const Complex* const kernel = kernel_[problem_.has_channel_kernels ? p : 0].data();
      for (size_t i = size_t(begin) * nx; i < size_t(end) * nx; i++)
        data[p * plane + i] = product(data[p * plane + i], kernel[i]);
    }
  }

  // Computes Y(k) = Z(k) P(k) + conj(Z(-k)) M(k) for two real signals in one complex signal; k and
  // -k are computed together.
  void multiply_pairs(int begin, int end) {
    const int nx = problem_.points_x, ny = problem_.points_y;
    for (size_t pair = 0; pair < 2; pair++) {
      auto* const z = reinterpret_cast<Complex*>(data_.get()) + pair * plane_;
      const Complex *const p = kernel_[pair].data(), *const m = kernel_[2 + pair].data();
      for (int y = begin; y < end; y++) {
        const int mirror_y = y == 0 ? 0 : ny - y;
        for (int x = 0; x <= nx / 2; x++) {
          const int mirror_x = x == 0 ? 0 : nx - x;
          if (x == mirror_x && mirror_y < y) continue;
          const size_t i = size_t(y) * size_t(nx) + size_t(x);
          const size_t j = size_t(mirror_y) * size_t(nx) + size_t(mirror_x);
          const Complex a = z[i], b = {z[j].x, -z[j].y};
          const Complex ap = product(a, p[i]), bm = product(b, m[i]);
          const Complex bp = product(b, p[i]), am = product(a, m[i]);
          z[i] = {ap.x + bm.x, ap.y + bm.y};
          if (i != j) z[j] = {bp.x + am.x, -(bp.y + am.y)};
        }
      }
    }
  }

  const Problem problem_;
  const bool is_real_;
  const int threads_;
  const size_t plane_, half_;
  Floats data_, spectrum_;
  Plan forward_, back_;
  std::vector<std::vector<Complex>> kernel_;
  std::vector<uint16_t> targets_;
};

}  // namespace

Made make_fftw(const Problem& problem, bool is_real, int threads) {
  if (!__builtin_cpu_supports("x86-64-v3")) return {nullptr, "this machine lacks AVX2 or F16C"};
  auto way = std::make_unique<Fftw>(problem, is_real, threads);
  if (std::string trouble = way->make(); !trouble.empty()) return {nullptr, std::move(trouble)};
  return {std::move(way), ""};
}

}  // namespace weft::bench
