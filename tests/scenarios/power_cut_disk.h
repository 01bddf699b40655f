// SPDX-License-Identifier: Apache-2.0
// A disk in memory that forgets at a power cut what was not synced. It promises as little as POSIX does:
// - what was written to a file is durable once the file is synced, until then any of it may be, by pages;
// - a name in a folder (made, removed, renamed) is durable once the folder is synced, not when the file is; a rename as a whole;
// - changes of names become durable in their order.
// Owners, modes and times are durable at once. Functions return 0 or a negative errno.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>

namespace weft::scenarios {

class PowerCutDisk {
 public:
  struct Node;
  using NodePtr = std::shared_ptr<Node>;
  using Names = std::map<std::string, NodePtr>;

  struct Node {
    struct stat facts {};
    // Of a file.
    std::string bytes{};
    std::string durable_bytes{};
    std::set<off_t> dirty_pages{};  // written since the last sync
    // Of a folder.
    Names names{};
    Names durable_names{};
    bool is_folder() const { return S_ISDIR(facts.st_mode); }
  };

  // What is left of that which was not synced: nothing; all, as if a process had been killed alone; a part by chance.
  enum class Left { kNothing, kAll, kSome };

  PowerCutDisk();

  NodePtr find(std::string_view path) const;  // null: there is none
  int make(std::string_view path, mode_t mode, uid_t user, gid_t group, NodePtr* made);
  int remove(std::string_view path, bool is_folder);
  // `flags`: of renameat2(); RENAME_NOREPLACE or none.
  int rename(std::string_view from, std::string_view to, unsigned flags);
  int link(std::string_view from, std::string_view to);
  static int write(Node& node, std::string_view bytes, off_t offset);
  static int resize(Node& node, off_t size);

  static void sync_file(Node& node);
  void sync_folder(const NodePtr& folder);

  // The disk as it is when the power is back.
  void cut(Left left, std::minstd_rand& random);

 private:
  struct Change {
    NodePtr folder;
    std::string name;
    NodePtr node;  // null: the name is gone
  };
  using Step = std::vector<Change>;  // durable as a whole

  struct Place {
    NodePtr folder;
    std::string name;
  };
  Place place_of(std::string_view path) const;
  void change(Step step);
  static void harden(const Step& step);
  static void forget(Node& folder, Left left, std::minstd_rand& random, std::set<const Node*>& done);
  static void forget_bytes(Node& file, Left left, std::minstd_rand& random);

  NodePtr root_;
  ino_t last_number_ = 0;
  std::list<Step> pending_;  // not durable, in order
};

}  // namespace weft::scenarios
