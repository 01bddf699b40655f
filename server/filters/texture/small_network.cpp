// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/small_network.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace weft::filters::texture {
namespace {

constexpr std::string_view kSmallVersion = "texture-small-2";
constexpr int kSmallInputs = 48;
constexpr std::array kPredictorWidths = {64, 64};
constexpr std::array kBlockWidths = {128, 128, 64, 64};
constexpr size_t kMostSubmodes = SMALL_SUBMODES_MOST;
constexpr std::array<std::string_view, 2> kFormatNames = {"bc1", "bc5"};  // after all submodes
// number of values of TexelSource
constexpr int kSources = 4;

std::vector<std::string_view> words_of(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    words.push_back(text.substr(0, end));
  words.push_back(text);
  return words;
}

// Returns 1x1 layers with these numbers of outputs, and a last layer with `outputs`.
std::vector<networks::NetworkLayer> shapes_of(std::span<const int> widths, int outputs) {
  std::vector<networks::NetworkLayer> layers;
  int inputs = kSmallInputs;
  for (const int width : widths) {
    layers.push_back({inputs, width, 1, 1});
    inputs = width;
  }
  layers.push_back({inputs, outputs, 1, 1});
  return layers;
}

// Checks that the networks are submodes of BC7, followed by the formats BC1 and BC5.
Status check_submodes(std::span<const SubmodeNetwork> networks) {
  const auto is_format = [](const SubmodeNetwork& network) { return network.submode.mode >= SMALL_BC1; };
  const size_t of_bc7 = networks.size() - size_t(std::count_if(networks.begin(), networks.end(), is_format));
  const bool has_formats = networks.size() == of_bc7 + kFormatNames.size() &&
                           networks[of_bc7].submode.mode == SMALL_BC1 &&
                           networks[of_bc7 + 1].submode.mode == SMALL_BC5;
  if (!has_formats) return networks::refuse_network("its submodes do not end with bc1 and bc5");
  if (of_bc7 == 0 || of_bc7 > kMostSubmodes)
    return networks::refuse_network("it has {} submodes of BC7 in place of 1 to {}", of_bc7, kMostSubmodes);
  return ok_status();
}

}  // namespace

int Submode::outputs() const {
  constexpr std::array kEnds = {18, 12, 18, 12, 6, 6, 6, 0, 6, 4};
  const bool has_two_indices = mode == 4 || mode == 5 || mode == SMALL_BC5;
  return kEnds[size_t(mode)] + (has_two_indices ? 32 : 16);
}

StatusOr<Submode> parse_submode(std::string_view text) {
  if (text == kFormatNames[0]) return Submode{.mode = SMALL_BC1};
  if (text == kFormatNames[1]) return Submode{.mode = SMALL_BC5};
  const auto refuse = [&] { return networks::refuse_network("'{}' is no submode that it can make", text); };
  std::vector<int> numbers;
  for (const std::string_view word : words_of(text, '/')) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < 0) return refuse();
    numbers.push_back(number);
  }
  // Number of values after the mode, and maximum of the first value, by mode.
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
  ASSIGN_OR_RETURN(networks::Tensors tensors, networks::Tensors::open(file, kSmallVersion));
  SmallNetwork network;
  ASSIGN_OR_RETURN(network.title, tensors.title());
  ASSIGN_OR_RETURN(const std::string names, tensors.metadata("submodes"));
  std::vector<SubmodeNetwork> made;
  for (const std::string_view name : words_of(names, ' ')) {
    SubmodeNetwork of_submode;
    ASSIGN_OR_RETURN(of_submode.submode, parse_submode(name));
    made.push_back(std::move(of_submode));
  }
  RETURN_IF_ERROR(check_submodes(made));
  const int count = int(made.size());
  const size_t of_bc7 = made.size() - kFormatNames.size();
  ASSIGN_OR_RETURN(network.predictor,
                   tensors.take_layers("predictor", shapes_of(kPredictorWidths, int(of_bc7))));
  ASSIGN_OR_RETURN(const std::vector<float> sources,
                   tensors.take("source", {count, kSources, kBlockWidths[0]}));
  constexpr size_t kOfSubmode = size_t(kSources) * size_t(kBlockWidths[0]);
  for (size_t i = 0; i < made.size(); i++) {
    ASSIGN_OR_RETURN(made[i].layers, tensors.take_layers(fmt::format("nets.{}", i),
                                                         shapes_of(kBlockWidths, made[i].submode.outputs())));
    const auto begin = sources.begin() + std::ptrdiff_t(i * kOfSubmode);
    made[i].sources.assign(begin, begin + std::ptrdiff_t(kOfSubmode));
    (i < of_bc7 ? network.submodes : network.formats).push_back(std::move(made[i]));
  }
  RETURN_IF_ERROR(tensors.expect_no_more());
  return network;
}

StatusOr<std::shared_ptr<const SmallNetwork>> built_in_small_network(std::string_view kind) {
  return networks::built_in_network<SmallNetwork>(fmt::format("texture_small_{}", kind), parse_small_network);
}

}  // namespace weft::filters::texture
