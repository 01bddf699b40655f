// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "server/device/backend.h"
#include "server/device/names.h"
#include "server/device/shapes.h"

namespace weft::device {

Kernel::Kernel(std::unique_ptr<KernelBackend> backend, const Device* device, std::string name, Shape shape,
               std::vector<Form> tuned)
    : device_(device),
      name_(std::move(name)),
      shape_(shape),
      own_{0, {shape.block_x, shape.block_y}, std::move(backend)},
      tuned_(std::move(tuned)) {}

Kernel::~Kernel() = default;

const Kernel::Form& Kernel::form_for(Grid grid) const {
  if (tuned_.empty()) return own_;
  const int size_class = size_class_of(grid);
  const auto distance = [&](const Form& form) { return std::abs(form.size_class - size_class); };
  const auto form = std::ranges::min_element(tuned_, {}, distance);
  if (distance(*form) > kMostClassDistance || form->backend == nullptr) return own_;
  const uint32_t* const most = device_->info().max_blocks;
  const bool fits =
      grid.x <= uint64_t{most[0]} * form->block.x && grid.y <= uint64_t{most[1]} * form->block.y;
  return fits ? *form : own_;
}

namespace {

// Returns "video/bwdif" for "video/bwdif.uint8_t".
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
