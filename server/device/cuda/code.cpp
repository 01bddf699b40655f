// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/code.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "kernels/lang/registry.h"

namespace weft::device::cuda {

namespace {

constexpr std::string_view kSelfTest = "device";  // family of the kernels of the self-test

std::filesystem::path code_folder() { return kernels::modules_folder() / "cuda"; }

std::optional<std::string> contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Status check_family(std::string_view family) {
  const std::filesystem::path folder = code_folder() / family;
  const auto stamp = contents_of(folder / "stamp");
  if (!stamp)
    return not_found(
        "The CUDA code of the kernels of {} is not there ({}); install the package "
        "weft-kernels-cuda, or build with the CUDA toolkit.",
        family, folder.string());
  if (*stamp != kernels::kernel_stamp())
    return failed_precondition(
        "The CUDA code of the kernels of {} is of another build than the program ({}); install "
        "weft-kernels-cuda of the program's version.",
        family, folder.string());
  return ok_status();
}

}  // namespace

StatusOr<std::string> read_code(std::string_view kernel) {
  RETURN_IF_ERROR(check_family(kernel.substr(0, kernel.find('/'))));
  const std::filesystem::path path = code_folder() / (std::string(kernel) + ".fatbin");
  auto code = contents_of(path);
  if (!code) return not_found("The kernel '{}' has no CUDA code ({}).", kernel, path.string());
  return *std::move(code);
}

Status check_code() { return check_family(kSelfTest); }

std::vector<std::string> code_targets() {
  std::ifstream file(code_folder() / kSelfTest / "targets");
  return {std::istream_iterator<std::string>(file), {}};
}

}  // namespace weft::device::cuda
