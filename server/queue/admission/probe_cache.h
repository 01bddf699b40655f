// SPDX-License-Identifier: Apache-2.0
// Remembers what probing told of a file, so that submitting many jobs of one file, or one job many times, looks once.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "server/queue/admission/admission_files.h"
#include "server/queue/admission/prober.h"

namespace weft::queue {

inline constexpr size_t kProbesRemembered = 1024;

// Thread-safe.
class ProbeCache {
 public:
  explicit ProbeCache(Prober& prober) : prober_(prober) {}

  // As Prober::probe, for the inputs in `files`, whose descriptors it may take. A file is the same as long as its inode, size
  // and time of change are; of an output only its extension matters. Questions that are alike share one answer, except those
  // about sequences and plans, which are looked into each time.
  void probe(const v1::JobSpec& spec, CheckedFiles& files, const channel::Credentials& submitter,
             bool plan_graph, Prober::Answer answer);

 private:
  struct Entry {
    std::string key;
    StatusOr<v1::JobEstimate> answer;
  };
  void remember(const std::string& key, const StatusOr<v1::JobEstimate>& answer);

  Prober& prober_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the newest use first
  std::map<std::string, std::list<Entry>::iterator> by_key_;
  std::map<std::string, std::vector<Prober::Answer>> asked_;
};

}  // namespace weft::queue
