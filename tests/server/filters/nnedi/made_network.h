// SPDX-License-Identifier: Apache-2.0
// Files of networks with random weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace weft::filters {

struct MadeTensor {
  std::string name;
  std::vector<int> shape;
  double scale;  // scale of its weights
};

// The parts of a network's file, so that a test can change any of them.
struct MadeNetwork {
  std::string metadata;
  std::vector<MadeTensor> tensors;

  static MadeNetwork of(const std::string& name, int channels, int bodies, double prescreen) {
    MadeNetwork made;
    made.metadata = fmt::format(
        R"("__metadata__":{{"name":"{}","channels":"{}","version":"edi-1","date":"2026-01-02","prescreen":"{}"}})",
        name, channels, prescreen);
    made.tensors = {{"head.weight", {channels, 1, 4, 7}, 0.25}, {"head.bias", {channels}, 0.1}};
    for (int i = 0; i < bodies; i++) {
      made.tensors.push_back({fmt::format("body.{}.weight", i), {channels, channels, 3, 3}, 0.06});
      made.tensors.push_back({fmt::format("body.{}.bias", i), {channels}, 0.1});
    }
    made.tensors.push_back({"tail.weight", {1, channels, 3, 3}, 0.05});
    made.tensors.push_back({"tail.bias", {1}, 0.01});
    return made;
  }
  static MadeNetwork fast(double prescreen = 0) { return of("fast", 16, 1, prescreen); }
  static MadeNetwork best(double prescreen = 0) { return of("best", 32, 6, prescreen); }

  std::vector<std::byte> file(uint32_t seed = 1) const {
    std::mt19937 random(seed);
    std::string header = "{" + metadata, data;
    for (const MadeTensor& tensor : tensors) {
      size_t count = 1;
      for (const int side : tensor.shape) count *= size_t(side);
      header += fmt::format(R"(,"{}":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})", tensor.name,
                            fmt::join(tensor.shape, ","), data.size(), data.size() + count * sizeof(float));
      for (size_t i = 0; i < count; i++) {
        // Rounded to a half float, as the weights of the program are. Tensor cores need that.
        const auto value = float(_Float16(tensor.scale * (double(random() % 2001) / 500 - 2)));
        data.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
    }
    return joined(header + "}", data);
  }

  static std::vector<std::byte> joined(const std::string& header, const std::string& data) {
    const uint64_t length = header.size();
    std::vector<std::byte> bytes(sizeof(length) + header.size() + data.size());
    std::memcpy(bytes.data(), &length, sizeof(length));
    std::memcpy(bytes.data() + sizeof(length), header.data(), header.size());
    std::memcpy(bytes.data() + sizeof(length) + header.size(), data.data(), data.size());
    return bytes;
  }
};

}  // namespace weft::filters
