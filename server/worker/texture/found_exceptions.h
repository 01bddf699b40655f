// SPDX-License-Identifier: Apache-2.0
// Stores the textures of a job that a network degraded, as found by the check, in the work folder:
// the result then also contains those of earlier attempts.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/worker/job/finished_images.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// Thread-safe.
class FoundExceptions {
 public:
  // Opens the list with the entries of attempts with the same `key`. `finished` and `folder`, the
  // work folder, are borrowed.
  static StatusOr<FoundExceptions> open(const FinishedImages& finished, int folder, std::string_view key);

  // Adds a texture, or replaces its reason. `name` has no folder.
  Status add(std::string_view name, std::string_view reason);
  // Removes the entry of a texture that is processed again.
  Status forget(std::string_view name);
  void put_into(v1::JobResult& result) const;  // changes `result` only if the list has entries
  // Returns a note on the degraded textures for a job's result, or an empty string if there are
  // none.
  std::string note(bool are_replaced) const;

 private:
  FoundExceptions(const FinishedImages& finished, std::string key)
      : finished_(&finished), key_(std::move(key)), mutex_(std::make_unique<std::mutex>()) {}

  const FinishedImages* finished_;
  std::string key_;
  std::unique_ptr<std::mutex> mutex_;
  v1::TextureResult found_;  // by name; guarded by mutex_
};

}  // namespace weft::worker
