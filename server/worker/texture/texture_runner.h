// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a texture job on a device: each texture is read, its images are enlarged and encoded on the device, and its file is
// stored when all of them are there. While one is on the device the next is read and the last is stored. The bytes of a file depend on its
// input and the specification alone.
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
  // What is shared, and `events`, outlive the runner.
  TextureRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

 private:
  // A texture on its way.
  struct Unit {
    TextureItem item;
    FileIdentity identity;
    TextureInput input;
    TexturePlan plan;
    media::Texture texture;  // first the source, then what was made
    int64_t blocks = 0;
  };

  Status work() override;
  void add_facts(v1::JobResult& result) const override;
  Status look();
  Status take_up_finished(int round);
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
  // True: the file alone is at fault, and the job goes on without it.
  bool passes_over(const TextureItem& item, const Status& status);
  bool is_set() const { return order_.inputs[0].declared.is_set; }

  std::vector<TextureItem> items_, to_do_;
  std::optional<FinishedImages> finished_;
  std::optional<FoundExceptions> found_;
  std::atomic<int64_t> resumed_files_{0};  // that earlier attempts made

  mutable std::mutex result_mutex_;
  std::vector<v1::FailedInput> failed_;  // guarded by result_mutex_, as those below
  std::set<std::string> left_out_;       // their names; read between rounds
  Status first_failure_;
  int64_t output_bytes_ = 0, stored_files_ = 0, stored_blocks_ = 0;
};

}  // namespace weft::worker
