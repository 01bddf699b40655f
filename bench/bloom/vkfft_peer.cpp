// SPDX-License-Identifier: Apache-2.0
// Implements VkFFT (Debian's 1.2.26) as a peer of bloom_bench, through Vulkan.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <volk.h>

// Replaces the type of glslang's limits in VkFFT, which sets them by position. glslang 12 inserted
// some limits in the middle, so the values of VkFFT are ignored and the address operator returns
// glslang's own defaults.
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
struct LimitsOfVkfft {
  int numbers[93];
  glslang_limits_t loops;
  const glslang_resource_t* operator&() const { return glslang_default_resource(); }
};
#define glslang_resource_t LimitsOfVkfft
#define VKFFT_BACKEND 0  // Vulkan, which volk has declared
#include <vkFFT.h>
#undef glslang_resource_t

#include "bench/bloom/way.h"

namespace weft::bench {
namespace {

std::string text_of(VkResult result, const char* call) {
  return result == VK_SUCCESS ? "" : fmt::format("{} returned {}", call, int(result));
}
std::string text_of(VkFFTResult result, const char* call) {
  return result == VKFFT_SUCCESS ? "" : fmt::format("{} returned {}", call, int(result));
}
#define RETURN_IF_TROUBLE(call) \
  if (std::string trouble_ = text_of(call, #call); !trouble_.empty()) return trouble_

// A device separate from Weft's, which stays open until the program ends. Vulkan's global
// functions, which VkFFT uses and Weft does not, then refer to this device.
struct Gpu {
  std::string uuid;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  double tick_ns = 1;
};

std::string find_physical(Gpu& gpu) {
  uint32_t count = 0;
  RETURN_IF_TROUBLE(vkEnumeratePhysicalDevices(volkGetLoadedInstance(), &count, nullptr));
  std::vector<VkPhysicalDevice> all(count);
  RETURN_IF_TROUBLE(vkEnumeratePhysicalDevices(volkGetLoadedInstance(), &count, all.data()));
  for (const VkPhysicalDevice physical : all) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(physical, &properties);
    if (fmt::format("{:02x}", fmt::join(id.deviceUUID, "")) != gpu.uuid) continue;
    gpu.physical = physical;
    gpu.tick_ns = properties.properties.limits.timestampPeriod;
  }
  return gpu.physical == VK_NULL_HANDLE ? "Vulkan does not see the device" : "";
}

std::string open_gpu(Gpu& gpu) {
  if (std::string trouble = find_physical(gpu); !trouble.empty()) return trouble;
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(gpu.physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(gpu.physical, &count, families.data());
  const auto found = std::ranges::find_if(families, [](const VkQueueFamilyProperties& family) {
    return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && family.timestampValidBits != 0;
  });
  if (found == families.end()) return "the device has no queue for computing";
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = uint32_t(found - families.begin());
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  RETURN_IF_TROUBLE(vkCreateDevice(gpu.physical, &info, nullptr, &gpu.device));
  volkLoadDevice(gpu.device);
  vkGetDeviceQueue(gpu.device, queue.queueFamilyIndex, 0, &gpu.queue);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = queue.queueFamilyIndex;
  RETURN_IF_TROUBLE(vkCreateCommandPool(gpu.device, &pool, nullptr, &gpu.pool));
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return text_of(vkCreateFence(gpu.device, &fence, nullptr, &gpu.fence), "vkCreateFence");
}

// Opens the GPU with this UUID. Only one GPU is open, because problems are measured on one GPU at a
// time.
std::string use_gpu(const std::string& uuid, Gpu*& gpu) {
  static Gpu open;
  gpu = &open;
  if (open.uuid == uuid) return "";
  if (open.device != VK_NULL_HANDLE) return "VkFFT is measured on one device a run";
  open.uuid = uuid;
  glslang_initialize_process();
  return open_gpu(open);
}

// A buffer and its memory.
struct Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (buffer != VK_NULL_HANDLE) vkDestroyBuffer(device, buffer, nullptr);
    if (memory != VK_NULL_HANDLE) vkFreeMemory(device, memory, nullptr);
  }

  std::string make(const Gpu& gpu, uint64_t size, bool is_host) {
    device = gpu.device;
    bytes = size;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    RETURN_IF_TROUBLE(vkCreateBuffer(device, &info, nullptr, &buffer));
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties kinds{};
    vkGetPhysicalDeviceMemoryProperties(gpu.physical, &kinds);
    const VkMemoryPropertyFlags wanted =
        is_host ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    while (allocation.memoryTypeIndex < kinds.memoryTypeCount &&
           ((needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) == 0 ||
            (kinds.memoryTypes[allocation.memoryTypeIndex].propertyFlags & wanted) != wanted))
      allocation.memoryTypeIndex++;
    if (allocation.memoryTypeIndex == kinds.memoryTypeCount) return "the device has no such memory";
    RETURN_IF_TROUBLE(vkAllocateMemory(device, &allocation, nullptr, &memory));
    RETURN_IF_TROUBLE(vkBindBufferMemory(device, buffer, memory, 0));
    return is_host ? text_of(vkMapMemory(device, memory, 0, size, 0, &host), "vkMapMemory") : "";
  }

  VkDevice device = VK_NULL_HANDLE;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t bytes = 0;
  void* host = nullptr;
};

class Vkfft final : public Way {
 public:
  Vkfft(const Problem& problem, const VkfftMode& mode)
      : problem_(problem),
        mode_(mode),
        features_(mode.is_real ? Problem::kChannels : 2),
        frames_at_once_(mode.is_one_launch ? problem.frames : 1) {}
  ~Vkfft() override {
    if (has_plan_) deleteVkFFT(&plan_);
    if (queries_ != VK_NULL_HANDLE) vkDestroyQueryPool(gpu_->device, queries_, nullptr);
    if (commands_ != VK_NULL_HANDLE) vkFreeCommandBuffers(gpu_->device, gpu_->pool, 1, &commands_);
  }

  std::string make(const std::string& uuid) {
    if (std::string trouble = use_gpu(uuid, gpu_); !trouble.empty()) return trouble;
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = gpu_->pool;
    info.commandBufferCount = 1;
    RETURN_IF_TROUBLE(vkAllocateCommandBuffers(gpu_->device, &info, &commands_));
    VkQueryPoolCreateInfo queries{};
    queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2;
    RETURN_IF_TROUBLE(vkCreateQueryPool(gpu_->device, &queries, nullptr, &queries_));
    const uint64_t bytes = plane_bytes() * uint64_t(features_) * uint64_t(frames_at_once_);
    for (Memory* memory : {&data_, &kernel_})
      if (std::string trouble = memory->make(*gpu_, bytes, false); !trouble.empty()) return trouble;
    if (std::string trouble = staging_.make(*gpu_, bytes, true); !trouble.empty()) return trouble;
    if (std::string trouble = make_kernel(); !trouble.empty()) return trouble;
    return make_plan();
  }

  std::string convolve(std::vector<uint16_t>& pixels) override {
    write_frames();
    if (std::string trouble = copy(data_, staging_); !trouble.empty()) return trouble;
    if (std::string trouble = execute([&] { return append(plan_, data_); }); !trouble.empty()) return trouble;
    if (std::string trouble = copy(staging_, data_); !trouble.empty()) return trouble;
    read_frame(pixels);
    return "";
  }

  std::string measure(int iterations, double& us) override {
    // The frames are written again, because repeated convolution would grow without bounds.
    write_frames();
    if (std::string trouble = copy(data_, staging_); !trouble.empty()) return trouble;
    const int launches = iterations * problem_.frames / frames_at_once_;
    std::string trouble = execute([&]() -> std::string {
      vkCmdResetQueryPool(commands_, queries_, 0, 2);
      vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 0);
      for (int i = 0; i < launches; i++)
        if (std::string text = append(plan_, data_); !text.empty()) return text;
      vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 1);
      return "";
    });
    if (!trouble.empty()) return trouble;
    uint64_t ticks[2] = {0, 0};
    RETURN_IF_TROUBLE(vkGetQueryPoolResults(gpu_->device, queries_, 0, 2, sizeof(ticks), ticks, 8,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    us = double(ticks[1] - ticks[0]) * gpu_->tick_ns / 1e3 / iterations;
    return "";
  }

 private:
  // Returns the row stride in floats. The half spectrum of a real row is longer than the row.
  size_t row_floats() const {
    return 2 * size_t(mode_.is_real ? problem_.points_x / 2 + 1 : problem_.points_x);
  }
  uint64_t plane_bytes() const { return row_floats() * uint64_t(problem_.points_y) * sizeof(float); }
  float* address(int frame, int feature, int y) const {
    const size_t plane = size_t(frame) * size_t(features_) + size_t(feature);
    return static_cast<float*>(staging_.host) +
           (plane * size_t(problem_.points_y) + size_t(y)) * row_floats();
  }

  VkFFTConfiguration configuration() {
    VkFFTConfiguration c{};
    c.FFTdim = 2;
    c.size[0] = uint64_t(problem_.points_x);
    c.size[1] = uint64_t(problem_.points_y);
    c.size[2] = 1;
    c.physicalDevice = &gpu_->physical;
    c.device = &gpu_->device;
    c.queue = &gpu_->queue;
    c.commandPool = &gpu_->pool;
    c.fence = &gpu_->fence;
    c.isCompilerInitialized = 1;
    c.performR2C = mode_.is_real ? 1 : 0;
    c.coordinateFeatures = uint64_t(features_);
    c.numberBatches = uint64_t(frames_at_once_);
    c.normalize = 1;
    c.bufferNum = 1;
    c.bufferSize = &data_.bytes;
    c.buffer = &data_.buffer;
    return c;
  }

  std::string make_kernel() {
    std::memset(staging_.host, 0, staging_.bytes);
    for (int frame = 0; frame < frames_at_once_; frame++)
      for (int feature = 0; feature < features_; feature++) {
        const int channel = problem_.has_channel_kernels ? feature : 0;
        const std::vector<Complex> plane = kernel_plane(problem_, channel, channel, 1, 1);
        for (int y = 0; y < problem_.points_y; y++)
          for (int x = 0; x < problem_.points_x; x++)
            address(frame, feature, y)[mode_.is_real ? x : 2 * x] =
                plane[size_t(y) * size_t(problem_.points_x) + size_t(x)].x;
      }
    if (std::string trouble = copy(kernel_, staging_); !trouble.empty()) return trouble;
    VkFFTConfiguration c = configuration();
    c.kernelConvolution = 1;
    c.buffer = &kernel_.buffer;
    VkFFTApplication plan{};
    RETURN_IF_TROUBLE(initializeVkFFT(&plan, c));
    std::string trouble = execute([&] { return append(plan, kernel_); });
    deleteVkFFT(&plan);
    return trouble;
  }

  std::string make_plan() {
    VkFFTConfiguration c = configuration();
    c.performConvolution = 1;
    c.kernelNum = 1;
    c.kernel = &kernel_.buffer;
    c.kernelSize = &kernel_.bytes;
    if (mode_.skips_zeros) {
      c.performZeropadding[0] = c.performZeropadding[1] = 1;
      c.fft_zeropad_left[0] = uint64_t(problem_.width);
      c.fft_zeropad_right[0] = uint64_t(problem_.points_x);
      c.fft_zeropad_left[1] = uint64_t(problem_.height);
      c.fft_zeropad_right[1] = uint64_t(problem_.points_y);
    }
    RETURN_IF_TROUBLE(initializeVkFFT(&plan_, c));
    has_plan_ = true;
    return "";
  }

  std::string append(VkFFTApplication& plan, Memory& data) {
    VkFFTLaunchParams launch{};
    launch.commandBuffer = &commands_;
    launch.buffer = &data.buffer;
    return text_of(VkFFTAppend(&plan, -1, &launch), "VkFFTAppend");
  }

  // Records the commands that `record` appends, executes them and waits for them.
  template <class Record>
  std::string execute(Record&& record) {
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    RETURN_IF_TROUBLE(vkBeginCommandBuffer(commands_, &begin));
    std::string trouble = record();
    RETURN_IF_TROUBLE(vkEndCommandBuffer(commands_));
    if (!trouble.empty()) return trouble;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    RETURN_IF_TROUBLE(vkQueueSubmit(gpu_->queue, 1, &submit, gpu_->fence));
    RETURN_IF_TROUBLE(vkWaitForFences(gpu_->device, 1, &gpu_->fence, VK_TRUE, UINT64_MAX));
    return text_of(vkResetFences(gpu_->device, 1, &gpu_->fence), "vkResetFences");
  }

  std::string copy(const Memory& to, const Memory& from) {
    return execute([&] {
      const VkBufferCopy all{0, 0, from.bytes};
      vkCmdCopyBuffer(commands_, from.buffer, to.buffer, 1, &all);
      return std::string();
    });
  }

  void write_frames() {
    std::memset(staging_.host, 0, staging_.bytes);
    const auto width = size_t(problem_.width);
    for (int frame = 0; frame < frames_at_once_; frame++)
      for (int y = 0; y < problem_.height; y++)
        for (size_t x = 0; x < width; x++)
          for (int c = 0; c < Problem::kChannels; c++) {
            const float value = of_half(problem_.pixels[(size_t(y) * width + x) * 4 + size_t(c)]);
            if (mode_.is_real)
              address(frame, c, y)[x] = value;
            else
              address(frame, c / 2, y)[2 * x + size_t(c % 2)] = value;
          }
  }

  void read_frame(std::vector<uint16_t>& pixels) const {
    const auto width = size_t(problem_.width);
    pixels.assign(problem_.pixels.size(), 0);
    for (int y = 0; y < problem_.height; y++)
      for (size_t x = 0; x < width; x++)
        for (int c = 0; c < Problem::kChannels; c++) {
          const int frame = frames_at_once_ - 1;
          const float value =
              mode_.is_real ? address(frame, c, y)[x] : address(frame, c / 2, y)[2 * x + size_t(c % 2)];
          pixels[(size_t(y) * width + x) * 4 + size_t(c)] =
              std::bit_cast<uint16_t>(static_cast<_Float16>(value));
        }
  }

  const Problem problem_;
  const VkfftMode mode_;
  const int features_, frames_at_once_;
  Gpu* gpu_ = nullptr;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  Memory data_, kernel_, staging_;
  VkFFTApplication plan_{};
  bool has_plan_ = false;
};

}  // namespace

Made make_vkfft(const Problem& problem, const VkfftMode& mode, const std::string& uuid) {
  auto way = std::make_unique<Vkfft>(problem, mode);
  if (std::string trouble = way->make(uuid); !trouble.empty()) return {nullptr, std::move(trouble)};
  return {std::move(way), ""};
}

}  // namespace weft::bench
