// SPDX-License-Identifier: Apache-2.0
// What a filter touches, seen from the memory it works on: enqueued here on rings with random strides and paddings,
// filled with known bytes before.
#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "server/filters/frame_table.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"

namespace weft::filters {
namespace {

class FilterMemory : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(FilterMemory);

constexpr int kSlots = 9;

// One frame of a clip, the middle one of three, worked on in rings that the test has in its hands.
struct Bench {
  Clip clip;
  FrameLayout source_layout, target_layout;
  size_t guard = 512;  // bytes before and after the rings
  FrameTableEntry entry;
  std::byte fill{0xCD};  // what lies in both rings wherever no wanted sample lies
};

struct Touched {
  std::vector<Picture> pictures;
  std::vector<std::byte> source, target;  // both rings with their guards, afterwards
};

std::vector<std::byte> source_bytes(const Bench& bench, Window window) {
  std::vector<std::byte> bytes(2 * bench.guard + kSlots * bench.source_layout.frame_bytes, bench.fill);
  const std::map<int, int> frames = {
      {bench.entry.previous, 0}, {bench.entry.current, 1}, {bench.entry.next, 2}};
  for (const auto& [slot, frame] : frames) {
    if ((frame == 0 && window.before == 0) || (frame == 2 && window.after == 0)) continue;
    std::byte* data[3] = {};
    int strides[3] = {};
    for (size_t plane = 0; plane < 3; plane++) {
      const PlaneLayout& layout = bench.source_layout.planes[plane];
      data[plane] =
          bytes.data() + bench.guard + size_t(slot) * bench.source_layout.frame_bytes + layout.offset_bytes;
      strides[plane] = layout.stride_bytes;
    }
    write_planes(bench.clip.frames[size_t(frame)], data, strides);
  }
  return bytes;
}

Picture target_picture(const Bench& bench, const std::vector<std::byte>& bytes, int slot) {
  const std::byte* data[3] = {};
  int strides[3] = {};
  for (size_t plane = 0; plane < 3; plane++) {
    const PlaneLayout& layout = bench.target_layout.planes[plane];
    data[plane] =
        bytes.data() + bench.guard + size_t(slot) * bench.target_layout.frame_bytes + layout.offset_bytes;
    strides[plane] = layout.stride_bytes;
  }
  return read_planes(bench.clip.format, data, strides);
}

StatusOr<Touched> work(device::Device& device, const v1::DeinterlaceOptions& options, const Bench& bench,
                       MakeFilter make = make_deinterlacer) {
  using device::MemoryKind;
  ASSIGN_OR_RETURN(const auto filter, make(device, bench.clip.format, options));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  Touched touched;
  touched.source = source_bytes(bench, filter->descriptor().window);
  touched.target.resize(2 * bench.guard + kSlots * bench.target_layout.frame_bytes);
  const size_t most = std::max(touched.source.size(), touched.target.size());
  ASSIGN_OR_RETURN(const auto up, device.allocate(MemoryKind::kUpload, most));
  ASSIGN_OR_RETURN(const auto down, device.allocate(MemoryKind::kDownload, most));
  ASSIGN_OR_RETURN(const auto source, device.allocate(MemoryKind::kDevice, touched.source.size()));
  ASSIGN_OR_RETURN(const auto target, device.allocate(MemoryKind::kDevice, touched.target.size()));
  ASSIGN_OR_RETURN(const auto table, device.allocate(MemoryKind::kDevice, sizeof(FrameTableEntry)));
  ASSIGN_OR_RETURN(const auto table_up, device.allocate(MemoryKind::kUpload, sizeof(FrameTableEntry)));
  std::ranges::copy(touched.source, up->host());
  std::ranges::copy(std::as_bytes(std::span(&bench.entry, 1)), table_up->host());
  stream->copy(*source, 0, *up, 0, touched.source.size());
  stream->copy(*table, 0, *table_up, 0, sizeof(FrameTableEntry));
  stream->fill(*target, 0, touched.target.size(), bench.fill);
  filter->enqueue(*stream, {{source.get(), bench.guard, bench.source_layout, kSlots},
                            {target.get(), bench.guard, bench.target_layout, kSlots},
                            table.get(),
                            0,
                            1,
                            nullptr});
  stream->copy(*down, 0, *target, 0, touched.target.size());
  RETURN_IF_ERROR(stream->wait_all());
  std::copy_n(down->host(), touched.target.size(), touched.target.begin());
  stream->copy(*down, 0, *source, 0, touched.source.size());
  RETURN_IF_ERROR(stream->wait_all());
  std::copy_n(down->host(), touched.source.size(), touched.source.begin());
  for (const int slot : bench.entry.target)
    if (slot >= 0) touched.pictures.push_back(target_picture(bench, touched.target, slot));
  return touched;
}

Bench random_bench(std::mt19937& random, const v1::DeinterlaceOptions& options) {
  Bench bench;
  const VideoFormat format{1 + int(random() % 140), 1 + int(random() % 60), Chroma(random() % 4),
                           random() % 2 == 0 ? 8 : 8 + int(random() % 9)};
  bench.clip = make_clip(format, 3, kMaterials[random() % 2], uint32_t(random()));
  bench.source_layout = FrameLayout::of(format, 64 * (random() % 4));
  bench.target_layout = FrameLayout::of(format, 64 * (random() % 4));
  std::vector<int> slots = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::ranges::shuffle(slots, random);
  bench.entry.previous = slots[0];
  bench.entry.current = slots[1];
  bench.entry.next = slots[2];
  bench.entry.target[0] = slots[3];
  bench.entry.target[1] = options.rate() == v1::OUTPUT_RATE_FIELD ? slots[4] : -1;
  bench.entry.flags = options.parity() == v1::PARITY_BOTTOM ? FLAG_BOTTOM_FIRST : 0;
  return bench;
}

// What the reference makes of the middle frame.
std::vector<Picture> expected_of(const Bench& bench, const v1::DeinterlaceOptions& options) {
  const std::vector<Picture> all = reference(options, bench.clip);
  const ptrdiff_t each = options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
  return {all.begin() + each, all.begin() + 2 * each};
}

// A copy in which the rows of the wanted pictures, up to the row alignment, are set to `fill`: what is left must be
// `fill` already.
std::vector<std::byte> without_pictures(const Bench& bench, std::vector<std::byte> bytes) {
  for (const int slot : bench.entry.target) {
    if (slot < 0) continue;
    for (int plane = 0; plane < bench.clip.format.planes(); plane++) {
      const PlaneLayout& layout = bench.target_layout.planes[size_t(plane)];
      const size_t row_bytes = size_t(layout.width) * size_t(bench.clip.format.sample_bytes());
      const size_t begin = bench.guard + size_t(slot) * bench.target_layout.frame_bytes + layout.offset_bytes;
      for (int y = 0; y < layout.height; y++)
        std::fill_n(bytes.begin() + ptrdiff_t(begin + size_t(y) * size_t(layout.stride_bytes)),
                    round_up(row_bytes, FrameLayout::kRowAlignment), bench.fill);
    }
  }
  return bytes;
}

TEST_P(FilterMemory, WindowsAreHonestAndGuardsUntouched) {
  std::mt19937 random(77);
  for (const v1::DeinterlaceOptions& options : every_option()) {
    if (options.parity() == v1::PARITY_AUTO || options.frames() == v1::FRAME_SELECTION_FLAGGED) continue;
    for (int i = 0; i < 12; i++) {
      Bench bench = random_bench(random, options);
      const std::string what = describe(options, bench.clip.format);
      const std::vector<Picture> expected = expected_of(bench, options);
      for (const int fill : {0xCD, 0x00, 0xFF}) {
        bench.fill = std::byte(fill);
        const auto touched = work(device(), options, bench);
        ASSERT_THAT(touched, IsOk());
        ASSERT_NO_FATAL_FAILURE(expect_same(expected, touched->pictures, what));
        const std::vector<std::byte> rest = without_pictures(bench, touched->target);
        ASSERT_EQ(std::ranges::count(rest, bench.fill), ptrdiff_t(rest.size()))
            << what << ": bytes around the pictures changed";
        const auto filter = make_deinterlacer(device(), bench.clip.format, options);
        ASSERT_TRUE(touched->source == source_bytes(bench, (*filter)->descriptor().window))
            << what << ": the source changed";
      }
    }
  }
}

// All kernels of a filter, on all devices: flags, one picture and two, every material, many sizes.
TEST_P(FilterMemory, AlternativesGiveTheSame) {
  std::mt19937 random(79);
  for (const v1::DeinterlaceOptions& options : every_option()) {
    for (const MakeFilter make : find_filter(filter_name(options.filter()))->alternatives)
      for (int i = 0; i < 60; i++) {
        const Bench bench = random_bench(random, options);
        const auto touched = work(device(), options, bench, make);
        if (touched.status().code() == StatusCode::kUnimplemented) continue;
        ASSERT_THAT(touched, IsOk());
        const std::string what = describe(options, bench.clip.format);
        ASSERT_NO_FATAL_FAILURE(expect_same(expected_of(bench, options), touched->pictures, what));
        const std::vector<std::byte> rest = without_pictures(bench, touched->target);
        ASSERT_EQ(std::ranges::count(rest, bench.fill), ptrdiff_t(rest.size()))
            << what << ": bytes around the pictures changed";
      }
  }
}

// A frame that passes unchanged needs no neighbours, whatever the filter.
TEST_P(FilterMemory, CopiesCopy) {
  std::mt19937 random(78);
  for (const Registration* registration : all_filters()) {
    const v1::DeinterlaceOptions options =
        parse_options(registration->descriptor.name, "rate: OUTPUT_RATE_FRAME");
    for (int i = 0; i < 10; i++) {
      Bench bench = random_bench(random, options);
      bench.entry.flags = FLAG_COPY | int(random() % 2);
      const auto touched = work(device(), options, bench);
      ASSERT_THAT(touched, IsOk());
      ASSERT_NO_FATAL_FAILURE(
          expect_same({bench.clip.frames[1]}, touched->pictures, describe(options, bench.clip.format)));
    }
  }
}

}  // namespace
}  // namespace weft::filters
