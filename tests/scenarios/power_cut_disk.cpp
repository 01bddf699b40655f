// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/power_cut_disk.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

namespace weft::scenarios {
namespace {

constexpr off_t kPage = 4096;

timespec now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time;
}

}  // namespace

PowerCutDisk::PowerCutDisk() : root_(std::make_shared<Node>()) {
  root_->info.st_mode = S_IFDIR | 0755;
  root_->info.st_nlink = 1;
  root_->info.st_ino = ++last_number_;
}

PowerCutDisk::NodePtr PowerCutDisk::find(std::string_view path) const {
  NodePtr node = root_;
  while (node != nullptr && !path.empty()) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    const std::string name(path.substr(0, path.find('/')));
    if (name.empty()) break;
    path.remove_prefix(name.size());
    const auto found = node->names.find(name);
    node = found == node->names.end() ? nullptr : found->second;
  }
  return node;
}

PowerCutDisk::Location PowerCutDisk::location_of(std::string_view path) const {
  const size_t slash = path.rfind('/');
  return {find(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

void PowerCutDisk::change(Step step) {
  for (const Change& each : step) {
    if (each.node != nullptr)
      each.folder->names[each.name] = each.node;
    else
      each.folder->names.erase(each.name);
    each.folder->info.st_mtim = now();
  }
  pending_.push_back(std::move(step));
}

int PowerCutDisk::make(std::string_view path, mode_t mode, uid_t user, gid_t group, NodePtr* made) {
  const Location location = location_of(path);
  if (location.folder == nullptr) return -ENOENT;
  if (location.folder->names.contains(location.name)) return -EEXIST;
  auto node = std::make_shared<Node>();
  node->info.st_mode = mode;
  node->info.st_nlink = 1;
  node->info.st_ino = ++last_number_;
  node->info.st_uid = user;
  node->info.st_gid = group;
  node->info.st_mtim = node->info.st_ctim = node->info.st_atim = now();
  change({{location.folder, location.name, node}});
  if (made != nullptr) *made = node;
  return 0;
}

int PowerCutDisk::remove(std::string_view path, bool is_folder) {
  const NodePtr node = find(path);
  if (node == nullptr) return -ENOENT;
  if (node->is_folder() != is_folder) return is_folder ? -ENOTDIR : -EISDIR;
  if (!node->names.empty()) return -ENOTEMPTY;
  const Location location = location_of(path);
  change({{location.folder, location.name, nullptr}});
  node->info.st_nlink--;
  return 0;
}

int PowerCutDisk::rename(std::string_view from, std::string_view to, unsigned flags) {
  if ((flags & ~unsigned(RENAME_NOREPLACE)) != 0) return -EINVAL;
  const NodePtr node = find(from);
  const NodePtr there = find(to);
  const Location source = location_of(from), target = location_of(to);
  if (node == nullptr || target.folder == nullptr) return -ENOENT;
  if (there != nullptr && (flags & RENAME_NOREPLACE) != 0) return -EEXIST;
  if (there != nullptr && !there->names.empty()) return -ENOTEMPTY;
  if (there == node) return 0;
  if (there != nullptr) there->info.st_nlink--;
  change({{source.folder, source.name, nullptr}, {target.folder, target.name, node}});
  return 0;
}

int PowerCutDisk::link(std::string_view from, std::string_view to) {
  const NodePtr node = find(from);
  const Location target = location_of(to);
  if (node == nullptr || target.folder == nullptr) return -ENOENT;
  if (target.folder->names.contains(target.name)) return -EEXIST;
  change({{target.folder, target.name, node}});
  node->info.st_nlink++;
  return 0;
}

int PowerCutDisk::write(Node& node, std::string_view bytes, off_t offset) {
  const off_t end = offset + off_t(bytes.size());
  if (end > off_t(node.bytes.size())) resize(node, end);
  std::copy(bytes.begin(), bytes.end(), node.bytes.begin() + offset);
  for (off_t page = offset / kPage; page * kPage < end; page++) node.dirty_pages.insert(page);
  node.info.st_mtim = now();
  return int(bytes.size());
}

int PowerCutDisk::resize(Node& node, off_t size) {
  for (off_t page = std::min<off_t>(size, off_t(node.bytes.size())) / kPage;
       page * kPage < std::max<off_t>(size, off_t(node.bytes.size())); page++)
    node.dirty_pages.insert(page);
  node.bytes.resize(size_t(size));
  node.info.st_mtim = now();
  return 0;
}

void PowerCutDisk::sync_file(Node& node) {
  node.durable_bytes = node.bytes;
  node.dirty_pages.clear();
}

void PowerCutDisk::harden(const Step& step) {
  for (const Change& each : step) {
    if (each.node != nullptr)
      each.folder->durable_names[each.name] = each.node;
    else
      each.folder->durable_names.erase(each.name);
  }
}

// Makes the steps of the folder durable, and the earlier steps with the same names that they depend
// on.
void PowerCutDisk::sync_folder(const NodePtr& folder) {
  std::set<std::pair<const Node*, std::string>> wanted;
  std::list<Step> durable;
  for (auto step = pending_.end(); step != pending_.begin();) {
    --step;
    const bool counts = std::any_of(step->begin(), step->end(), [&](const Change& each) {
      return each.folder == folder || wanted.contains({each.folder.get(), each.name});
    });
    if (!counts) continue;
    for (const Change& each : *step) wanted.emplace(each.folder.get(), each.name);
    const auto next = std::next(step);
    durable.splice(durable.begin(), pending_, step);
    step = next;
  }
  for (const Step& step : durable) harden(step);
}

void PowerCutDisk::cut(Left left, std::minstd_rand& random) {
  size_t kept = left == Left::kNothing ? 0 : pending_.size();
  if (left == Left::kSome) kept = random() % (pending_.size() + 1);
  for (const Step& step : pending_) {
    if (kept == 0) break;
    harden(step);
    kept--;
  }
  pending_.clear();
  std::set<const Node*> done;
  forget(*root_, left, random, done);
}

void PowerCutDisk::forget(Node& folder, Left left, std::minstd_rand& random, std::set<const Node*>& done) {
  folder.names = folder.durable_names;
  for (const auto& [name, node] : folder.names) {
    const bool is_second_name = !done.insert(node.get()).second;
    node->info.st_nlink = is_second_name ? node->info.st_nlink + 1 : 1;
    if (is_second_name) continue;
    if (node->is_folder())
      forget(*node, left, random, done);
    else
      forget_bytes(*node, left, random);
  }
}

void PowerCutDisk::forget_bytes(Node& file, Left left, std::minstd_rand& random) {
  if (left == Left::kNothing) file.bytes = file.durable_bytes;
  if (left == Left::kSome && !file.dirty_pages.empty()) {
    const bool is_old_size = random() % 2 == 0;
    std::string bytes = file.durable_bytes;
    bytes.resize(is_old_size ? file.durable_bytes.size() : file.bytes.size());
    for (const off_t page : file.dirty_pages) {
      const size_t begin = size_t(page * kPage);
      const size_t end = std::min({begin + size_t(kPage), bytes.size(), file.bytes.size()});
      if (begin < end && random() % 2 == 0) bytes.replace(begin, end - begin, file.bytes, begin, end - begin);
    }
    file.bytes = std::move(bytes);
  }
  sync_file(file);
}

}  // namespace weft::scenarios
