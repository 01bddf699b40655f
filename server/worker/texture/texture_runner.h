// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a texture job on a device: each texture is read, its images are enlarged and
// encoded on the device, and its file is stored once all images are done. While one texture is on
// the device, the next is read and the last is stored. The bytes of a file depend only on its input
// and the specification.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/texture/comparison.h"
#include "server/worker/job/bounded_queue.h"
#include "server/worker/job/finished_images.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/texture/found_exceptions.h"
#include "server/worker/texture/texture_plan.h"
#include "server/worker/texture/texture_stage.h"

namespace weft::worker {

class TextureRunner final : public JobRunner {
 public:
  // `share` and `events` must outlive the runner.
  TextureRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

 private:
  // A texture in progress.
  struct Unit {
    TextureItem item;
    FileIdentity identity;
    TextureInput input;
    TexturePlan plan;
    media::Texture texture;  // the source, later the result
    int64_t blocks = 0;
  };

  Status work() override;
  void add_properties(v1::JobResult& result) const override;
  Status inspect();
  Status resume_finished(int round);
  void note_changes(const std::vector<std::string>& changed, int64_t vanished);
  std::string finished_name_of(const TextureItem& item) const;
  Status process();
  Status read_all(BoundedQueue<Unit>& sources);
  StatusOr<Unit> read(const TextureItem& item);
  Status enlarge_all(BoundedQueue<Unit>& sources, BoundedQueue<Unit>& made);
  Status enlarge(Unit& unit);
  StatusOr<media::Texture> make(const Unit& unit, const TexturePlan& plan, int64_t blocks_before,
                                filters::texture::TextureComparison& comparison);
  Status note_fault(const Unit& unit, const std::string& fault);
  Status store_all(BoundedQueue<Unit>& made);
  Status store(const Unit& unit);
  // Returns true if the file alone caused the error, so that the job continues without it.
  bool passes_over(const TextureItem& item, const Status& status);
  bool is_set() const { return order_.inputs[0].declared.is_set; }

  std::vector<TextureItem> items_, to_do_;
  std::optional<FinishedImages> finished_;
  std::optional<FoundExceptions> found_;
  std::atomic<int64_t> resumed_files_{0};  // number of files that earlier attempts finished

  mutable std::mutex result_mutex_;
  std::vector<v1::FailedInput> failed_;  // guarded by result_mutex_, as are the members below
  std::set<std::string> left_out_;       // names of the files in failed_; read between rounds
  Status first_failure_;
  int64_t output_bytes_ = 0, stored_files_ = 0, stored_blocks_ = 0;
};

}  // namespace weft::worker
