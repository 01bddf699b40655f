// SPDX-License-Identifier: Apache-2.0
#include "server/device/vulkan/instance.h"

#include <algorithm>
#include <mutex>

namespace weft::device::vulkan {
namespace {

Status make_instance() {
  if (volkInitialize() != VK_SUCCESS)
    return unavailable("There is no Vulkan loader (libvulkan.so.1); install it to use GPUs through Vulkan.");
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2)
    return unavailable(
        "The Vulkan loader is older than 1.2; install a newer one to use GPUs through Vulkan.");
  VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "weft";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult result = vkCreateInstance(&info, nullptr, &instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return unavailable("There is a Vulkan loader, but no Vulkan driver; install the GPU's to use it.");
  RETURN_IF_ERROR(status_of(result, "vkCreateInstance"));
  volkLoadInstanceOnly(instance);
  return ok_status();
}

std::string hex_of(const uint8_t (&bytes)[VK_UUID_SIZE]) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// Returns the index of the largest heap of the device's own memory.
uint32_t device_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  uint32_t largest = 0;
  const auto bytes_of = [&](uint32_t heap) {
    const bool is_of_device = (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    return is_of_device ? memory.memoryHeaps[heap].size : 0;
  };
  for (uint32_t heap = 1; heap < memory.memoryHeapCount; heap++)
    if (bytes_of(heap) > bytes_of(largest)) largest = heap;
  return largest;
}

size_t device_memory_bytes(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  return memory.memoryHeaps[device_heap(memory)].size;
}

bool has_extension(VkPhysicalDevice physical, std::string_view name) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
  extensions.resize(count);
  return std::ranges::any_of(extensions,
                             [&](const auto& extension) { return name == extension.extensionName; });
}

// Returns the number of compute units, which only vendors' extensions report.
uint32_t compute_units_of(VkPhysicalDevice physical) {
  constexpr uint32_t kUnitsOfUnknown = 32;
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCorePropertiesAMD amd{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  const bool is_nvidia = has_extension(physical, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
  if (is_nvidia)
    properties.pNext = &nvidia;
  else if (has_extension(physical, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
    properties.pNext = &amd;
  else
    return kUnitsOfUnknown;
  vkGetPhysicalDeviceProperties2(physical, &properties);
  const uint32_t units =
      is_nvidia ? nvidia.shaderSMCount
                : amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
  return std::max(units, 1u);
}

}  // namespace

Features::Features() {
  core.pNext = &v11;
  v11.pNext = &v12;
}

// Visits the required features, for check_usable() and need_all().
template <class Visit>
void for_each_needed(Features& features, Visit visit) {
  visit(features.core.features.shaderInt16, "shaderInt16");
  visit(features.core.features.shaderInt64, "shaderInt64");
  visit(features.v11.storageBuffer16BitAccess, "storageBuffer16BitAccess");
  visit(features.v12.storageBuffer8BitAccess, "storageBuffer8BitAccess");
  visit(features.v12.shaderInt8, "shaderInt8");
  visit(features.v12.shaderFloat16, "shaderFloat16");
  visit(features.v12.scalarBlockLayout, "scalarBlockLayout");
  visit(features.v12.bufferDeviceAddress, "bufferDeviceAddress");
  visit(features.v12.timelineSemaphore, "timelineSemaphore");
}

void Features::need_all() {
  for_each_needed(*this, [](VkBool32& feature, std::string_view) { feature = VK_TRUE; });
}

StatusOr<std::vector<VkPhysicalDevice>> physical_devices() {
  static std::once_flag once;
  static Status made;
  std::call_once(once, [] { made = make_instance(); });
  RETURN_IF_ERROR(made);
  uint32_t count = 0;
  RETURN_IF_ERROR(status_of(vkEnumeratePhysicalDevices(volkGetLoadedInstance(), &count, nullptr),
                            "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> devices(count);
  const VkResult result = vkEnumeratePhysicalDevices(volkGetLoadedInstance(), &count, devices.data());
  if (result != VK_INCOMPLETE) RETURN_IF_ERROR(status_of(result, "vkEnumeratePhysicalDevices"));
  devices.resize(count);
  return devices;
}

// Returns the queue families. A compute family without graphics is preferred, since its queues run
// concurrently with the desktop's.
QueueFamilies find_queue_families(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  QueueFamilies found;
  int best_score = -1;
  for (uint32_t i = 0; i < count; i++) {
    const VkQueueFamilyProperties& family = families[i];
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    const int score =
        (family.timestampValidBits > 0 ? 2 : 0) + ((family.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0 ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    found.compute = i;
    found.compute_queues = family.queueCount;
    found.timestamp_bits = family.timestampValidBits;
  }
  for (uint32_t i = 0; i < count; i++) {
    const VkQueueFlags kinds =
        families[i].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT);
    if (kinds != VK_QUEUE_TRANSFER_BIT || families[i].timestampValidBits != found.timestamp_bits) continue;
    found.transfer = i;
    found.transfer_queues = families[i].queueCount;
    break;
  }
  return found;
}

Status check_usable(VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical, &properties);
  const uint32_t version = properties.apiVersion;
  if (version < VK_API_VERSION_1_2) {
    return failed_precondition("'{}' has Vulkan {}.{}, and 1.2 is needed; a newer driver may help.",
                               properties.deviceName, VK_API_VERSION_MAJOR(version),
                               VK_API_VERSION_MINOR(version));
  }
  Features features;
  vkGetPhysicalDeviceFeatures2(physical, &features.core);
  std::vector<std::string_view> missing;
  for_each_needed(features, [&](VkBool32 feature, std::string_view name) {
    if (feature == VK_FALSE) missing.push_back(name);
  });
  if (find_queue_families(physical).compute_queues == 0) missing.push_back("compute queues");
  if (missing.empty()) return ok_status();
  return failed_precondition("'{}' lacks what kernels need of Vulkan ({}); a newer driver may help.",
                             properties.deviceName, fmt::join(missing, ", "));
}

DeviceInfo describe(VkPhysicalDevice physical, size_t index) {
  VkPhysicalDeviceVulkan11Properties v11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
                                         .pNext = &v11};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &v12};
  vkGetPhysicalDeviceProperties2(physical, &properties);
  const VkPhysicalDeviceLimits& limits = properties.properties.limits;
  const QueueFamilies families = find_queue_families(physical);
  DeviceInfo info;
  info.kind = BackendKind::kVulkan;
  info.id = fmt::format("vulkan:{}", index);
  info.name = properties.properties.deviceName;
  info.uuid = hex_of(v11.deviceUUID);
  info.driver = fmt::format("{} {}", v12.driverName, v12.driverInfo);
  info.is_software = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  info.memory_bytes = device_memory_bytes(physical);
  info.max_buffer_bytes = std::min<size_t>(v11.maxMemoryAllocationSize, info.memory_bytes);
  std::ranges::copy(limits.maxComputeWorkGroupCount, info.max_blocks);
  info.max_block_lanes = limits.maxComputeWorkGroupInvocations;
  info.shared_memory_bytes = limits.maxComputeSharedMemorySize;
  // Vulkan does not report this size. An H200 (driver 580) has 100 KiB on queues without graphics,
  // and a block may have 48 KiB.
  info.unit_shared_memory_bytes = 2 * info.shared_memory_bytes;
  info.compute_units = info.is_software ? 1 : compute_units_of(physical);
  info.params_bytes = std::min(128u, limits.maxPushConstantsSize);
  info.subgroup_lanes = v11.subgroupSize;
  info.copy_engines = families.transfer_queues;
  info.timestamp_resolution_ns = families.timestamp_bits > 0 ? limits.timestampPeriod : 0;
  return info;
}

std::optional<size_t> memory_used_by_all_bytes(VkPhysicalDevice physical) {
  if (!has_extension(physical, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)) return std::nullopt;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                           .pNext = &budget};
  vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
  const uint32_t heap = device_heap(memory.memoryProperties);
  const VkDeviceSize all = memory.memoryProperties.memoryHeaps[heap].size;
  return all - std::min(budget.heapBudget[heap], all) + budget.heapUsage[heap];
}

}  // namespace weft::device::vulkan
