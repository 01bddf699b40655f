// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/random_chain.h"

#include "weft/v1/filters.pb.h"

namespace weft::filters {
namespace {

void set_filter(v1::VideoFilter& element, const google::protobuf::Message& options) {
  const auto* choice = element.GetDescriptor()->oneof_decl(0);
  for (int i = 0; i < choice->field_count(); i++)
    if (choice->field(i)->message_type() == options.GetDescriptor())
      element.GetReflection()->MutableMessage(&element, choice->field(i))->CopyFrom(options);
}

// Returns a merge with up to two filters in each chain. They may be merges.
Options random_merge(std::mt19937& random, const std::vector<Setting>& every) {
  const Options options = parse_options("merge", random() % 2 == 0 ? "" : "mask: MERGE_MASK_LUMA");
  auto& merge = dynamic_cast<v1::Merge&>(*options);
  merge.set_low(random() % 100);
  merge.set_high(100 + random() % 156);
  for (auto* chain : {merge.mutable_a(), merge.mutable_b()})
    for (uint32_t left = random() % 3; left > 0; left--)
      set_filter(*chain->Add(), *every[random() % every.size()].options);
  return options;
}

}  // namespace

std::vector<Options> random_chain(std::mt19937& random, const std::vector<Setting>& every, size_t length,
                                  const VideoFormat& format) {
  std::vector<Options> chain;
  const bool has_merge = find_filter("merge") != nullptr;
  while (chain.size() < length) {
    chain.push_back(has_merge && random() % 3 == 0 ? random_merge(random, every)
                                                   : every[random() % every.size()].options);
    if (!expand(nullptr, chain, format).ok()) chain.pop_back();
  }
  return chain;
}

std::string describe(const std::string& name, const std::vector<Options>& chain, const VideoFormat& format) {
  std::string text = fmt::format("{} of {}:", name, to_text(format));
  for (const Options& options : chain)
    text += fmt::format(" {} {{ {} }}", find_filter(options->GetDescriptor())->name(),
                        options->ShortDebugString());
  return text;
}

}  // namespace weft::filters
