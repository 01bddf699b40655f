// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nnedi/edge_network.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "server/filters/nnedi/built_in.h"

namespace weft::filters::nnedi {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr size_t kLengthBytes = 8;
constexpr size_t kMostHeaderBytes = size_t{1} << 20;
constexpr std::string_view kVersion = "edi-1";
constexpr std::string_view kMetadata = "__metadata__";

// What a network of so many channels has.
struct Shape {
  int channels;
  int body;
};
constexpr Shape kShapes[] = {{16, 1}, {32, 6}};

float float_of_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 0    ? std::ldexp(float(fraction), -24)
                     : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                      : std::ldexp(float(1024 + fraction), exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

template <class... Arguments>
Status refuse(const char* format, const Arguments&... arguments) {
  return invalid_argument("The file holds no network of this program: {}.",
                          fmt::format(fmt::runtime(format), arguments...));
}

std::string text_of(const Struct& from, const std::string& key) {
  const auto found = from.fields().find(key);
  return found == from.fields().end() ? std::string() : found->second.string_value();
}

// A file in parts, of which nothing is believed yet.
class Tensors {
 public:
  static StatusOr<Tensors> open(std::span<const std::byte> file) {
    Tensors tensors;
    uint64_t length = 0;
    if (file.size() < kLengthBytes) return refuse("it has {} bytes", file.size());
    for (size_t i = 0; i < kLengthBytes; i++) length |= uint64_t(file[i]) << (8 * i);
    if (length > kMostHeaderBytes || length > file.size() - kLengthBytes)
      return refuse("its header would have {} bytes of the file's {}", length, file.size());
    const std::string header(reinterpret_cast<const char*>(file.data()) + kLengthBytes, size_t(length));
    if (!google::protobuf::util::JsonStringToMessage(header, &tensors.header_).ok())
      return refuse("its header is no JSON object");
    tensors.data_ = file.subspan(kLengthBytes + size_t(length));
    return tensors;
  }

  StatusOr<std::string> metadata(const std::string& key) const {
    const auto found = header_.fields().find(std::string(kMetadata));
    const std::string text =
        found == header_.fields().end() ? std::string() : text_of(found->second.struct_value(), key);
    if (text.empty()) return refuse("{} has no '{}'", kMetadata, key);
    return text;
  }

  // The named tensor, which has this shape.
  StatusOr<std::vector<float>> take(const std::string& name, const std::vector<int>& shape) {
    const auto found = header_.fields().find(name);
    if (found == header_.fields().end()) return refuse("it lacks the tensor {}", name);
    const Struct& declared = found->second.struct_value();
    const std::string type = text_of(declared, "dtype");
    if (type != "F16" && type != "F32")
      return refuse("{} is of type '{}' in place of F16 or F32", name, type);
    size_t count = 1;
    for (const int side : shape) count *= size_t(side);
    if (numbers(declared, "shape") != std::vector<double>(shape.begin(), shape.end()))
      return refuse("{} has another shape than [{}]", name, fmt::join(shape, ", "));
    const std::vector<double> place = numbers(declared, "data_offsets");
    const size_t bytes = count * (type == "F16" ? 2 : 4);
    if (place.size() != 2 || !(place[0] >= 0) || !(place[1] <= double(data_.size())) ||
        place[1] - place[0] != double(bytes))
      return refuse("the place of {} is not {} of the file's {} bytes of tensors", name, bytes, data_.size());
    header_.mutable_fields()->erase(name);
    return read(name, data_.subspan(size_t(place[0]), bytes), type == "F16");
  }

  Status expect_no_more() const {
    for (const auto& [name, value] : header_.fields())
      if (name != kMetadata) return refuse("it has a tensor {} that is unknown", name);
    return ok_status();
  }

 private:
  static std::vector<double> numbers(const Struct& declared, const std::string& key) {
    std::vector<double> result;
    const auto found = declared.fields().find(key);
    if (found == declared.fields().end()) return result;
    for (const Value& value : found->second.list_value().values()) result.push_back(value.number_value());
    return result;
  }

  static StatusOr<std::vector<float>> read(const std::string& name, std::span<const std::byte> bytes,
                                           bool is_half) {
    std::vector<float> values(bytes.size() / (is_half ? 2 : 4));
    for (size_t i = 0; i < values.size(); i++) {
      uint32_t word = 0;
      std::memcpy(&word, &bytes[i * (is_half ? 2 : 4)], is_half ? 2 : 4);
      values[i] = is_half ? float_of_half(uint16_t(word)) : std::bit_cast<float>(word);
      if (!std::isfinite(values[i])) return refuse("{} has a value that is no number", name);
    }
    return values;
  }

  Struct header_;
  std::span<const std::byte> data_;
};

StatusOr<double> number_of(const Tensors& tensors, const std::string& key, double most) {
  ASSIGN_OR_RETURN(const std::string text, tensors.metadata(key));
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != 0 || !(value >= 0) || value > most)
    return refuse("its '{}' is {} in place of a number from 0 to {}", key, text, most);
  return value;
}

StatusOr<NetworkLayer> take_layer(Tensors& tensors, const std::string& name, NetworkLayer layer) {
  ASSIGN_OR_RETURN(layer.weights,
                   tensors.take(name + ".weight", {layer.outputs, layer.inputs, layer.rows, layer.columns}));
  ASSIGN_OR_RETURN(layer.biases, tensors.take(name + ".bias", {layer.outputs}));
  return layer;
}

}  // namespace

int EdgeNetwork::multiply_adds() const {
  size_t count = head.weights.size() + tail.weights.size();
  for (const NetworkLayer& layer : body) count += layer.weights.size();
  return int(count);
}

StatusOr<EdgeNetwork> parse_edge_network(std::span<const std::byte> file) {
  ASSIGN_OR_RETURN(Tensors tensors, Tensors::open(file));
  ASSIGN_OR_RETURN(const std::string version, tensors.metadata("version"));
  if (version != kVersion) return refuse("its version is '{}' in place of '{}'", version, kVersion);
  EdgeNetwork network;
  ASSIGN_OR_RETURN(network.name, tensors.metadata("name"));
  ASSIGN_OR_RETURN(network.prescreen, number_of(tensors, "prescreen", 255));
  ASSIGN_OR_RETURN(const double channels, number_of(tensors, "channels", 1024));
  for (const Shape& shape : kShapes)
    if (channels == shape.channels) {
      network.channels = shape.channels;
      network.body.resize(size_t(shape.body));
    }
  const int side = network.channels;
  if (side == 0) return refuse("it has {} channels in place of 16 or 32", channels);
  ASSIGN_OR_RETURN(network.date, tensors.metadata("date"));
  ASSIGN_OR_RETURN(network.head, take_layer(tensors, "head", {1, side, 4, 7, {}, {}}));
  for (size_t i = 0; i < network.body.size(); i++) {
    ASSIGN_OR_RETURN(network.body[i],
                     take_layer(tensors, fmt::format("body.{}", i), {side, side, 3, 3, {}, {}}));
  }
  ASSIGN_OR_RETURN(network.tail, take_layer(tensors, "tail", {side, 1, 3, 3, {}, {}}));
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::span<const std::byte>> built_in_network(std::string_view name) {
  for (const BuiltInFile& file : built_in_files())
    if (file.name == fmt::format("edi_{}", name)) return file.bytes;
  return not_found("This program was built without the network '{}' (models/edi_{}.safetensors).", name,
                   name);
}

}  // namespace weft::filters::nnedi
