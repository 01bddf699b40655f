// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/small_network.h"

#include <charconv>
#include <utility>

namespace weft::filters::texture {
namespace {

constexpr std::string_view kSmallVersion = "texture-small-1";
constexpr int kSmallInputs = 48;
constexpr std::array kPredictorWidths = {64, 64};
constexpr std::array kBlockWidths = {128, 128, 64, 64};
constexpr size_t kMostSubmodes = 8;
constexpr int kSources = 4;  // TexelSource

std::vector<std::string_view> words_of(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    words.push_back(text.substr(0, end));
  words.push_back(text);
  return words;
}

// Layers <name>.0, <name>.1, ...
StatusOr<std::vector<nnedi::NetworkLayer>> take_layers(nnedi::Tensors& tensors, const std::string& name,
                                                       std::span<const int> widths, int outputs) {
  std::vector<nnedi::NetworkLayer> layers;
  int inputs = kSmallInputs;
  for (size_t i = 0; i <= widths.size(); i++) {
    const int made = i < widths.size() ? widths[i] : outputs;
    ASSIGN_OR_RETURN(nnedi::NetworkLayer layer,
                     tensors.take_layer(fmt::format("{}.{}", name, i), {inputs, made, 1, 1}));
    layers.push_back(std::move(layer));
    inputs = made;
  }
  return layers;
}

}  // namespace

int Submode::outputs() const {
  constexpr std::array kEnds = {18, 12, 18, 12, 6, 6, 6};
  return kEnds[size_t(mode)] + (mode == 4 || mode == 5 ? 32 : 16);
}

StatusOr<Submode> parse_submode(std::string_view text) {
  const auto refuse = [&] { return nnedi::refuse_network("'{}' is no submode that it can make", text); };
  std::vector<int> numbers;
  for (const std::string_view word : words_of(text, '/')) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < 0) return refuse();
    numbers.push_back(number);
  }
  // How many numbers follow the mode, and the most that the first may be.
  constexpr std::array<size_t, 7> kFollow = {1, 1, 1, 1, 2, 1, 0};
  constexpr std::array kMost = {15, 63, 63, 63, 3, 3, 0};
  const auto mode = size_t(numbers[0]);
  if (mode >= kFollow.size() || numbers.size() != 1 + kFollow[mode]) return refuse();
  Submode submode{.mode = int(mode)};
  const bool is_planes = mode == 4 || mode == 5;
  if (numbers.size() > 1) {
    if (numbers[1] > kMost[mode] || (is_planes && numbers[1] == 0)) return refuse();
    (is_planes ? submode.rotation : submode.pattern) = numbers[1];
  }
  if (numbers.size() > 2) {
    if (numbers[2] > 1) return refuse();
    submode.selector = numbers[2];
  }
  return submode;
}

StatusOr<SmallNetwork> parse_small_network(std::span<const std::byte> file) {
  ASSIGN_OR_RETURN(nnedi::Tensors tensors, nnedi::Tensors::open(file));
  RETURN_IF_ERROR(tensors.expect_version(kSmallVersion));
  SmallNetwork network;
  ASSIGN_OR_RETURN(network.name, tensors.metadata("name"));
  ASSIGN_OR_RETURN(network.date, tensors.metadata("date"));
  ASSIGN_OR_RETURN(const std::string names, tensors.metadata("submodes"));
  for (const std::string_view name : words_of(names, ' ')) {
    SubmodeNetwork of_submode;
    ASSIGN_OR_RETURN(of_submode.submode, parse_submode(name));
    network.submodes.push_back(std::move(of_submode));
  }
  if (network.submodes.size() > kMostSubmodes)
    return nnedi::refuse_network("it has {} submodes, more than {}", network.submodes.size(), kMostSubmodes);
  const int count = int(network.submodes.size());
  ASSIGN_OR_RETURN(network.predictor, take_layers(tensors, "predictor", kPredictorWidths, count));
  ASSIGN_OR_RETURN(const std::vector<float> sources,
                   tensors.take("source", {count, kSources, kBlockWidths[0]}));
  constexpr size_t kOfSubmode = size_t(kSources) * size_t(kBlockWidths[0]);
  for (size_t i = 0; i < network.submodes.size(); i++) {
    SubmodeNetwork& made = network.submodes[i];
    ASSIGN_OR_RETURN(made.layers,
                     take_layers(tensors, fmt::format("nets.{}", i), kBlockWidths, made.submode.outputs()));
    const auto begin = sources.begin() + std::ptrdiff_t(i * kOfSubmode);
    made.sources.assign(begin, begin + std::ptrdiff_t(kOfSubmode));
  }
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::shared_ptr<const SmallNetwork>> built_in_small_network(std::string_view kind) {
  return nnedi::built_in_network<SmallNetwork>(fmt::format("texture_small_{}", kind), parse_small_network);
}

}  // namespace weft::filters::texture
