// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/device_choice.h"

#include <set>

#include "options/segments.h"

namespace weft::queue {
namespace {

std::vector<std::string> ids_of(std::string_view preference) {
  std::vector<std::string> ids;
  while (true) {
    const size_t comma = preference.find(',');
    std::string_view id = preference.substr(0, comma);
    while (id.starts_with(' ')) id.remove_prefix(1);
    while (id.ends_with(' ')) id.remove_suffix(1);
    ids.emplace_back(id);
    if (comma == std::string_view::npos) return ids;
    preference.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string preference_of(const v1::JobSettings& settings) {
  if (settings.devices().empty()) return settings.device();
  return fmt::format("{}", fmt::join(ids_of(settings.devices()), ","));
}

bool names_several(std::string_view preference) {
  return preference == kAllDevices || preference.find(',') != std::string_view::npos;
}

bool names_device(std::string_view preference, std::string_view device) {
  for (const std::string& id : ids_of(preference))
    if (id == device) return true;
  return false;
}

bool permits(std::string_view preference, std::string_view device, bool is_gpu, bool only_by_name) {
  if (preference.empty()) return !only_by_name;
  if (preference == kAllDevices) return is_gpu && !only_by_name;
  return names_device(preference, device);
}

Status check_devices(const v1::JobSpec& spec, const v1::JobSettings& settings) {
  if (settings.devices().empty()) return ok_status();
  if (!settings.device().empty())
    return invalid_argument("The settings have a device ({}) and devices ({}); leave one out.",
                            settings.device(), settings.devices());
  if (!options::works_in_segments(spec))
    return invalid_argument("Only a video can be rendered on several devices (devices: {}); use device.",
                            settings.devices());
  const std::vector<std::string> ids = ids_of(settings.devices());
  if (ids.size() > size_t{kMostDevices})
    return invalid_argument("The settings have too many devices ({}, at most {}).", ids.size(), kMostDevices);
  std::set<std::string> seen;
  for (const std::string& id : ids) {
    if (id.empty())
      return invalid_argument("An id is empty in devices ({}); separate ids by single commas.",
                              settings.devices());
    if (!seen.insert(id).second)
      return invalid_argument("A device ({}) occurs twice in devices ({}).", id, settings.devices());
    if (id == kAllDevices && ids.size() > 1)
      return invalid_argument("devices ({}) has 'all' and ids; use one of them.", settings.devices());
  }
  return ok_status();
}

}  // namespace weft::queue
