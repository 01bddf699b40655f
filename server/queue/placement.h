// SPDX-License-Identifier: Apache-2.0
// Which waiting job starts on which device now, and why the others wait. Pure: a value that is told what waits, what
// runs and how the devices are, and answers. No answer looks at more than the heads of the lines.
//
// Order: class NORMAL before SPARE, then priority, then submit order. Each device is free for the first in line that
// may run on it. A job without a device preference goes to the best free one: CUDA before Vulkan before the CPU, the
// one that runs less before the one that runs more. Vulkan in software (llvmpipe) is used only by jobs that name it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

inline constexpr int kDeathsThatEndADevice = 3;  // of its worker, in a row, at different jobs

// Where a job stands in line.
struct WaitKey {
  bool spare = false;
  int priority = 0;
  std::string id;  // ids sort by submit time
  bool operator<(const WaitKey& other) const;
};
WaitKey wait_key(const v1::Job& job);

struct Assignment {
  std::string job_id;
  std::string device;
};

// llvmpipe and its like: a Vulkan device that is the CPU.
bool is_software_device(const v1::Device& device);

class Placement {
 public:
  // `jobs_per_device`: how many run on a device at once, 1 or more.
  explicit Placement(int jobs_per_device) : jobs_per_device_(jobs_per_device) {}

  // A job joins the line, or changes its place in it; leaves it.
  void set_waiting(const v1::Job& job);
  void remove_waiting(const std::string& id);
  bool is_waiting(const std::string& id) const { return waiting_.contains(id); }

  // A device is there. `accepts`: it takes new jobs; else `why_not` says in a sentence why.
  void set_device(const v1::Device& device, bool accepts, std::string why_not);
  // A job holds or leaves a slot of a device, which may not be there yet.
  void occupy(const std::string& device, const std::string& job_id);
  void release(const std::string& device, const std::string& job_id);
  bool anything_runs() const { return !running_.empty(); }
  const std::set<std::string>& jobs_on(const std::string& device) const;

  // The next job to start; none when nothing that waits may start now. The caller takes the job out of the line and
  // occupies the device, then asks again.
  std::optional<Assignment> next() const;

  // Why a job that waits does, in a sentence. Empty: it does not wait here.
  std::string waiting_reason(const std::string& id) const;
  // A sentence for each device that the job might use.
  std::vector<std::string> device_reasons(const std::string& id) const;
  // How many are before it in the lines of the devices that it might use.
  int64_t ahead_of(const std::string& id) const;

 private:
  // A set that knows the rank of each element.
  using Line = __gnu_pbds::tree<WaitKey, __gnu_pbds::null_type, std::less<WaitKey>, __gnu_pbds::rb_tree_tag,
                                __gnu_pbds::tree_order_statistics_node_update>;
  struct Place {
    WaitKey key;
    std::string preference;  // a device's id; empty: any
  };
  struct Slot {
    int rank = 0;  // lower is better
    bool only_by_name = false;
    bool accepts = false;
    std::string why_not;
  };

  bool is_free(const std::string& id, const Slot& slot) const;
  std::string best_free_device() const;
  bool may_use(const Place& place, const std::string& device, const Slot& slot) const;
  std::string device_reason(const std::string& device, const Slot& slot) const;

  int jobs_per_device_;
  std::unordered_map<std::string, Place> waiting_;
  std::map<std::string, Line> lines_;  // by preference; lines of no length are removed
  std::map<std::string, Slot> devices_;
  std::map<std::string, std::set<std::string>> running_;
};

// Deaths of one device's worker: three in a row at different jobs are the device's fault, not the jobs'.
class DeviceHealth {
 public:
  // The worker died while `job_ids` ran on it. Nothing ran: nobody is to blame, and nothing is counted.
  void died(const std::vector<std::string>& job_ids);
  void worked() { *this = {}; }  // a job moved on or ended as jobs do
  bool is_over() const { return deaths_ >= kDeathsThatEndADevice; }

 private:
  int deaths_ = 0;
  std::set<std::string> at_;
};

}  // namespace weft::queue
