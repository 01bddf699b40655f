// SPDX-License-Identifier: Apache-2.0
// Benchmarks the gravitational accelerations of bodies, over all pairs. Some bodies are compared
// with sums in double. The permitted error is 2^-16 + sqrt(n) 2^-23 of the sum of the absolute
// contributions, the rounding error of n terms and their square roots.
#include "kernels/bench/nbody.kernel"

#include <array>
#include <cmath>
#include <numeric>

#include "kernels/bench/nbody_sum.kernel"
#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

constexpr int64_t kTileBodies = NBODY_TILE;
constexpr int64_t kPartTileBodies = NBODY_PART_TILE;
constexpr int64_t kBlockBodies = NBODY_PART_TILE * NBODY_OWN;
constexpr int64_t kPaddedBodies = std::lcm(kTileBodies, kBlockBodies);
// number of concurrent blocks per compute unit that hides their latency
constexpr int64_t kBlocksOfUnit = 8;
constexpr float kSoftening = 1.0f / 1024;
constexpr int64_t kCheckedBodies = 64;
using Body = std::array<float, 4>;  // x, y, z, mass

// Returns body `i`. The bodies are in a unit cube, with a total mass of about 1.
Body body_of(int64_t i, int64_t count) {
  Body body{};
  for (size_t part = 0; part < 4; part++)
    body[part] = float(mixed(uint64_t(i) * 4 + part) >> 40) / float(1 << 24);
  body[3] = (body[3] + 0.5f) / float(count);
  return body;
}

// Returns the number of tiles of bodies per block that gives each multiprocessor enough blocks and
// ends all blocks at about the same time. The start of a block and its partial sum cost about three
// quarters of a tile.
int64_t tiles_of_part(int64_t blocks, int64_t tiles, int64_t units) {
  int64_t best = 1;
  double least = 0;
  for (int64_t each = 1; each <= tiles; each++) {
    const int64_t all = blocks * ((tiles + each - 1) / each);
    const double cost = double((all + units - 1) / units) * (double(each) + 0.75);
    if (each > 1 && (cost > least || all < kBlocksOfUnit * units)) continue;
    least = cost;
    best = each;
  }
  return best;
}

class Nbody final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    std::unique_ptr<Nbody> made(new Nbody(spec.size.x, spec.variant == "several bodies a lane"));
    const int kernel = spec.variant == "direct" ? 1 : spec.variant == "tiled" ? 2 : 3;
    ASSIGN_OR_RETURN(made->kernel_, device.load(fmt::format("bench/nbody.{}", kernel)));
    std::vector<Body> bodies(size_t(made->padded()));
    for (int64_t i = 0; i < made->count_; i++) bodies[size_t(i)] = body_of(i, made->count_);
    const size_t bytes = bodies.size() * sizeof(Body);
    ASSIGN_OR_RETURN(made->bodies_, Rotation::make(device, bytes_of(bodies), 2 * bytes));
    ASSIGN_OR_RETURN(made->accelerations_, Rotation::make(device, bytes, 2 * bytes));
    if (!made->has_parts_) return made;
    ASSIGN_OR_RETURN(made->sum_, device.load("bench/nbody_sum"));
    const int64_t tiles = made->whole_tiles() / kPartTileBodies, blocks = made->padded() / kBlockBodies;
    made->per_part_ = tiles_of_part(blocks, tiles, device.info().compute_units) * kPartTileBodies;
    made->parts_ = (made->whole_tiles() + made->per_part_ - 1) / made->per_part_;
    ASSIGN_OR_RETURN(made->part_sums_,
                     device.allocate(device::MemoryKind::kDevice, bytes * size_t(made->parts_)));
    return made;
  }

  std::vector<std::string> phases() const override {
    if (!has_parts_) return {};
    return {"parts", "their sums"};
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks* marks) override {
    namespace k = kernels::nbody;
    namespace sum = kernels::nbody_sum;
    k::Params params{bodies_.at<k::Bodies>(turn),
                     accelerations_.at<k::Bodies>(turn),
                     int(whole_tiles()),
                     int(padded()),
                     int(per_part_),
                     kSoftening};
    if (!has_parts_) return stream.launch(*kernel_, {uint32_t(whole_tiles())}, params);
    params.accelerations = device::at<k::Bodies>(*part_sums_);
    stream.launch(*kernel_, {uint32_t(padded() / NBODY_OWN), uint32_t(parts_)}, params);
    if (marks != nullptr) marks->push_back(stream.mark());
    stream.launch(*sum_, {uint32_t(4 * count_)},
                  sum::Params{device::at<sum::Numbers>(*part_sums_), accelerations_.at<sum::Numbers>(turn),
                              int(4 * count_), int(4 * padded()), int(parts_)});
    if (marks != nullptr) marks->push_back(stream.mark());
  }
  Status verify() override;

 private:
  Nbody(int64_t count, bool has_parts)
      : BenchmarkCase({double(count) * double(count), 32.0 * double(count),
                       20.0 * double(count) * double(count), Limit::kFp32}),
        count_(count),
        has_parts_(has_parts) {}
  // number of bodies, rounded up to whole tiles
  int64_t whole_tiles() const { return rounded_up(count_, kTileBodies); }
  int64_t padded() const { return rounded_up(count_, kPaddedBodies); }

  const int64_t count_;
  const bool has_parts_;
  int64_t per_part_ = 0, parts_ = 1;
  const device::Kernel* kernel_ = nullptr;
  const device::Kernel* sum_ = nullptr;
  Rotation bodies_, accelerations_;
  std::unique_ptr<device::Buffer> part_sums_;
};

Status Nbody::verify() {
  std::vector<Body> bodies;
  for (int64_t i = 0; i < count_; i++) bodies.push_back(body_of(i, count_));
  ASSIGN_OR_RETURN(const auto found, accelerations_.download_as<Body>());
  const double tolerance = std::ldexp(1.0, -16) + std::sqrt(double(count_)) * std::ldexp(1.0, -23);
  const int64_t checked = std::min(count_, kCheckedBodies);
  for (int64_t n = 0; n < checked; n++) {
    const auto i = size_t(n * (count_ - 1) / std::max(checked - 1, int64_t{1}));
    std::array<double, 3> sum{}, size{};
    for (const Body& other : bodies) {
      std::array<double, 3> way{};
      for (size_t axis = 0; axis < 3; axis++) way[axis] = double(other[axis]) - double(bodies[i][axis]);
      const double square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + double(kSoftening);
      const double pull = double(other[3]) / (square * std::sqrt(square));
      for (size_t axis = 0; axis < 3; axis++) {
        sum[axis] += way[axis] * pull;
        size[axis] += std::abs(way[axis]) * pull;
      }
    }
    for (size_t axis = 0; axis < 3; axis++)
      if (!(std::abs(double(found[i][axis]) - sum[axis]) <= tolerance * size[axis]))
        return data_loss("Acceleration {} of body {} is {}, and {} is right.", axis, i, found[i][axis],
                         sum[axis]);
  }
  return ok_status();
}

}  // namespace

Benchmark nbody_benchmark() {
  return {v1::BENCHMARK_NAME_NBODY,
          "interaction",
          {"direct", "tiled", "several bodies a lane"},
          {},
          {CaseSize{16128}, CaseSize{23040}, CaseSize{65536}},
          {CaseSize{1024}},
          CaseSize{1},
          CaseSize{int64_t{1} << 18},
          Nbody::make};
}

}  // namespace weft::benchmarks
