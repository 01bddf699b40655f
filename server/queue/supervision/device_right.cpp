// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/device_right.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::queue {
namespace {

constexpr mode_t kOfGroup = 0060;
constexpr mode_t kOfOthers = 0006;
constexpr size_t kUserBytes = size_t{16} << 10;  // bytes of an entry of the user database
constexpr int kMostGroups = 65536;               // limit of a user's groups in Linux

// Returns the first path, in order, of a name that consists of the prefix and a number, or an empty
// string.
std::string first_node(const std::string& folder, std::string_view prefix) {
  std::error_code error;
  std::string first;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const bool has_number = std::all_of(name.begin() + ptrdiff_t(prefix.size()), name.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
    if (has_number && (first.empty() || entry->path().string() < first)) first = entry->path().string();
  }
  return first;
}

std::string node_of(const v1::DeviceStatus& device, const std::string& nodes) {
  if (device.kind() == v1::DEVICE_KIND_CUDA) return first_node(nodes, "nvidia");
  if (device.kind() == v1::DEVICE_KIND_VULKAN) return first_node(nodes + "/dri", "renderD");
  return "";
}

}  // namespace

bool DeviceRight::is_everybodys() const { return (mode & kOfOthers) == kOfOthers; }

DeviceRight right_to_use(const v1::DeviceStatus& device, const std::string& nodes) {
  const std::string node = node_of(device, nodes);
  struct stat info {};
  if (node.empty() || ::stat(node.c_str(), &info) != 0 ||
      ::faccessat(AT_FDCWD, node.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
    return {};
  return {info.st_uid, info.st_gid, info.st_mode & (kOfGroup | kOfOthers)};
}

bool may_use(const DeviceRight& right, uid_t user, std::span<const gid_t> groups) {
  if (right.is_everybodys() || user == 0 || user == right.owner) return true;
  return (right.mode & kOfGroup) == kOfGroup && std::ranges::count(groups, right.group) > 0;
}

bool may_use(const DeviceRight& right, uid_t user) {
  std::vector<char> buffer(kUserBytes);
  std::vector<gid_t> groups;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    groups.resize(kMostGroups);
    int count = kMostGroups;
    ::getgrouplist(found->pw_name, found->pw_gid, groups.data(), &count);
    groups.resize(size_t(std::clamp(count, 0, kMostGroups)));
  }
  return may_use(right, user, groups);
}

std::string name_of_user(uid_t user) {
  std::vector<char> buffer(kUserBytes);
  passwd entry{};
  passwd* found = nullptr;
  const bool is_known =
      ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_known ? fmt::format("{} (user id {})", found->pw_name, user) : fmt::format("user id {}", user);
}

}  // namespace weft::queue
