// SPDX-License-Identifier: Apache-2.0
// Adds the CPU device, once for each instruction set that kernels are built for.
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

Subject subject_for(const DeviceInfo& info, const std::string& isa) {
  // More threads than a small machine has, so that parts of launches run concurrently.
  const OpenOptions options{.cpu_threads = 4, .cpu_isa = isa, .cache_folder = ""};
  // A missing instruction set of this machine is no failure.
  const auto open_one = [info, options](auto open) -> decltype(open(info, options)) {
    auto opened = open(info, options);
    if (opened.status().code() == StatusCode::kFailedPrecondition)
      return unavailable("{}", message_of(opened.status()));
    return opened;
  };
  const auto open_front = [](const DeviceInfo& i, const OpenOptions& o) { return open_device(i, o); };
  return {.name = "cpu " + isa,
          .open = [=] { return open_one(open_front); },
          .open_backend = [=] { return open_one(&open_backend); },
          .unsupported = {},
          .expected_failures = {}};
}

const Joined cpu_joined([] {
  std::vector<Subject> subjects;
  for (const DeviceInfo& info : list_devices_and_twins(nullptr)) {
    if (info.kind != BackendKind::kCpu) continue;
    const kernels::KernelImage& any = kernels::embedded_kernels().front();
    for (int i = 0; i < kernels::kCpuIsas; i++)
      if (any.cpu[i] != nullptr)
        subjects.push_back(subject_for(info, std::string(to_string(static_cast<kernels::CpuIsa>(i)))));
  }
  return subjects;
});

}  // namespace
}  // namespace weft::device::suite
