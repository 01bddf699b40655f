// SPDX-License-Identifier: Apache-2.0
// Tests that each device reads the fields of Params at the host's offsets, for every kernel.
#include <cstddef>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/test/words.kernel"
#include "tests/kernels/spirv.h"

namespace weft::kernels {
namespace {

std::vector<std::pair<uint32_t, uint32_t>> pairs_of(std::span<const Field> fields) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const Field& field : fields) pairs.emplace_back(field.offset_bytes, field.size_bytes);
  return pairs;
}

// Returns the tables of the program, then those of each module.
std::vector<std::span<const KernelImage>> all_tables() {
  std::vector<std::span<const KernelImage>> tables = {embedded_kernels()};
  for (const std::string_view module : kernel_modules()) tables.push_back(kernels_of(module));
  return tables;
}

std::vector<std::reference_wrapper<const KernelImage>> all_kernels() {
  std::vector<std::reference_wrapper<const KernelImage>> kernels;
  for (const auto table : all_tables()) kernels.insert(kernels.end(), table.begin(), table.end());
  return kernels;
}

TEST(ParamsTest, EveryKernelHasTheSameOffsetsInSpirvAndInCpp) {
  for (const KernelImage& image : all_kernels()) {
    const std::optional<SpirvKernel> spirv = parse_spirv(image.spirv);
    ASSERT_TRUE(spirv.has_value()) << image.name;
    EXPECT_EQ(pairs_of(spirv->params), pairs_of(image.signature.fields)) << image.name;
  }
}

TEST(ParamsTest, EveryKernelHasTheSameBlockInSpirvAndInCpp) {
  for (const KernelImage& image : all_kernels()) {
    const std::optional<SpirvKernel> spirv = parse_spirv(image.spirv);
    ASSERT_TRUE(spirv.has_value()) << image.name;
    EXPECT_EQ(spirv->block, (std::array{image.signature.block_x, image.signature.block_y, 1u})) << image.name;
  }
}

TEST(ParamsTest, EveryInstructionSetHasTheSameSignature) {
  for (const KernelImage& image : all_kernels()) {
    for (const CpuKernel* kernel : image.cpu) {
      if (kernel == nullptr) continue;
      EXPECT_EQ(pairs_of(kernel->fields), pairs_of(image.signature.fields)) << image.name;
      EXPECT_EQ(kernel->params_bytes, image.signature.params_bytes) << image.name;
      EXPECT_EQ(kernel->runs_whole_blocks, image.signature.runs_whole_blocks) << image.name;
      EXPECT_LE(kernel->params_bytes, 128u) << image.name;
    }
  }
}

// The fields that the build extracts from the source have the compiler's layout.
TEST(ParamsTest, FieldsAreTheStructsMembers) {
  using Params = words::Params;
  const KernelImage* image = find_kernel("test/words");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(pairs_of(image->signature.fields),
            (std::vector<std::pair<uint32_t, uint32_t>>{{offsetof(Params, a), 8},
                                                        {offsetof(Params, b), 8},
                                                        {offsetof(Params, x), 8},
                                                        {offsetof(Params, y), 8},
                                                        {offsetof(Params, integers), 8},
                                                        {offsetof(Params, floats), 8},
                                                        {offsetof(Params, halves), 8},
                                                        {offsetof(Params, count), 4}}));
  EXPECT_EQ(image->signature.params_bytes, sizeof(Params));
}

TEST(ParamsTest, TablesAreSortedAndNamesAreFound) {
  for (const auto table : all_tables()) {
    std::vector<std::string_view> names;
    for (const KernelImage& image : table) names.push_back(image.name);
    EXPECT_TRUE(std::ranges::is_sorted(names));
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    for (const std::string_view name : names) EXPECT_EQ(find_kernel(name)->name, name);
  }
  EXPECT_EQ(find_kernel("test/nothing"), nullptr);
}

TEST(ParamsTest, WhatIsNoSpirvIsRefused) {
  const KernelImage& image = embedded_kernels().front();
  EXPECT_FALSE(parse_spirv({}).has_value());
  EXPECT_FALSE(parse_spirv(image.spirv.subspan(4)).has_value());
  // the module ends within the first instruction
  EXPECT_FALSE(parse_spirv(image.spirv.first(6 * 4)).has_value());
}

}  // namespace
}  // namespace weft::kernels
