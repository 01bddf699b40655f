// SPDX-License-Identifier: Apache-2.0
#include "server/device/vulkan/kernel.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/log.h"

namespace weft::device::vulkan {
namespace {

uint64_t hash_of(std::span<const std::byte> bytes) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : bytes) hash = (hash ^ std::to_integer<uint64_t>(b)) * 0x100000001b3;
  return hash;
}

}  // namespace

StatusOr<std::unique_ptr<VulkanKernel>> VulkanKernel::make(Context& context,
                                                           const kernels::KernelImage& image,
                                                           KernelForm form) {
  auto kernel = std::make_unique<VulkanKernel>(context, form.block);
  VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_info.codeSize = image.spirv.size();
  module_info.pCode = reinterpret_cast<const uint32_t*>(image.spirv.data());
  VkShaderModule module = VK_NULL_HANDLE;
  RETURN_IF_ERROR(status_of(context.vk.vkCreateShaderModule(context.device, &module_info, nullptr, &module),
                            "vkCreateShaderModule"));
  VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  // The kernel's constants: the number of elements of a TEAM_KERNEL's array, or the block of a
  // tunable kernel (lang.h).
  const uint32_t elements = form.sized_bytes == 0 ? 0 : form.sized_bytes / image.signature.element_bytes;
  const uint32_t values[3] = {elements, form.block.x, form.block.y};
  VkSpecializationMapEntry entries[3];
  for (uint32_t i = 0; i < 3; i++) entries[i] = {i, i * uint32_t(sizeof(uint32_t)), sizeof(uint32_t)};
  const VkSpecializationInfo sized{1, &entries[0], sizeof(values), values};
  const VkSpecializationInfo shaped{2, &entries[1], sizeof(values), values};
  if (form.sized_bytes != 0) info.stage.pSpecializationInfo = &sized;
  if (image.is_tunable) info.stage.pSpecializationInfo = &shaped;
  info.layout = context.layout;
  const VkResult result = context.vk.vkCreateComputePipelines(context.device, context.cache, 1, &info,
                                                              nullptr, &kernel->pipeline_);
  context.vk.vkDestroyShaderModule(context.device, module, nullptr);
  RETURN_IF_ERROR(status_of(result, "vkCreateComputePipelines"));
  return kernel;
}

VulkanKernel::~VulkanKernel() { context_.vk.vkDestroyPipeline(context_.device, pipeline_, nullptr); }

PipelineCache::PipelineCache(const std::string& folder, const DeviceInfo& info) {
  if (folder.empty()) return;
  const uint64_t driver = hash_of(std::as_bytes(std::span(info.driver)));
  path_ = (std::filesystem::path(folder) / fmt::format("vulkan-{}-{:016x}.pipelines", info.uuid, driver))
              .string();
}

// Returns the driver's data, which follows its hash in the file.
std::vector<std::byte> PipelineCache::read() const {
  std::ifstream file(path_, std::ios::binary | std::ios::ate);
  if (path_.empty() || !file) return {};
  const auto size = static_cast<std::streamoff>(file.tellg());
  uint64_t hash = 0;
  if (size <= static_cast<std::streamoff>(sizeof(hash))) return {};
  std::vector<std::byte> pipelines(static_cast<size_t>(size) - sizeof(hash));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&hash), sizeof(hash));
  file.read(reinterpret_cast<char*>(pipelines.data()), static_cast<std::streamsize>(pipelines.size()));
  if (file && hash == hash_of(pipelines)) return pipelines;
  log_warning("The cache of compiled kernels '{}' is damaged; they are compiled anew.", path_);
  return {};
}

void PipelineCache::write(std::span<const std::byte> pipelines) const {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  const std::string temporary = fmt::format("{}.{}", path_, getpid());
  const uint64_t hash = hash_of(pipelines);
  std::ofstream file(temporary, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&hash), sizeof(hash));
  file.write(reinterpret_cast<const char*>(pipelines.data()), static_cast<std::streamsize>(pipelines.size()));
  file.close();
  if (file) std::filesystem::rename(temporary, path_, error);
  if (file && !error) return;
  std::filesystem::remove(temporary, error);
  log_warning(
      "The cache of compiled kernels '{}' cannot be written; they are compiled anew at the next start.",
      path_);
}

}  // namespace weft::device::vulkan
