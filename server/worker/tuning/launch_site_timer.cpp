// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/launch_site_timer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "server/device/shapes.h"

namespace weft::worker {
namespace {

// number of batches without a launch of the kernel after which its timing ends
constexpr int kMostMissed = 8;
constexpr double kShortestRun = 1e-4;  // seconds; shorter launches are repeated within a run
constexpr int kMostRepeats = 8;
// Limit in seconds for the launches that are timed in a batch, since others wait for the device. At
// least one launch is timed.
constexpr double kLongRound = 5e-3;

std::vector<std::string> names_of(const std::vector<device::BlockShape>& shapes) {
  std::vector<std::string> names;
  for (const device::BlockShape& shape : shapes) names.push_back(device::to_string(shape));
  return names;
}

}  // namespace

LaunchSiteTimer::LaunchSiteTimer(ShapeObserver& observer, LaunchSite site, const std::set<int>& faulty)
    : observer_(observer),
      site_(std::move(site)),
      names_(names_of(observer.shapes(site_.kernel))),
      sweep_(int(names_.size())) {
  for (const int shape : faulty) sweep_.fail(shape, "it does not give the same bytes.");
}

void LaunchSiteTimer::begin() {
  round_ = sweep_.round();
  if (!round_.empty()) observer_.time(site_, round_, launches_, repeats_);
}

StatusOr<bool> LaunchSiteTimer::take() {
  ASSIGN_OR_RETURN(const std::vector<double> seconds, observer_.take_times(site_));
  if (seconds.empty()) return ++missed_ < kMostMissed;
  missed_ = 0;
  round_seconds_ = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  // in the first round kernels are loaded, and the duration of a launch is unknown
  if (!std::exchange(is_warm_, true)) {
    const double longest = *std::ranges::max_element(seconds);
    repeats_ = int(std::clamp(std::ceil(kShortestRun / std::max(longest, 1e-9)), 1.0, double(kMostRepeats)));
    launches_ = int(
        std::clamp(kLongRound / std::max(round_seconds_, 1e-9), 1.0, double(ShapeObserver::kMostLaunches)));
    round_seconds_ *= launches_;
    return !sweep_.is_done();
  }
  for (size_t i = 0; i < round_.size(); i++) sweep_.add(round_[i], seconds[i]);
  sweep_.end_round();
  return !sweep_.is_done();
}

std::optional<double> LaunchSiteTimer::batch_seconds() const {
  if (!is_warm_) return std::nullopt;
  return round_seconds_ * repeats_;
}

int LaunchSiteTimer::marks() const { return ShapeObserver::marks_of(int(names_.size())); }

v1::TunedKernel LaunchSiteTimer::entry() const {
  const tuning::SweepResult result = sweep_.result();
  v1::TunedKernel entry;
  entry.set_kernel(site_.kernel);
  entry.set_size_class(site_.size_class);
  entry.set_shape(names_[size_t(result.chosen)]);
  entry.set_default_shape(names_[0]);
  entry.set_worst_shape(names_[size_t(result.worst)]);
  entry.set_seconds(result.seconds);
  entry.set_default_seconds(sweep_.median(0));
  entry.set_worst_seconds(result.worst_seconds);
  entry.set_confidence(result.confidence);
  entry.set_runs(result.runs);
  entry.set_reason(sweep_.reason(names_));
  *entry.mutable_time() = google::protobuf::util::TimeUtil::GetCurrentTime();
  return entry;
}

}  // namespace weft::worker
