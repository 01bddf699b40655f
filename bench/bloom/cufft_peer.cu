// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include "bench/bloom/problem.h"

namespace weft::bench {
namespace {

struct alignas(8) Pixel {
  __half2 rg, ba;
};

__device__ float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Planes [frame][2] of complex numbers.
__global__ void unpack_complex(const Pixel* source, float2* planes, int width, int height, int points_x) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y), points_y = int(gridDim.y);
  if (x >= points_x) return;
  const size_t plane = size_t(points_x) * points_y, place = size_t(y) * points_x + x;
  float2 rg = make_float2(0, 0), ba = rg;
  if (x < width && y < height) {
    const Pixel pixel = source[(size_t(blockIdx.z) * height + y) * width + x];
    rg = __half22float2(pixel.rg);
    ba = __half22float2(pixel.ba);
  }
  planes[2 * blockIdx.z * plane + place] = rg;
  planes[(2 * blockIdx.z + 1) * plane + place] = ba;
}

__global__ void pack_complex(const float2* planes, Pixel* target, int width, int points_x, int points_y) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  const size_t plane = size_t(points_x) * points_y, place = size_t(y) * points_x + x;
  const float2 rg = planes[2 * blockIdx.z * plane + place], ba = planes[(2 * blockIdx.z + 1) * plane + place];
  target[(size_t(blockIdx.z) * gridDim.y + y) * width + x] = {__floats2half2_rn(rg.x, rg.y),
                                                              __floats2half2_rn(ba.x, ba.y)};
}

__global__ void multiply(float2* planes, const float2* spectrum, size_t count, int plane_count) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float2 k = spectrum[i];
  for (int p = 0; p < plane_count; p++) planes[p * count + i] = product(planes[p * count + i], k);
}

// Y(k) = Z(k) P(k) + conj(Z(-k)) M(k) for two real signals with kernels of their own; a thread does k and -k.
__global__ void multiply_pairs(float2* planes, const float2* p, const float2* m, int points_x, int points_y,
                               int frames) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x > points_x / 2) return;
  const int mirror_x = x == 0 ? 0 : points_x - x, mirror_y = y == 0 ? 0 : points_y - y;
  if (x == mirror_x && mirror_y < y) return;
  const size_t plane = size_t(points_x) * points_y;
  const size_t i = size_t(y) * points_x + x, j = size_t(mirror_y) * points_x + mirror_x;
  for (int pair = 0; pair < 2; pair++) {
    const float2 pk = p[pair * plane + i], mk = m[pair * plane + i];
    for (int frame = 0; frame < frames; frame++) {
      float2* z = planes + (2 * size_t(frame) + pair) * plane;
      const float2 a = z[i], b = make_float2(z[j].x, -z[j].y);
      const float2 ap = product(a, pk), bm = product(b, mk), bp = product(b, pk), am = product(a, mk);
      z[i] = make_float2(ap.x + bm.x, ap.y + bm.y);
      if (i != j) z[j] = make_float2(bp.x + am.x, -(bp.y + am.y));
    }
  }
}

__global__ void unpack_real(const Pixel* source, float* planes, int width, int height, int points_x) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y), points_y = int(gridDim.y);
  if (x >= points_x) return;
  const size_t plane = size_t(points_x) * points_y;
  float* place = planes + 4 * blockIdx.z * plane + size_t(y) * points_x + x;
  float2 rg = make_float2(0, 0), ba = rg;
  if (x < width && y < height) {
    const Pixel pixel = source[(size_t(blockIdx.z) * height + y) * width + x];
    rg = __half22float2(pixel.rg);
    ba = __half22float2(pixel.ba);
  }
  place[0] = rg.x;
  place[plane] = rg.y;
  place[2 * plane] = ba.x;
  place[3 * plane] = ba.y;
}

__global__ void pack_real(const float* planes, Pixel* target, int width, int points_x, int points_y) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  const size_t plane = size_t(points_x) * points_y;
  const float* place = planes + 4 * blockIdx.z * plane + size_t(y) * points_x + x;
  target[(size_t(blockIdx.z) * gridDim.y + y) * width + x] = {
      __floats2half2_rn(place[0], place[plane]), __floats2half2_rn(place[2 * plane], place[3 * plane])};
}

// Spectrum of channel c at i, planes [frame][4].
__global__ void multiply_channels(float2* planes, const float2* spectrum, size_t count, int frames) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int c = 0; c < 4; c++) {
    const float2 k = spectrum[c * count + i];
    for (int frame = 0; frame < frames; frame++) {
      float2* place = planes + (4 * size_t(frame) + c) * count + i;
      *place = product(*place, k);
    }
  }
}

__global__ void spin(long long clocks) {  // the device is busy while the host enqueues what is measured
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

// Memory of the device that ends with its scope; everything fails together.
class Session {
 public:
  // The stream does not wait for what was copied outside it.
  void upload(void* to, const void* from, size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  ~Session() {
    for (void* place : memory_) cudaFree(place);
    for (const cufftHandle plan : plans_) cufftDestroy(plan);
    if (stream) cudaStreamDestroy(stream);
  }
  template <class T>
  T* allocate(size_t count) {
    void* place = nullptr;
    check(cudaMalloc(&place, count * sizeof(T)));
    memory_.push_back(place);
    return static_cast<T*>(place);
  }
  cufftHandle plan(int points_x, int points_y, cufftType type, int batch) {
    cufftHandle plan = 0;
    int sizes[2] = {points_y, points_x};
    if (cufftPlanMany(&plan, 2, sizes, nullptr, 1, 0, nullptr, 1, 0, type, batch) != CUFFT_SUCCESS ||
        cufftSetStream(plan, stream) != CUFFT_SUCCESS) {
      error = "cuFFT makes no plan";
      return 0;
    }
    plans_.push_back(plan);
    return plan;
  }
  void check(cudaError_t result) {
    if (result != cudaSuccess && error.empty()) error = cudaGetErrorString(result);
  }
  void check(cufftResult result) {
    if (result != CUFFT_SUCCESS && error.empty()) error = "cuFFT returned " + std::to_string(int(result));
  }

  cudaStream_t stream = nullptr;
  std::string error;

 private:
  std::vector<void*> memory_;
  std::vector<cufftHandle> plans_;
};

dim3 blocks(int x, int y, int z) { return dim3(unsigned(x + 255) / 256, unsigned(y), unsigned(z)); }

struct Way {
  const Problem& problem;
  bool is_real;
  size_t plane, half;  // points of a plane, and of half a spectrum
  cufftHandle forward = 0, back = 0;
  void* planes = nullptr;     // complex, or real
  float2* spectra = nullptr;  // of the real planes
  float2* kernel = nullptr;

  void run(Session& session, const Pixel* source, Pixel* target) const {
    const int nx = problem.points_x, ny = problem.points_y, frames = problem.frames;
    const cudaStream_t stream = session.stream;
    if (is_real) {
      auto* real = static_cast<float*>(planes);
      unpack_real<<<blocks(nx, ny, frames), 256, 0, stream>>>(source, real, problem.width, problem.height,
                                                              nx);
      session.check(cufftExecR2C(forward, real, spectra));
      const unsigned count = unsigned((half + 255) / 256);
      if (problem.has_channel_kernels)
        multiply_channels<<<count, 256, 0, stream>>>(spectra, kernel, half, frames);
      else
        multiply<<<count, 256, 0, stream>>>(spectra, kernel, half, 4 * frames);
      session.check(cufftExecC2R(back, spectra, real));
      pack_real<<<blocks(problem.width, problem.height, frames), 256, 0, stream>>>(real, target,
                                                                                   problem.width, nx, ny);
      return;
    }
    auto* complex = static_cast<float2*>(planes);
    unpack_complex<<<blocks(nx, ny, frames), 256, 0, stream>>>(source, complex, problem.width, problem.height,
                                                               nx);
    session.check(cufftExecC2C(forward, complex, complex, CUFFT_FORWARD));
    if (problem.has_channel_kernels)
      multiply_pairs<<<blocks(nx / 2 + 1, ny, 1), 256, 0, stream>>>(complex, kernel, kernel + 2 * plane, nx,
                                                                    ny, frames);
    else
      multiply<<<unsigned((plane + 255) / 256), 256, 0, stream>>>(complex, kernel, plane, 2 * frames);
    session.check(cufftExecC2C(forward, complex, complex, CUFFT_INVERSE));
    pack_complex<<<blocks(problem.width, problem.height, frames), 256, 0, stream>>>(complex, target,
                                                                                    problem.width, nx, ny);
  }
};

// The kernel of channels a and b as a complex plane, (weight of a + or - weight of b) / 2, over the number of points.
std::vector<float2> plane_of(const Problem& problem, int a, int b, float sign) {
  std::vector<float2> plane(size_t(problem.points_x) * problem.points_y, make_float2(0, 0));
  for (const Tap& tap : problem.taps) {
    const int x = (tap.dx + problem.points_x) % problem.points_x;
    const int y = (tap.dy + problem.points_y) % problem.points_y;
    plane[size_t(y) * problem.points_x + x].x +=
        (tap.weights[a] + sign * tap.weights[b]) / 2 / (float(problem.points_x) * float(problem.points_y));
  }
  return plane;
}

void make_complex_kernel(Session& session, Way& way) {
  const Problem& problem = way.problem;
  const bool has_channels = problem.has_channel_kernels;
  const size_t planes = has_channels ? 4 : 1;
  way.kernel = session.allocate<float2>(planes * way.plane);
  const cufftHandle plan = session.plan(problem.points_x, problem.points_y, CUFFT_C2C, 1);
  for (size_t i = 0; i < planes && session.error.empty(); i++) {
    const int pair = has_channels ? 2 * int(i % 2) : 0;
    const auto values = plane_of(problem, pair, has_channels ? pair + 1 : 0, i < 2 ? 1.0f : -1.0f);
    float2* place = way.kernel + i * way.plane;
    session.upload(place, values.data(), values.size() * sizeof(float2));
    session.check(cufftExecC2C(plan, place, place, CUFFT_FORWARD));
  }
}

void make_real_kernel(Session& session, Way& way) {
  const Problem& problem = way.problem;
  const size_t planes = problem.has_channel_kernels ? 4 : 1;
  way.kernel = session.allocate<float2>(planes * way.half);
  const cufftHandle plan = session.plan(problem.points_x, problem.points_y, CUFFT_R2C, 1);
  auto* real = session.allocate<float>(way.plane);
  for (size_t c = 0; c < planes && session.error.empty(); c++) {
    const auto values = plane_of(problem, int(c), int(c), 1.0f);
    std::vector<float> reals;
    for (const float2 value : values) reals.push_back(value.x);
    session.upload(real, reals.data(), reals.size() * sizeof(float));
    session.check(cufftExecR2C(plan, real, way.kernel + c * way.half));
    session.check(cudaStreamSynchronize(session.stream));
  }
}

float timed(Session& session, const Way& way, const std::vector<Pixel*>& sources,
            const std::vector<Pixel*>& targets, int iterations) {
  cudaEvent_t begin, end;
  session.check(cudaEventCreate(&begin));
  session.check(cudaEventCreate(&end));
  spin<<<1, 1, 0, session.stream>>>(8'000'000);
  session.check(cudaEventRecord(begin, session.stream));
  for (int i = 0; i < iterations; i++)
    way.run(session, sources[size_t(i) % sources.size()], targets[size_t(i) % targets.size()]);
  session.check(cudaEventRecord(end, session.stream));
  session.check(cudaStreamSynchronize(session.stream));
  float milliseconds = 0;
  session.check(cudaEventElapsedTime(&milliseconds, begin, end));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds;
}

}  // namespace

std::string measure_cufft(const Problem& problem, bool is_real, Measured& measured) {
  Session session;
  session.check(cudaStreamCreateWithFlags(&session.stream, cudaStreamNonBlocking));
  const int nx = problem.points_x, ny = problem.points_y;
  Way way{problem, is_real, size_t(nx) * ny, size_t(nx / 2 + 1) * ny};
  const size_t frames = size_t(problem.frames), pixels = size_t(problem.width) * problem.height;
  if (is_real) {
    way.planes = session.allocate<float>(4 * frames * way.plane);
    way.spectra = session.allocate<float2>(4 * frames * way.half);
    way.forward = session.plan(nx, ny, CUFFT_R2C, 4 * problem.frames);
    way.back = session.plan(nx, ny, CUFFT_C2R, 4 * problem.frames);
    make_real_kernel(session, way);
  } else {
    way.planes = session.allocate<float2>(2 * frames * way.plane);
    way.forward = session.plan(nx, ny, CUFFT_C2C, 2 * problem.frames);
    make_complex_kernel(session, way);
  }
  std::vector<Pixel*> sources, targets;
  const size_t set_bytes = 2 * frames * pixels * sizeof(Pixel);
  for (size_t i = 0; i <= kRotatedBytes / set_bytes && session.error.empty(); i++) {
    sources.push_back(session.allocate<Pixel>(frames * pixels));
    targets.push_back(session.allocate<Pixel>(frames * pixels));
    for (size_t frame = 0; frame < frames && session.error.empty(); frame++)
      session.upload(sources.back() + frame * pixels, problem.pixels->data(), pixels * sizeof(Pixel));
  }
  if (!session.error.empty()) return session.error;
  const int iterations = iterations_of(problem);
  float best = timed(session, way, sources, targets, 2);
  best = 1e30f;
  for (int repeat = 0; repeat < kRepeats && session.error.empty(); repeat++)
    best = std::min(best, timed(session, way, sources, targets, iterations));
  measured.us_per_frame = double(best) * 1e3 / (double(iterations) * problem.frames);
  measured.pixels.resize(4 * pixels);
  session.check(
      cudaMemcpy(measured.pixels.data(), targets[0], pixels * sizeof(Pixel), cudaMemcpyDeviceToHost));
  session.check(cudaGetLastError());
  return session.error;
}

}  // namespace weft::bench
