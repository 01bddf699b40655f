// SPDX-License-Identifier: Apache-2.0
// Caches results of probes, so that many jobs with one input, or one job submitted many times, need
// one probe.
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

  // Probes the inputs in `files`, as Prober::probe() does, or passes a cached result to `answer`.
  // May take the descriptors out of `files`. A file counts as unchanged while its inode, size and
  // time of change are the same; for an output only the extension matters. Equal requests share one
  // probe, except requests with sequences or with `plan_graph`, which are probed each time.
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
  std::list<Entry> entries_;  // most recently used first
  std::map<std::string, std::list<Entry>::iterator> by_key_;
  std::map<std::string, std::vector<Prober::Answer>> asked_;
};

}  // namespace weft::queue
