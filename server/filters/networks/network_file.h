// SPDX-License-Identifier: Apache-2.0
// Reads the program's networks from files of the safetensors format
// (https://huggingface.co/docs/safetensors: 8 bytes with the header's length, a header in JSON, the
// tensors). The code is common to all filters.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/struct.pb.h>

#include "base/status.h"

namespace weft::filters::networks {

struct NetworkLayer {
  int inputs = 0, outputs = 0, rows = 0, columns = 0;
  std::vector<float> weights{};  // [outputs][inputs][rows][columns]
  std::vector<float> biases{};   // [outputs]

  float weight(int output, int input, int tap) const {
    return weights[size_t((output * inputs + input) * rows * columns + tap)];
  }
};

// Returns INVALID_ARGUMENT with the reason that the file is not a network of this program.
template <class... Arguments>
Status refuse_network(const char* format, const Arguments&... arguments) {
  return invalid_argument("The file holds no network of this program: {}.",
                          fmt::format(fmt::runtime(format), arguments...));
}

struct NetworkTitle {
  std::string name;  // "fast", "texture_normal"
  std::string date;  // date of the training: "2026-11-27"
};

// A parsed file that is not validated yet. The errors are those of refuse_network().
class Tensors {
 public:
  // Opens a file. The `version` in its metadata has to be equal to the parameter.
  static StatusOr<Tensors> open(std::span<const std::byte> file, std::string_view version);

  StatusOr<NetworkTitle> title() const;
  StatusOr<std::string> metadata(const std::string& key) const;
  StatusOr<double> number(const std::string& key, double least, double most) const;
  // Returns the named tensor and removes it. Its shape has to be `shape`.
  StatusOr<std::vector<float>> take(const std::string& name, const std::vector<int>& shape);
  // Returns a layer from the tensors <name>.weight and <name>.bias.
  StatusOr<NetworkLayer> take_layer(const std::string& name, NetworkLayer layer);
  // Returns the layers <name>.0, <name>.1, ... with these shapes.
  StatusOr<std::vector<NetworkLayer>> take_layers(const std::string& name, std::vector<NetworkLayer> layers);
  Status expect_no_more() const;

 private:
  google::protobuf::Struct header_;
  std::span<const std::byte> data_;
};

// Returns a file of models/ by its name without extension. NOT_FOUND: the program was built without
// the file.
StatusOr<std::span<const std::byte>> built_in_file(std::string_view name);

// Returns the network of such a file, which is parsed on first use and kept. Thread-safe.
template <class Network>
StatusOr<std::shared_ptr<const Network>> built_in_network(
    const std::string& name, StatusOr<Network> (*parse)(std::span<const std::byte>)) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Network>> kept;
  const std::lock_guard lock(mutex);
  if (const auto found = kept.find(name); found != kept.end()) return found->second;
  ASSIGN_OR_RETURN(const auto file, built_in_file(name));
  ASSIGN_OR_RETURN(Network network, parse(file));
  return kept.emplace(name, std::make_shared<const Network>(std::move(network))).first->second;
}

}  // namespace weft::filters::networks
