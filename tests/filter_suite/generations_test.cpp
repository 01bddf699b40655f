// SPDX-License-Identifier: Apache-2.0
// Tests that every filter's kernels can be loaded with the limits of each generation of GPUs. The
// devices execute nothing.
#include "tests/server/device/cuda/generations.h"

#include <gmock/gmock.h>

#include "server/device/backend.h"
#include "tests/filter_suite/devices.h"

namespace weft::filters {
namespace {

using device::cuda::Generation;

class FilterGenerations : public testing::TestWithParam<Generation> {
 protected:
  FilterGenerations() : device_(null_backend(), device::cuda::info_of(GetParam())) {}

  static std::unique_ptr<device::DeviceBackend> null_backend() {
    device::DeviceInfo null;
    null.kind = device::BackendKind::kNull;
    return *device::open_backend(null, {});
  }
  // Expands a filter, which loads its kernels.
  Status expand_on_device(const Setting& setting, const VideoFormat& format) {
    const std::vector<const google::protobuf::Message*> filters = {setting.options.get()};
    Network network;
    const Port source = network.set_source(PortFormat::picture(format), {});
    FilterContext context;
    context.device = &device_;
    context.caches = &caches_;
    context.path = "filters";
    const Decisions decisions;
    context.decisions = &decisions;
    const OptionFiles files = case_files(context.path, filters);
    context.files = &files;
    return expand_network(context, filters, network, source).status();
  }

  device::Device device_;
  DeviceCaches caches_;
};

INSTANTIATE_TEST_SUITE_P(Every, FilterGenerations, testing::ValuesIn(device::cuda::kGenerations),
                         [](const auto& each) { return std::to_string(each.param.capability); });

TEST_P(FilterGenerations, LoadEveryKernel) {
  int expanded = 0;
  for (const Registration* filter : all_filters())
    for (const Case& each : filter->cases) {
      const Setting setting{filter, parse_options(filter->name(), each.options)};
      EXPECT_EQ(expand_on_device(setting, each.format), ok_status()) << describe(setting, each.format);
      expanded++;
    }
  EXPECT_GT(expanded, 50);
}

}  // namespace
}  // namespace weft::filters
