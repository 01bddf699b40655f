// SPDX-License-Identifier: Apache-2.0
// A disk in memory that loses unsynced data at a power cut. Its guarantees are no more than those
// of POSIX:
// - Data written to a file is durable after a sync of the file. Before that, each page may be
//   durable or not.
// - A name in a folder (made, removed, renamed) is durable after a sync of the folder. A sync of
//   the file does not make it durable. A rename is durable as a whole.
// - Changes of names become durable in their order.
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
    struct stat info {};
    // content of a file
    std::string bytes{};
    std::string durable_bytes{};
    std::set<off_t> dirty_pages{};  // pages written since the last sync
    // entries of a folder
    Names names{};
    Names durable_names{};
    bool is_folder() const { return S_ISDIR(info.st_mode); }
  };

  // Part of the unsynced data that remains: nothing, everything (as after the kill of a process),
  // or a random part.
  enum class Left { kNothing, kAll, kSome };

  PowerCutDisk();

  NodePtr find(std::string_view path) const;  // null: not found
  int make(std::string_view path, mode_t mode, uid_t user, gid_t group, NodePtr* made);
  int remove(std::string_view path, bool is_folder);
  // `flags` are those of renameat2(): RENAME_NOREPLACE or 0.
  int rename(std::string_view from, std::string_view to, unsigned flags);
  int link(std::string_view from, std::string_view to);
  static int write(Node& node, std::string_view bytes, off_t offset);
  static int resize(Node& node, off_t size);

  static void sync_file(Node& node);
  void sync_folder(const NodePtr& folder);

  // Changes the disk to its content after a power cut.
  void cut(Left left, std::minstd_rand& random);

 private:
  struct Change {
    NodePtr folder;
    std::string name;
    NodePtr node;  // null: the name is removed
  };
  using Step = std::vector<Change>;  // changes that become durable together

  struct Location {
    NodePtr folder;
    std::string name;
  };
  Location location_of(std::string_view path) const;
  void change(Step step);
  static void harden(const Step& step);
  static void forget(Node& folder, Left left, std::minstd_rand& random, std::set<const Node*>& done);
  static void forget_bytes(Node& file, Left left, std::minstd_rand& random);

  NodePtr root_;
  ino_t last_number_ = 0;
  std::list<Step> pending_;  // steps that are not durable yet, in order
};

}  // namespace weft::scenarios
