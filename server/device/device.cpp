// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "server/device/backend.h"
#include "server/device/names.h"
#include "server/device/shapes.h"

namespace weft::device {

namespace {

struct KernelKey {
  std::string name;
  size_t sized_bytes;                   // bytes of the array
  std::pair<uint32_t, uint32_t> block;  // {}: the declared shape, or those of the tuning table
  auto operator<=>(const KernelKey&) const = default;
};

}  // namespace

struct Device::State {
  std::unique_ptr<DeviceBackend> backend;
  std::mutex memory_mutex;  // guards the next member
  std::map<MemoryKind, MemoryUse> memory;
  std::mutex kernels_mutex;  // guards the members below
  std::map<KernelKey, std::unique_ptr<Kernel>> kernels;
  // Kernels that were loaded before the table changed, since they may still be in use.
  std::vector<std::unique_ptr<Kernel>> retired;
  ShapeTable tuning;
};

Device::Device(std::unique_ptr<DeviceBackend> backend, DeviceInfo info)
    : state_(std::make_unique<State>()), info_(std::move(info)) {
  state_->backend = std::move(backend);
}

Device::~Device() = default;

// Counts the bytes of a new buffer. RESOURCE_EXHAUSTED: they exceed the device's memory, which does
// not hold pinned buffers unless it is the host's.
Status Device::take(MemoryKind kind, size_t bytes) {
  const std::lock_guard lock(state_->memory_mutex);
  const size_t used = used_bytes();
  const bool is_limited = kind == MemoryKind::kDevice || info_.is_software;
  if (is_limited && (bytes > info_.memory_bytes || used > info_.memory_bytes - bytes))
    return resource_exhausted(
        "{} has too little memory ({} bytes asked for, {} of {} in use); use smaller batches.", info_.id,
        bytes, used, info_.memory_bytes);
  MemoryUse& use = state_->memory[kind];
  use.bytes += bytes;
  use.peak_bytes = std::max(use.peak_bytes, use.bytes);
  return ok_status();
}

void Device::give_back(MemoryKind kind, size_t bytes) {
  const std::lock_guard lock(state_->memory_mutex);
  state_->memory[kind].bytes -= bytes;
}

Device::MemoryUse Device::memory_use(MemoryKind kind) const {
  const std::lock_guard lock(state_->memory_mutex);
  return state_->memory[kind];
}

size_t Device::memory_used_bytes() const {
  const std::lock_guard lock(state_->memory_mutex);
  return used_bytes();
}

// Call with memory_mutex held.
size_t Device::used_bytes() const {
  size_t bytes = 0;
  for (const auto& [kind, use] : state_->memory)
    if (kind == MemoryKind::kDevice || info_.is_software) bytes += use.bytes;
  return bytes;
}

std::optional<size_t> Device::memory_used_by_all_bytes() const {
  return state_->backend->memory_used_by_all_bytes();
}

StatusOr<std::unique_ptr<Buffer>> Device::allocate(MemoryKind kind, size_t size_bytes) {
  if (size_bytes == 0) return invalid_argument("A buffer has at least one byte.");
  if (size_bytes > info_.max_buffer_bytes) {
    return resource_exhausted(
        "A buffer is larger than {} allows ({} bytes, at most {}); use smaller batches.", info_.id,
        size_bytes, info_.max_buffer_bytes);
  }
  RETURN_IF_ERROR(take(kind, size_bytes));
  StatusOr<std::unique_ptr<BufferBackend>> backend = state_->backend->allocate(kind, size_bytes);
  if (backend.ok()) return std::make_unique<Buffer>(*std::move(backend), this, kind, size_bytes);
  give_back(kind, size_bytes);
  return backend.status();
}

StatusOr<std::unique_ptr<Stream>> Device::make_stream(StreamPriority priority, StreamUse use) {
  if (use == StreamUse::kHeldBack && !info_.can_hold_back)
    return failed_precondition("The device {} cannot hold back a stream.", info_.id);
  ASSIGN_OR_RETURN(std::unique_ptr<StreamBackend> backend, state_->backend->make_stream(priority, use));
  return std::make_unique<Stream>(std::move(backend), this, use);
}

Status Device::check_loadable(const kernels::KernelImage& image, size_t sized_bytes) const {
  const kernels::CpuKernel& shape = image.signature;
  if (shape.element_bytes == 0 && sized_bytes != 0)
    return invalid_argument("The kernel '{}' has no array to be sized ({} bytes asked for).", image.name,
                            sized_bytes);
  if (sized_bytes > info_.shared_memory_bytes) {
    return failed_precondition("{} cannot give the kernel '{}' so much shared memory ({} bytes, at most {}).",
                               info_.id, image.name, sized_bytes, info_.shared_memory_bytes);
  }
  if (shape.params_bytes > info_.params_bytes || shape.block_x * shape.block_y > info_.max_block_lanes) {
    return failed_precondition(
        "{} cannot run the kernel '{}': it wants {} bytes of Params and {} lanes a block (at most {} and "
        "{}).",
        info_.id, image.name, shape.params_bytes, shape.block_x * shape.block_y, info_.params_bytes,
        info_.max_block_lanes);
  }
  return ok_status();
}

// Returns the kernel's forms of the tuning table. A shape that cannot be loaded is left out:
// launches of its class then have the shape of the nearest class, or the declared one.
std::vector<Kernel::Form> Device::tuned_forms(const kernels::KernelImage& image) {
  const auto found = state_->tuning.find(image.name);
  if (found == state_->tuning.end()) return {};
  const std::vector<BlockShape> shapes = shapes_of(image, info_);
  std::vector<Kernel::Form> forms;
  for (const TunedShape& tuned : found->second) {
    const auto is_of_class = [&](const Kernel::Form& form) { return form.size_class == tuned.size_class; };
    if (std::ranges::find(shapes, tuned.block) == shapes.end() || std::ranges::any_of(forms, is_of_class))
      continue;
    const auto same = std::ranges::find(forms, tuned.block, &Kernel::Form::block);
    std::shared_ptr<KernelBackend> backend = same == forms.end() ? nullptr : same->backend;
    if (backend == nullptr && tuned.block != shapes.front()) {
      StatusOr<std::unique_ptr<KernelBackend>> loaded = state_->backend->load(image, {0, tuned.block});
      if (!loaded.ok()) continue;
      backend = *std::move(loaded);
    }
    forms.push_back({tuned.size_class, tuned.block, std::move(backend)});
  }
  std::ranges::sort(forms, {}, &Kernel::Form::size_class);
  return forms;
}

StatusOr<std::unique_ptr<Kernel>> Device::make_kernel(const kernels::KernelImage& image, size_t sized_bytes,
                                                      BlockShape block) {
  const size_t element = image.signature.element_bytes;
  const size_t array =
      element == 0 ? 0 : std::max((sized_bytes + element - 1) / element, size_t{1}) * element;
  const bool is_shaped = block != BlockShape{};
  if (!is_shaped) block = {image.signature.block_x, image.signature.block_y};
  ASSIGN_OR_RETURN(std::unique_ptr<KernelBackend> backend,
                   state_->backend->load(image, {static_cast<uint32_t>(array), block}));
  return std::make_unique<Kernel>(std::move(backend), this, std::string(image.name),
                                  Kernel::Shape{block.x, block.y, image.signature.params_bytes},
                                  is_shaped ? std::vector<Kernel::Form>() : tuned_forms(image));
}

StatusOr<const Kernel*> Device::load(std::string_view name, size_t sized_bytes) {
  const std::lock_guard lock(state_->kernels_mutex);
  const KernelKey key{std::string(name), sized_bytes, {}};
  if (const auto found = state_->kernels.find(key); found != state_->kernels.end())
    return found->second.get();
  const kernels::KernelImage* image = kernels::find_kernel(name);
  if (image == nullptr) return no_such_kernel(name);
  RETURN_IF_ERROR(check_loadable(*image, sized_bytes));
  ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, make_kernel(*image, sized_bytes, {}));
  return state_->kernels.emplace(key, std::move(kernel)).first->second.get();
}

StatusOr<const Kernel*> Device::load_shaped(std::string_view name, BlockShape block) {
  const std::lock_guard lock(state_->kernels_mutex);
  const KernelKey key{std::string(name), 0, {block.x, block.y}};
  if (const auto found = state_->kernels.find(key); found != state_->kernels.end())
    return found->second.get();
  const kernels::KernelImage* image = kernels::find_kernel(name);
  if (image == nullptr) return no_such_kernel(name);
  RETURN_IF_ERROR(check_loadable(*image, 0));
  const std::vector<BlockShape> shapes = shapes_of(*image, info_);
  if (!image->is_tunable || std::ranges::find(shapes, block) == shapes.end()) {
    std::vector<std::string> there;
    for (const BlockShape shape : shapes) there.push_back(to_string(shape));
    return invalid_argument("The kernel '{}' has no blocks of {} on {}; there are: {}.", name,
                            to_string(block), info_.id, fmt::join(there, ", "));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, make_kernel(*image, 0, block));
  return state_->kernels.emplace(key, std::move(kernel)).first->second.get();
}

void Device::set_tuning(ShapeTable shapes) {
  const std::lock_guard lock(state_->kernels_mutex);
  const auto entries = [](const ShapeTable& table, const std::string& name) {
    const auto found = table.find(name);
    return found == table.end() ? std::vector<TunedShape>() : found->second;
  };
  for (auto it = state_->kernels.begin(); it != state_->kernels.end();) {
    const KernelKey& key = it->first;
    const bool stays = key.block.first != 0 || entries(shapes, key.name) == entries(state_->tuning, key.name);
    if (stays) {
      ++it;
      continue;
    }
    state_->retired.push_back(std::move(it->second));
    it = state_->kernels.erase(it);
  }
  state_->tuning = std::move(shapes);
}

}  // namespace weft::device
