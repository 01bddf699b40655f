// SPDX-License-Identifier: Apache-2.0
// The textures of a job that a network spoiled, as the check found them: they are kept in the work folder, so that the result names those too that
// an earlier attempt made.
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
  // With those that attempts of the same `key` found. `finished` and `folder`, the work folder, are borrowed.
  static StatusOr<FoundExceptions> open(const FinishedImages& finished, int folder, std::string_view key);

  // One more, or another reason of one that is known. `name`: without folder.
  Status add(std::string_view name, std::string_view reason);
  // Of a texture that is made anew.
  Status forget(std::string_view name);
  void put_into(v1::JobResult& result) const;  // where there are any
  // For a job's result: what became of them; empty: there are none.
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
