// SPDX-License-Identifier: Apache-2.0
// Claims segments for the tasks of a job that render them on several devices.
//
// A claim is a lock on a byte of a file in the work folder (fcntl, F_OFD_SETLK). The kernel
// releases it when the process of a task ends in any way, so that no claim outlives its task.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/video/segment_journal.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

// The segments of a step that several tasks render.
class SharedSegments {
 public:
  virtual ~SharedSegments() = default;
  // Claims a segment for this task. Returns false if another task has it.
  virtual bool claim(int64_t segment) = 0;
  virtual void release(int64_t segment) = 0;
  // Returns the record of a segment that another task has finished, or nullopt.
  virtual std::optional<internal::v1::SegmentRecord> find_finished(int64_t segment) const = 0;
};

// Thread-safe.
class SegmentClaims final : public SharedSegments {
 public:
  // `folder` is the open work folder, borrowed. `name` is the prefix of the step's segments. `key`
  // is that of their records. UNIMPLEMENTED: the file system has no locks.
  static StatusOr<std::unique_ptr<SegmentClaims>> open(int folder, const std::string& name, std::string key);

  bool claim(int64_t segment) override { return lock(segment, 1); }
  void release(int64_t segment) override;
  std::optional<internal::v1::SegmentRecord> find_finished(int64_t segment) const override;

  // Claims all segments, and blocks until other tasks have released theirs. `alive` is called
  // repeatedly; its error ends the wait.
  Status claim_all(const std::function<Status()>& alive);
  void release_all();

 private:
  SegmentClaims(media::Descriptor file, SegmentJournal journal, std::string key)
      : file_(std::move(file)), journal_(std::move(journal)), key_(std::move(key)) {}
  bool lock(int64_t first, int64_t count) const;

  const media::Descriptor file_;
  const SegmentJournal journal_;
  const std::string key_;
};

}  // namespace weft::worker
