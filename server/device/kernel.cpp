// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "server/device/backend.h"
#include "server/device/names.h"

namespace weft::device {

Kernel::Kernel(std::unique_ptr<KernelBackend> backend, const Device* device, std::string name, Shape shape)
    : backend_(std::move(backend)), device_(device), name_(std::move(name)), shape_(shape) {}

Kernel::~Kernel() = default;

namespace {

// "video/bwdif" of "video/bwdif.uint8_t".
std::string_view file_of(std::string_view name) { return name.substr(0, name.find('.')); }

std::string_view area_of(std::string_view name) { return name.substr(0, name.find('/')); }

}  // namespace

Status no_such_kernel(std::string_view name) {
  if (const std::string fault = kernels::why_not_opened(name); !fault.empty())
    return failed_precondition("{}", fault);
  std::vector<std::string_view> same_file, same_area;
  for (const kernels::KernelImage& image : kernels::kernels_of(area_of(name))) {
    same_area.push_back(image.name);
    if (file_of(image.name) == file_of(name)) same_file.push_back(image.name);
  }
  if (!same_file.empty())
    return not_found("There is no variant '{}' of the kernel; there are: {}.", name,
                     fmt::join(same_file, ", "));
  if (!same_area.empty())
    return not_found("There is no kernel '{}'; the folder has: {}.", name, fmt::join(same_area, ", "));
  return not_found("There is no kernel '{}', and no folder of kernels named '{}'.", name, area_of(name));
}

}  // namespace weft::device
