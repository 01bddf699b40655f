// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <cuda_runtime.h>
#include <cufft.h>

#include "bench/bloom/cufft_kernels.h"
#include "bench/bloom/way.h"

namespace weft::bench {
namespace {

// Device memory and a stream that are freed at the end of the scope. After an error all further
// calls fail.
class Session {
 public:
  // The stream does not wait for copies made outside of it.
  void upload(void* to, const void* from, size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  ~Session() {
    for (void* address : memory_) cudaFree(address);
    for (const cufftHandle plan : plans_) cufftDestroy(plan);
    if (stream) cudaStreamDestroy(stream);
  }
  template <class T>
  T* allocate(size_t count) {
    void* address = nullptr;
    check(cudaMalloc(&address, count * sizeof(T)));
    memory_.push_back(address);
    return static_cast<T*>(address);
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

struct Pipe {
  const Problem& problem;
  bool is_real;
  size_t plane, half;  // points of a plane, and of half a spectrum
  cufftHandle forward = 0, back = 0;
  void* planes = nullptr;     // complex or real planes
  float2* spectra = nullptr;  // spectra of the real planes
  float2* kernel = nullptr;

  int complex_planes() const { return (Problem::kChannels * problem.frames + 1) / 2; }
  // Returns the number of kernels for planes, which differ by the plane's two channels.
  int kinds() const { return 3; }

  void run(Session& session, const Pixel* source, Pixel* target) const {
    const int nx = problem.points_x, ny = problem.points_y, frames = problem.frames;
    const int channels = Problem::kChannels;
    const cudaStream_t stream = session.stream;
    if (is_real) {
      auto* real = static_cast<float*>(planes);
      unpack_real<<<blocks(nx, ny, frames), 256, 0, stream>>>(source, real, problem.width, problem.height, nx,
                                                              channels);
      session.check(cufftExecR2C(forward, real, spectra));
      const unsigned count = unsigned((half + 255) / 256);
      if (problem.has_channel_kernels)
        multiply_channels<<<count, 256, 0, stream>>>(spectra, kernel, half, frames, channels);
      else
        multiply<<<count, 256, 0, stream>>>(spectra, kernel, half, channels * frames);
      session.check(cufftExecC2R(back, spectra, real));
      pack_real<<<blocks(problem.width, problem.height, frames), 256, 0, stream>>>(
          real, target, problem.width, nx, ny, channels);
      return;
    }
    auto* complex = static_cast<float2*>(planes);
    if (channels == 4)
      unpack_complex<<<blocks(nx, ny, frames), 256, 0, stream>>>(source, complex, problem.width,
                                                                 problem.height, nx);
    else
      unpack_pairs<<<blocks(nx, ny, complex_planes()), 256, 0, stream>>>(
          source, complex, problem.width, problem.height, nx, channels * frames);
    session.check(cufftExecC2C(forward, complex, complex, CUFFT_FORWARD));
    if (problem.has_channel_kernels)
      multiply_pairs<<<blocks(nx / 2 + 1, ny, 1), 256, 0, stream>>>(complex, kernel, kernel + kinds() * plane,
                                                                    nx, ny, kinds(), complex_planes());
    else
      multiply<<<unsigned((plane + 255) / 256), 256, 0, stream>>>(complex, kernel, plane, complex_planes());
    session.check(cufftExecC2C(forward, complex, complex, CUFFT_INVERSE));
    if (channels == 4)
      pack_complex<<<blocks(problem.width, problem.height, frames), 256, 0, stream>>>(complex, target,
                                                                                      problem.width, nx, ny);
    else
      pack_pairs<<<blocks(problem.width, problem.height, frames), 256, 0, stream>>>(complex, target,
                                                                                    problem.width, nx, ny);
  }
};

void make_complex_kernel(Session& session, Pipe& way) {
  const Problem& problem = way.problem;
  const bool has_channels = problem.has_channel_kernels;
  const size_t kinds = size_t(way.kinds()), planes = has_channels ? 2 * kinds : 1;
  way.kernel = session.allocate<float2>(planes * way.plane);
  const cufftHandle plan = session.plan(problem.points_x, problem.points_y, CUFFT_C2C, 1);
  for (size_t i = 0; i < planes && session.error.empty(); i++) {
    const int first = has_channels ? 2 * int(i % kinds) % Problem::kChannels : 0;
    const int second = has_channels ? (first + 1) % Problem::kChannels : 0;
    const auto values =
        kernel_plane(problem, first, second, i < kinds ? 1.0f : -1.0f, 1.0 / double(way.plane));
    float2* address = way.kernel + i * way.plane;
    session.upload(address, values.data(), values.size() * sizeof(Complex));
    session.check(cufftExecC2C(plan, address, address, CUFFT_FORWARD));
  }
}

void make_real_kernel(Session& session, Pipe& way) {
  const Problem& problem = way.problem;
  const size_t planes = problem.has_channel_kernels ? size_t(Problem::kChannels) : 1;
  way.kernel = session.allocate<float2>(planes * way.half);
  const cufftHandle plan = session.plan(problem.points_x, problem.points_y, CUFFT_R2C, 1);
  auto* real = session.allocate<float>(way.plane);
  for (size_t c = 0; c < planes && session.error.empty(); c++) {
    const auto values = kernel_plane(problem, int(c), int(c), 1.0f, 1.0 / double(way.plane));
    std::vector<float> reals;
    for (const Complex value : values) reals.push_back(value.x);
    session.upload(real, reals.data(), reals.size() * sizeof(float));
    session.check(cufftExecR2C(plan, real, way.kernel + c * way.half));
    session.check(cudaStreamSynchronize(session.stream));
  }
}

// The method's device memory, and its repeated execution.
class Cufft final : public Way {
 public:
  Cufft(const Problem& problem, bool is_real)
      : problem_(problem),
        pipe_{problem_, is_real, size_t(problem.points_x) * problem.points_y,
              size_t(problem.points_x / 2 + 1) * problem.points_y} {}
  ~Cufft() override {
    for (const cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
    for (const cudaEvent_t event : {begin_, end_})
      if (event) cudaEventDestroy(event);
  }

  std::string make() {
    Session& s = session_;
    s.check(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    s.check(cudaEventCreate(&begin_));
    s.check(cudaEventCreate(&end_));
    const int nx = problem_.points_x, ny = problem_.points_y;
    if (pipe_.is_real) {
      const int planes = Problem::kChannels * problem_.frames;
      pipe_.planes = s.allocate<float>(size_t(planes) * pipe_.plane);
      pipe_.spectra = s.allocate<float2>(size_t(planes) * pipe_.half);
      pipe_.forward = s.plan(nx, ny, CUFFT_R2C, planes);
      pipe_.back = s.plan(nx, ny, CUFFT_C2R, planes);
      make_real_kernel(s, pipe_);
    } else {
      pipe_.planes = s.allocate<float2>(size_t(pipe_.complex_planes()) * pipe_.plane);
      pipe_.forward = s.plan(nx, ny, CUFFT_C2C, pipe_.complex_planes());
      make_complex_kernel(s, pipe_);
    }
    make_frames();
    return s.error;
  }

  std::string convolve(std::vector<uint16_t>& pixels) override {
    const size_t count = pixels_of_frame();
    session_.check(
        cudaMemsetAsync(targets_[0], 0xff, count * problem_.frames * sizeof(Pixel), session_.stream));
    pipe_.run(session_, sources_[0], targets_[0]);
    session_.check(cudaStreamSynchronize(session_.stream));
    pixels.resize(4 * count);
    session_.check(cudaMemcpy(pixels.data(), targets_[0] + (problem_.frames - 1) * count,
                              count * sizeof(Pixel), cudaMemcpyDeviceToHost));
    session_.check(cudaGetLastError());
    return session_.error;
  }

  // Measures kernel launches and replayed graphs, and returns the shorter time.
  std::string measure(int iterations, double& us) override {
    if (graphs_.empty()) capture();
    const double launched = timed(iterations, [&](size_t i) {
      pipe_.run(session_, sources_[i % sources_.size()], targets_[i % targets_.size()]);
    });
    const double replayed = timed(iterations, [&](size_t i) {
      session_.check(cudaGraphLaunch(graphs_[i % graphs_.size()], session_.stream));
    });
    us = std::min(launched, replayed);
    return session_.error;
  }

 private:
  size_t pixels_of_frame() const { return size_t(problem_.width) * problem_.height; }

  void make_frames() {
    Session& s = session_;
    const size_t pixels = pixels_of_frame(), frames = size_t(problem_.frames);
    const size_t set_bytes = 2 * frames * pixels * sizeof(Pixel);
    for (size_t i = 0; i <= kRotatedBytes / set_bytes && s.error.empty(); i++) {
      sources_.push_back(s.allocate<Pixel>(frames * pixels));
      targets_.push_back(s.allocate<Pixel>(frames * pixels));
      for (size_t frame = 0; frame < frames && s.error.empty(); frame++)
        s.upload(sources_.back() + frame * pixels, problem_.pixels.data(), pixels * sizeof(Pixel));
    }
  }

  // Captures one graph for each pair of source and target.
  void capture() {
    for (size_t i = 0; i < sources_.size() && session_.error.empty(); i++) {
      cudaGraph_t graph = nullptr;
      session_.check(cudaStreamBeginCapture(session_.stream, cudaStreamCaptureModeThreadLocal));
      pipe_.run(session_, sources_[i], targets_[i]);
      session_.check(cudaStreamEndCapture(session_.stream, &graph));
      if (!session_.error.empty()) return;
      session_.check(cudaGraphInstantiate(&graphs_.emplace_back(), graph, 0));
      cudaGraphDestroy(graph);
      if (session_.error.empty()) session_.check(cudaGraphUpload(graphs_.back(), session_.stream));
    }
  }

  // Returns the microseconds of one iteration.
  template <class Enqueue>
  double timed(int iterations, Enqueue&& enqueue) {
    spin<<<1, 1, 0, session_.stream>>>(20'000'000);
    session_.check(cudaEventRecord(begin_, session_.stream));
    for (int i = 0; i < iterations && session_.error.empty(); i++) enqueue(size_t(i));
    session_.check(cudaEventRecord(end_, session_.stream));
    session_.check(cudaStreamSynchronize(session_.stream));
    float milliseconds = 0;
    session_.check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    session_.check(cudaGetLastError());
    return double(milliseconds) * 1e3 / iterations;
  }

  const Problem problem_;
  Session session_;
  Pipe pipe_;
  std::vector<Pixel*> sources_, targets_;
  std::vector<cudaGraphExec_t> graphs_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace

Made make_cufft(const Problem& problem, bool is_real) {
  auto way = std::make_unique<Cufft>(problem, is_real);
  if (std::string trouble = way->make(); !trouble.empty()) return {nullptr, trouble};
  return {std::move(way), ""};
}

}  // namespace weft::bench
