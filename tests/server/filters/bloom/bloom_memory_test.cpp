// SPDX-License-Identifier: Apache-2.0
// Compares the declared memory of a bloom with its real memory on the CPU.
#include "server/filters/bloom/bloom_memory.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "options/values.h"

namespace weft::filters::bloom {
namespace {

v1::BloomOptions options_with(const std::string& text) {
  v1::BloomOptions options;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &options));
  options::apply_defaults(options);
  return options;
}

void expect_near(double said, double is, const std::string& what) {
  EXPECT_GE(said, is) << what;
  EXPECT_LE(said, 1.3 * is) << what;
}

TEST(BloomMemory, IsWhatTheCpuTakesOrALittleMore) {
  const auto device = device::open_device("cpu");
  ASSERT_THAT(device, IsOk());
  for (const char* text : {"", "size: 0.25", "padding: BLOOM_PADDING_MIRROR", "glare: BLOOM_GLARE_GAUSSIAN",
                           "method: BLOOM_METHOD_DUAL"})
    for (const BloomShape& shape : {BloomShape{640, 360}, BloomShape{1000, 1000}}) {
      const std::string what = fmt::format("{}x{} {}", shape.width, shape.height, text);
      const auto options = options_with(text);
      const BloomMemory memory = memory_of(shape, options, {});
      SpectrumCache cache;
      const size_t before = (*device)->memory_used_bytes();
      const auto bloom = Bloom::make(**device, shape, options, {}, cache, SpectrumIsMade::kByCaller);
      ASSERT_THAT(bloom, IsOk()) << what;
      for (const int units : {1, 3})
        expect_near(double(memory.scratch_bytes(units)), double((*bloom)->scratch_bytes(units)),
                    fmt::format("{}, {} at once", what, units));
      if (memory.spectrum_bytes > 0)
        expect_near(double(memory.spectrum_bytes), double((*device)->memory_used_bytes() - before), what);
      EXPECT_LE(memory.max_units, (*bloom)->max_units()) << what;
      EXPECT_GE(memory.max_units, 0.9 * (*bloom)->max_units()) << what;
      if (const auto preparation = (*bloom)->take_preparation())
        expect_near(double(memory.kernel_bytes), double(preparation->unit.size()), what);
    }
}

}  // namespace
}  // namespace weft::filters::bloom
