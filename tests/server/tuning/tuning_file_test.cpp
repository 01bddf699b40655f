// SPDX-License-Identifier: Apache-2.0
#include "server/tuning/tuning_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace weft::tuning {
namespace {

class TuningFileTest : public testing::Test {
 protected:
  TuningFileTest() {
    info_.uuid = "0123456789abcdef0123456789abcdef";
    info_.driver = "a driver 1.0";
    path_ = path_in(folder_, info_);
    table_.set_driver(info_.driver);
    put_tuned(table_, entry("video/bwdif.uint8_t", 21, "128x2"));
    put_tuned(table_, entry("picture/blend.uint8_t", 20, "64x4"));
    put_tuned(table_, entry("picture/blend.uint8_t", 19, "32x2"));
  }
  ~TuningFileTest() override { std::filesystem::remove_all(folder_); }

  static v1::TunedKernel entry(std::string kernel, int size_class, std::string shape) {
    v1::TunedKernel made;
    made.set_kernel(std::move(kernel));
    made.set_size_class(size_class);
    made.set_shape(std::move(shape));
    made.set_default_shape("64x4");
    made.set_seconds(1.25e-5);
    made.set_confidence(0.9990234375);
    made.set_reason("It is faster.");
    return made;
  }
  void write_text(std::string_view text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(path_, std::ios::binary) << text;
  }

  const std::string folder_ = fmt::format("{}weft_tuning_file_test.{}", testing::TempDir(), ::getpid());
  device::DeviceInfo info_;
  std::string path_;
  TuningTable table_;
};

TEST_F(TuningFileTest, ReadsWhatWasWritten) {
  ASSERT_TRUE(write_table(path_, table_).ok());
  EXPECT_EQ(read_table(path_, info_).SerializeAsString(), table_.SerializeAsString());
  for (const auto& file : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(file.path().string(), path_);
}

TEST_F(TuningFileTest, EntriesAreSortedAndReplaced) {
  ASSERT_EQ(table_.kernels_size(), 3);
  EXPECT_EQ(table_.kernels(0).size_class(), 19);
  EXPECT_EQ(table_.kernels(2).kernel(), "video/bwdif.uint8_t");
  put_tuned(table_, entry("picture/blend.uint8_t", 20, "256x1"));
  ASSERT_EQ(table_.kernels_size(), 3);
  EXPECT_EQ(find_tuned(table_, "picture/blend.uint8_t", 20)->shape(), "256x1");
  EXPECT_EQ(find_tuned(table_, "picture/blend.uint8_t", 22), nullptr);
}

TEST_F(TuningFileTest, TheDeviceGetsAllShapes) {
  const device::ShapeTable shapes = shapes_in(table_);
  ASSERT_EQ(shapes.size(), 2u);
  const std::vector<device::TunedShape> blend = {{19, {32, 2}}, {20, {64, 4}}};
  EXPECT_EQ(shapes.at("picture/blend.uint8_t"), blend);
}

TEST_F(TuningFileTest, ShippedTablesGoByTheDevice) {
  const auto name_of = [](const char* id, const char* name) {
    device::DeviceInfo info;
    info.id = id;
    info.name = name;
    return shipped_name(info);
  };
  EXPECT_EQ(name_of("cuda:0", "NVIDIA H100 80GB HBM3"), "cuda-nvidia-h100-80gb-hbm3.json");
  EXPECT_EQ(name_of("vulkan:1", "llvmpipe (LLVM 15.0.6, 256 bits)"),
            "vulkan-llvmpipe-llvm-15-0-6-256-bits.json");
  EXPECT_EQ(name_of("cpu", "../x"), "cpu-x.json");
}

TEST_F(TuningFileTest, AShippedTableCountsForEveryDriver) {
  info_.id = "vulkan:0";
  info_.name = "A Device (2)";
  const std::string shipped = folder_ + "/vulkan-a-device-2.json";
  ASSERT_TRUE(write_table(shipped, table_).ok());
  info_.driver = "a driver 1.1";
  const TuningTable read = read_shipped_table(folder_, info_);
  ASSERT_EQ(read.kernels_size(), 3);
  EXPECT_EQ(read.driver(), "a driver 1.1");
  EXPECT_EQ(read.kernels(0).reason(), "Shipped: It is faster.");
  EXPECT_EQ(read_shipped_table("", info_).kernels_size(), 0);
  info_.name = "another";
  EXPECT_EQ(read_shipped_table(folder_, info_).kernels_size(), 0);
}

TEST_F(TuningFileTest, WhatWasLearntGoesBeforeWhatIsShipped) {
  TuningTable learnt;
  learnt.set_driver(info_.driver);
  put_tuned(learnt, entry("picture/blend.uint8_t", 20, "256x1"));
  put_tuned(learnt, entry("picture/fields.uint8_t", 20, "32x8"));
  const TuningTable both = merged(table_, learnt);
  EXPECT_EQ(both.kernels_size(), 4);
  EXPECT_EQ(find_tuned(both, "picture/blend.uint8_t", 20)->shape(), "256x1");
  EXPECT_EQ(find_tuned(both, "picture/blend.uint8_t", 19)->shape(), "32x2");
}

TEST_F(TuningFileTest, ATableOfAnotherDriverIsIgnored) {
  ASSERT_TRUE(write_table(path_, table_).ok());
  info_.driver = "a driver 1.1";
  const TuningTable read = read_table(path_, info_);
  EXPECT_EQ(read.kernels_size(), 0);
  EXPECT_EQ(read.driver(), "a driver 1.1");
}

TEST_F(TuningFileTest, ADamagedFileIsIgnored) {
  ASSERT_TRUE(write_table(path_, table_).ok());
  std::string text;
  std::getline(std::ifstream(path_), text, '\0');
  for (const size_t length : {size_t{0}, size_t{1}, text.size() / 2, text.size() - 2}) {
    write_text(text.substr(0, length));
    EXPECT_EQ(read_table(path_, info_).kernels_size(), 0) << length;
  }
  write_text(std::string_view("\0\xff{}", 4));
  EXPECT_EQ(read_table(path_, info_).kernels_size(), 0);
}

TEST_F(TuningFileTest, EntriesThatMakeNoSenseAreLeftOut) {
  for (const char* shape : {"", "64", "64x", "x4", "0x4", "64x4x1", "-64x4", "64x99999999999"})
    put_tuned(table_, entry(std::string("video/") + shape, 20, shape));
  *table_.add_kernels() = entry("", 20, "64x4");
  *table_.add_kernels() = entry("video/bob.uint8_t", -1, "64x4");
  ASSERT_TRUE(write_table(path_, table_).ok());
  EXPECT_EQ(read_table(path_, info_).kernels_size(), 3);
}

TEST_F(TuningFileTest, WithoutAFolderNothingIsKept) {
  EXPECT_EQ(path_in("", info_), "");
  EXPECT_TRUE(write_table("", table_).ok());
  EXPECT_EQ(read_table("", info_).kernels_size(), 0);
}

TEST_F(TuningFileTest, SaysWhatCannotBeWritten) {
  write_text("{}");
  const Status status = write_table(path_ + "/below/a/file.json", table_);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(message_of(status).find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace weft::tuning
