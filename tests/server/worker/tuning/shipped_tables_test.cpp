// SPDX-License-Identifier: Apache-2.0
// Tests that the tables in tuning/ contain only existing kernels, with shapes that these kernels
// support.
#include <filesystem>

#include <gtest/gtest.h>

#include "kernels/lang/registry.h"
#include "server/device/shapes.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {
namespace {

TEST(ShippedTables, AreOfKernelsAndShapesThatThereAre) {
  device::DeviceInfo info;  // a GPU that supports all shapes
  info.max_block_lanes = 1024;
  int tables = 0;
  for (const auto& file : std::filesystem::directory_iterator(WEFT_TABLES_FOLDER)) {
    const std::string name = file.path().filename().string();
    if (file.path().extension() != ".json" || name == "gpu.json") continue;
    SCOPED_TRACE(name);
    tables++;
    info.id = name.substr(0, name.find('-'));
    info.name = file.path().stem().string().substr(info.id.size() + 1);
    ASSERT_EQ(tuning::shipped_name(info), name);
    const tuning::TuningTable table = tuning::read_shipped_table(WEFT_TABLES_FOLDER, info);
    EXPECT_GT(table.kernels_size(), 0);
    for (const v1::TunedKernel& entry : table.kernels()) {
      SCOPED_TRACE(entry.kernel());
      const kernels::KernelImage* image = kernels::find_kernel(entry.kernel());
      ASSERT_NE(image, nullptr);
      const std::vector<device::BlockShape> shapes = device::shapes_of(*image, info);
      const auto shape = device::read_shape(entry.shape());
      ASSERT_TRUE(shape.has_value());
      EXPECT_NE(std::ranges::find(shapes, *shape), shapes.end()) << entry.shape();
      EXPECT_LE(entry.seconds(), entry.default_seconds());
    }
  }
  EXPECT_GE(tables, 3);
}

}  // namespace
}  // namespace weft::worker
