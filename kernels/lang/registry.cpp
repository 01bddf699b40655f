// SPDX-License-Identifier: Apache-2.0
#include "kernels/lang/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include <dlfcn.h>

#include "kernels/lang/family.h"

namespace weft::kernels {

extern const std::span<const KernelImage> kEmbeddedKernels;  // defined in the generated table
// Returns the names of the families that are modules. Defined in the generated table; tests may
// replace it.
std::span<const std::string_view> module_table();

namespace {

struct Module {
  std::span<const KernelImage> kernels;
  std::string fault;
};

Module open_module(std::string_view family) {
  const std::filesystem::path path = modules_folder() / ("weft-kernels-" + std::string(family) + ".so");
  const std::string name(family);
  const std::string remedy =
      "; build them with `scripts/build " + name + "_kernels`, or install them next to the program.";
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      return {{}, "The kernels of " + name + " are not there (" + path.string() + ")" + remedy};
    return {{}, "The kernels of " + name + " cannot be opened (" + ::dlerror() + ")" + remedy};
  }
  const auto* const opened = static_cast<const KernelFamily*>(::dlsym(library, "weft_kernel_family"));
  if (opened == nullptr || std::strcmp(opened->stamp, kKernelStamp) != 0) {
    ::dlclose(library);
    return {
        {},
        "The kernels of " + name + " are of another build than the program (" + path.string() + ")" + remedy};
  }
  return {opened->kernels, ""};
}

std::string_view family_of(std::string_view name) { return name.substr(0, name.find('/')); }

// Returns nullopt if the family is not a module. The function tries again to open a module that
// could not be opened, because it may have been built since.
std::optional<Module> find_module(std::string_view family) {
  const std::span<const std::string_view> modules = module_table();
  if (std::ranges::find(modules, family) == modules.end()) return std::nullopt;
  static std::mutex mutex;
  // This map is never destroyed, because threads may outlive main().
  static auto& opened = *new std::map<std::string, Module, std::less<>>;
  const std::lock_guard lock(mutex);
  if (const auto found = opened.find(family); found != opened.end()) return found->second;
  Module module = open_module(family);
  if (module.fault.empty()) opened.emplace(family, module);
  return module;
}

}  // namespace

std::span<const KernelImage> embedded_kernels() { return kEmbeddedKernels; }

std::span<const std::string_view> kernel_modules() { return module_table(); }

std::span<const KernelImage> kernels_of(std::string_view family) {
  if (const auto module = find_module(family)) return module->kernels;
  const auto [first, last] = std::ranges::equal_range(
      kEmbeddedKernels, family, {}, [](const KernelImage& image) { return family_of(image.name); });
  return {first, last};
}

const KernelImage* find_kernel(std::string_view name) {
  const auto kernels = kernels_of(family_of(name));
  const auto found = std::ranges::find(kernels, name, &KernelImage::name);
  return found == kernels.end() ? nullptr : &*found;
}

std::filesystem::path modules_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "lib" / "weft";
}

std::string_view kernel_stamp() { return kKernelStamp; }

std::string why_not_opened(std::string_view name) {
  const auto module = find_module(family_of(name));
  return module ? module->fault : "";
}

int KernelImage::tuned_value(std::string_view macro) const {
  for (const TunedValue& each : tuned)
    if (each.name == macro) return each.value;
  std::fprintf(stderr, "The kernel %.*s has no tuned %.*s.\n", int(name.size()), name.data(),
               int(macro.size()), macro.data());
  std::abort();
}

}  // namespace weft::kernels
