// SPDX-License-Identifier: Apache-2.0
// Numbers from the SPIR-V specification, version 1.5: sections 2.3 (form of a module) and 3.32
// (instructions).
#include "tests/kernels/spirv.h"

#include <cstring>
#include <map>

namespace weft::kernels {
namespace {

enum Op : uint16_t {
  kExecutionMode = 16,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeStruct = 30,
  kTypePointer = 32,
  kVariable = 59,
  kMemberDecorate = 72,
};
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kLocalSize = 17;    // execution mode
constexpr uint32_t kOffset = 35;       // decoration
constexpr uint32_t kPushConstant = 9;  // storage classes
constexpr uint32_t kPhysicalStorageBuffer = 5349;

struct Module {
  // sizes of scalar types and buffer pointers
  std::map<uint32_t, uint32_t> size_bytes;
  std::map<uint32_t, std::vector<uint32_t>> structs;  // types of the members of structs
  // types that pointers to push constants refer to
  std::map<uint32_t, uint32_t> pointees;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> offsets;  // offsets by (struct, member)
  uint32_t push_constant_pointer = 0;
  std::array<uint32_t, 3> block = {0, 0, 0};
};

void read_instruction(Module& module, uint16_t op, std::span<const uint32_t> words) {
  switch (op) {
    case kExecutionMode:
      if (words[1] == kLocalSize) module.block = {words[2], words[3], words[4]};
      break;
    case kTypeInt:
    case kTypeFloat:
      module.size_bytes[words[0]] = words[1] / 8;
      break;
    case kTypeStruct:
      module.structs[words[0]].assign(words.begin() + 1, words.end());
      break;
    case kTypePointer:
      if (words[1] == kPhysicalStorageBuffer) module.size_bytes[words[0]] = 8;
      if (words[1] == kPushConstant) module.pointees[words[0]] = words[2];
      break;
    case kVariable:
      if (words[2] == kPushConstant) module.push_constant_pointer = words[0];
      break;
    case kMemberDecorate:
      if (words[2] == kOffset) module.offsets[{words[0], words[1]}] = words[3];
      break;
    default:
      break;
  }
}

std::optional<Module> read_module(std::span<const uint32_t> words) {
  constexpr size_t kHeaderWords = 5;
  if (words.size() < kHeaderWords || words[0] != kMagic) return std::nullopt;
  Module module;
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) return std::nullopt;
    read_instruction(module, static_cast<uint16_t>(words[at]), words.subspan(at + 1, length - 1));
    at += length;
  }
  return module;
}

}  // namespace

std::optional<SpirvKernel> parse_spirv(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(uint32_t)) return std::nullopt;
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  const std::optional<Module> module = read_module(words);
  if (!module) return std::nullopt;
  const auto outer_type = module->pointees.find(module->push_constant_pointer);
  if (outer_type == module->pointees.end()) return std::nullopt;
  const auto outer = module->structs.find(outer_type->second);
  if (outer == module->structs.end() || outer->second.size() != 1) return std::nullopt;
  const uint32_t params = outer->second[0];
  const auto members = module->structs.find(params);
  if (members == module->structs.end()) return std::nullopt;
  SpirvKernel kernel{.params = {}, .block = module->block};
  for (uint32_t i = 0; i < members->second.size(); i++) {
    const auto size = module->size_bytes.find(members->second[i]);
    const auto offset = module->offsets.find({params, i});
    if (size == module->size_bytes.end() || offset == module->offsets.end()) return std::nullopt;
    kernel.params.push_back({offset->second, size->second});
  }
  return kernel;
}

}  // namespace weft::kernels
