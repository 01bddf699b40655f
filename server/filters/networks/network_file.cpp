// SPDX-License-Identifier: Apache-2.0
#include "server/filters/networks/network_file.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <google/protobuf/util/json_util.h>

#include "server/filters/networks/built_in.h"

namespace weft::filters::networks {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr size_t kLengthBytes = 8;
constexpr size_t kMostHeaderBytes = size_t{1} << 20;
constexpr std::string_view kMetadata = "__metadata__";

float float_of_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 0    ? std::ldexp(float(fraction), -24)
                     : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                      : std::ldexp(float(1024 + fraction), exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

std::string text_of(const Struct& from, const std::string& key) {
  const auto found = from.fields().find(key);
  return found == from.fields().end() ? std::string() : found->second.string_value();
}

std::vector<double> numbers_of(const Struct& declared, const std::string& key) {
  std::vector<double> result;
  const auto found = declared.fields().find(key);
  if (found == declared.fields().end()) return result;
  for (const Value& value : found->second.list_value().values()) result.push_back(value.number_value());
  return result;
}

StatusOr<std::vector<float>> read_tensor(const std::string& name, std::span<const std::byte> bytes,
                                         bool is_half) {
  std::vector<float> values(bytes.size() / (is_half ? 2 : 4));
  for (size_t i = 0; i < values.size(); i++) {
    uint32_t word = 0;
    std::memcpy(&word, &bytes[i * (is_half ? 2 : 4)], is_half ? 2 : 4);
    values[i] = is_half ? float_of_half(uint16_t(word)) : std::bit_cast<float>(word);
    if (!std::isfinite(values[i])) return refuse_network("{} has a value that is no number", name);
  }
  return values;
}

}  // namespace

StatusOr<Tensors> Tensors::open(std::span<const std::byte> file, std::string_view version) {
  Tensors tensors;
  uint64_t length = 0;
  if (file.size() < kLengthBytes) return refuse_network("it has {} bytes", file.size());
  for (size_t i = 0; i < kLengthBytes; i++) length |= uint64_t(file[i]) << (8 * i);
  if (length > kMostHeaderBytes || length > file.size() - kLengthBytes)
    return refuse_network("its header would have {} bytes of the file's {}", length, file.size());
  const std::string header(reinterpret_cast<const char*>(file.data()) + kLengthBytes, size_t(length));
  if (!google::protobuf::util::JsonStringToMessage(header, &tensors.header_).ok())
    return refuse_network("its header is no JSON object");
  tensors.data_ = file.subspan(kLengthBytes + size_t(length));
  ASSIGN_OR_RETURN(const std::string found, tensors.metadata("version"));
  if (found != version) return refuse_network("its version is '{}' in place of '{}'", found, version);
  return tensors;
}

StatusOr<NetworkTitle> Tensors::title() const {
  NetworkTitle title;
  ASSIGN_OR_RETURN(title.name, metadata("name"));
  ASSIGN_OR_RETURN(title.date, metadata("date"));
  return title;
}

StatusOr<std::string> Tensors::metadata(const std::string& key) const {
  const auto found = header_.fields().find(std::string(kMetadata));
  const std::string text =
      found == header_.fields().end() ? std::string() : text_of(found->second.struct_value(), key);
  if (text.empty()) return refuse_network("{} has no '{}'", kMetadata, key);
  return text;
}

StatusOr<double> Tensors::number(const std::string& key, double least, double most) const {
  ASSIGN_OR_RETURN(const std::string text, metadata(key));
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != 0 || !(value >= least) || value > most)
    return refuse_network("its '{}' is {} in place of a number from {} to {}", key, text, least, most);
  return value;
}

StatusOr<std::vector<float>> Tensors::take(const std::string& name, const std::vector<int>& shape) {
  const auto found = header_.fields().find(name);
  if (found == header_.fields().end()) return refuse_network("it lacks the tensor {}", name);
  const Struct& declared = found->second.struct_value();
  const std::string type = text_of(declared, "dtype");
  if (type != "F16" && type != "F32")
    return refuse_network("{} is of type '{}' in place of F16 or F32", name, type);
  size_t count = 1;
  for (const int side : shape) count *= size_t(side);
  if (numbers_of(declared, "shape") != std::vector<double>(shape.begin(), shape.end()))
    return refuse_network("{} has another shape than [{}]", name, fmt::join(shape, ", "));
  const std::vector<double> range = numbers_of(declared, "data_offsets");
  const size_t bytes = count * (type == "F16" ? 2 : 4);
  if (range.size() != 2 || !(range[0] >= 0) || !(range[1] <= double(data_.size())) ||
      range[1] - range[0] != double(bytes))
    return refuse_network("the place of {} is not {} of the file's {} bytes of tensors", name, bytes,
                          data_.size());
  header_.mutable_fields()->erase(name);
  return read_tensor(name, data_.subspan(size_t(range[0]), bytes), type == "F16");
}

StatusOr<NetworkLayer> Tensors::take_layer(const std::string& name, NetworkLayer layer) {
  ASSIGN_OR_RETURN(layer.weights,
                   take(name + ".weight", {layer.outputs, layer.inputs, layer.rows, layer.columns}));
  ASSIGN_OR_RETURN(layer.biases, take(name + ".bias", {layer.outputs}));
  return layer;
}

StatusOr<std::vector<NetworkLayer>> Tensors::take_layers(const std::string& name,
                                                         std::vector<NetworkLayer> layers) {
  for (size_t i = 0; i < layers.size(); i++) {
    ASSIGN_OR_RETURN(layers[i], take_layer(fmt::format("{}.{}", name, i), std::move(layers[i])));
  }
  return layers;
}

Status Tensors::expect_no_more() const {
  for (const auto& [name, value] : header_.fields())
    if (name != kMetadata) return refuse_network("it has a tensor {} that is unknown", name);
  return ok_status();
}

StatusOr<std::span<const std::byte>> built_in_file(std::string_view name) {
  for (const BuiltInFile& file : built_in_files())
    if (file.name == name) return file.bytes;
  return not_found("This program was built without the network models/{}.safetensors.", name);
}

}  // namespace weft::filters::networks
