// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/tune_runner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "kernels/lang/registry.h"
#include "server/device/shapes.h"
#include "server/worker/job/job_result.h"
#include "server/worker/job/job_source.h"

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;

constexpr int kBatchesChecked = 4;  // more than the window of most filters, all of them compared
constexpr int kRoundsSurveyed = 3;
constexpr int kMostMissed = 8;         // batches without a launch of the kernel, before it is given up
constexpr double kShortestRun = 1e-4;  // seconds: a launch is repeated until a run takes as long
constexpr int kMostRepeats = 8;

bool begins_with_any(std::string_view name,
                     const google::protobuf::RepeatedPtrField<std::string>& beginnings) {
  return beginnings.empty() ||
         std::ranges::any_of(beginnings, [&](const std::string& each) { return name.starts_with(each); });
}

int count_tunable(const v1::TuneJob& job) {
  int count = 0;
  const auto add = [&](std::span<const kernels::KernelImage> images) {
    for (const kernels::KernelImage& image : images)
      if (image.is_tunable && begins_with_any(image.name, job.kernels())) count++;
  };
  add(kernels::embedded_kernels());
  for (const std::string_view module : kernels::kernel_modules()) add(kernels::kernels_of(module));
  return count;
}

std::vector<std::string> names_of(const std::vector<device::BlockShape>& shapes) {
  std::vector<std::string> names;
  for (const device::BlockShape shape : shapes) names.push_back(device::to_string(shape));
  return names;
}

// One kernel and class, timed batch by batch.
class PlaceTimer {
 public:
  PlaceTimer(ShapeObserver& observer, TunedPlace place, const std::set<int>& faulty)
      : observer_(observer), place_(std::move(place)), sweep_(int(observer.shapes(place_.kernel).size())) {
    for (const int shape : faulty) sweep_.fail(shape, "it does not give the same bytes.");
  }

  void begin() {
    round_ = sweep_.round();
    if (!round_.empty()) observer_.time(place_, round_, repeats_);
  }
  // After the batch. Whether there is more to time.
  StatusOr<bool> take() {
    ASSIGN_OR_RETURN(const std::vector<double> seconds, observer_.take_times());
    if (seconds.empty()) return ++missed_ < kMostMissed;
    missed_ = 0;
    if (!std::exchange(is_warm_, true)) {  // kernels were loaded, and how long a launch takes was not known
      const double longest = *std::ranges::max_element(seconds);
      repeats_ =
          int(std::clamp(std::ceil(kShortestRun / std::max(longest, 1e-9)), 1.0, double(kMostRepeats)));
      return !sweep_.is_done();
    }
    for (size_t i = 0; i < round_.size(); i++) sweep_.add(round_[i], seconds[i]);
    sweep_.end_round();
    return !sweep_.is_done();
  }

  bool was_timed() const { return is_warm_ && sweep_.result().runs > 0; }
  const TunedPlace& place() const { return place_; }
  const tuning::ShapeSweep& sweep() const { return sweep_; }

 private:
  ShapeObserver& observer_;
  const TunedPlace place_;
  tuning::ShapeSweep sweep_;
  std::vector<int> round_;
  int repeats_ = 1, missed_ = 0;
  bool is_warm_ = false;
};

bool is_of_device(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kCancelled;
}

}  // namespace

StatusOr<v1::JobEstimate> estimate_tuning(const v1::JobSpec& spec, const std::vector<OpenJobFile>&) {
  const v1::TuneJob& job = spec.tune();
  RETURN_IF_ERROR(tune_subjects({job.filters().begin(), job.filters().end()}, {}).status());
  v1::JobEstimate estimate;
  estimate.set_units_in(count_tunable(job));
  if (estimate.units_in() == 0)
    return invalid_argument("No kernel that can be tuned has such a name; `weft tune --show` lists kernels.");
  estimate.set_units_out(estimate.units_in());
  return estimate;
}

TuneRunner::TuneRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : order_(std::move(order)), share_(share), notes_(events) {}

TuneRunner::~TuneRunner() = default;

JobEnd TuneRunner::run() {
  state_.on_failure([this] { preparing_.stop(); });
  const Status status = attempt();
  state_.clear_wakers();
  if (!status.ok()) state_.fail(status, Origin::kDevice);
  return end_of(state_, result_so_far());
}

void TuneRunner::close() { close_files(order_); }

void TuneRunner::stop(internal::v1::StopKind kind) {
  state_.fail(cancelled("{}", reason_of(kind)), Origin::kStop);
}

void TuneRunner::change(const schedule::SourceChanged& change) { preparing_.change(change); }

v1::JobProgress TuneRunner::progress() const { return progress_.progress(meter_, 0, "tuning"); }

Status TuneRunner::attempt() {
  if (share_.tuning == nullptr)
    return failed_precondition("The device {} keeps no table of shapes.", share_.device.info().id);
  ASSIGN_OR_RETURN(const std::vector<Work> all, survey());
  int64_t total = 0;
  for (const Work& work : all) total += int64_t(work.places.size());
  meter_.units_total = total;
  meter_.beat();
  if (total == 0) notes_.add("The table has all of these kernels already; --again tunes them once more.");
  for (const Work& work : all) {
    const Status tuned = tune(work);
    RETURN_IF_ERROR(state_.error());
    if (is_of_device(tuned)) return tuned;
    if (!tuned.ok()) notes_.add(fmt::format("{}: {}", work.subject.name(), message_of(tuned)));
  }
  return ok_status();
}

bool TuneRunner::is_wanted(const TunedPlace& place) const {
  const v1::TuneJob& job = order_.spec.tune();
  if (!begins_with_any(place.kernel, job.kernels())) return false;
  return job.again() || tuning::find_tuned(share_.tuning->table(), place.kernel, place.size_class) == nullptr;
}

StatusOr<std::vector<TuneRunner::Work>> TuneRunner::survey() {
  const v1::TuneJob& job = order_.spec.tune();
  ASSIGN_OR_RETURN(const std::vector<TuneSubject> subjects,
                   tune_subjects({job.filters().begin(), job.filters().end()}, share_.device.info()));
  std::vector<Work> all;
  std::set<TunedPlace> seen;
  for (const TuneSubject& subject : subjects) {
    ShapeObserver observer(share_.device);
    TunePass pass(share_, preparing_, observer, order_.source);
    int rounds = 0;
    std::map<TunedPlace, int> launches;  // of a round amid others: the first and the last are smaller
    const auto next = [&]() -> StatusOr<bool> {
      rounds++;
      if (rounds == kRoundsSurveyed - 1) observer.forget();
      if (rounds == kRoundsSurveyed) launches = observer.launches();
      return rounds < kRoundsSurveyed;
    };
    const Status ran = pass.run(subject, next).status();
    meter_.beat();
    RETURN_IF_ERROR(state_.error());
    if (is_of_device(ran)) return ran;
    if (!ran.ok()) continue;  // a filter that wants a file, or more memory than there is
    Work work{subject, {}};
    for (const auto& [place, count] : launches)
      if (is_wanted(place) && seen.insert(place).second) work.places.push_back(place);
    if (!work.places.empty()) all.push_back(std::move(work));
  }
  return all;
}

StatusOr<std::map<std::string, std::set<int>>> TuneRunner::find_faults(const Work& work) {
  ShapeObserver observer(share_.device);
  TunePass pass(share_, preparing_, observer, order_.source);
  ASSIGN_OR_RETURN(const uint64_t wanted, pass.run_batches(work.subject, kBatchesChecked));
  std::set<std::string> names;
  size_t most = 0;
  for (const auto& [place, count] : observer.launches()) {
    names.insert(place.kernel);
    most = std::max(most, observer.shapes(place.kernel).size());
  }
  std::map<std::string, std::set<int>> faults;
  for (int shape = 0; shape < int(most); shape++) {
    observer.force(shape);
    ASSIGN_OR_RETURN(const uint64_t all, pass.run_batches(work.subject, kBatchesChecked));
    meter_.beat();
    if (all == wanted) continue;
    for (const std::string& name : names) {  // one at a time: whose it is
      observer.force(shape, name);
      ASSIGN_OR_RETURN(const uint64_t alone, pass.run_batches(work.subject, kBatchesChecked));
      if (alone != wanted) faults[name].insert(shape);
      meter_.beat();
    }
  }
  return faults;
}

StatusOr<std::vector<v1::TunedKernel>> TuneRunner::time_shapes(
    const Work& work, const std::map<std::string, std::set<int>>& faults) {
  ShapeObserver observer(share_.device);
  TunePass pass(share_, preparing_, observer, order_.source);
  std::vector<std::unique_ptr<PlaceTimer>> timers;
  for (const TunedPlace& place : work.places) {
    const auto faulty = faults.find(place.kernel);
    timers.push_back(std::make_unique<PlaceTimer>(observer, place,
                                                  faulty == faults.end() ? std::set<int>() : faulty->second));
  }
  std::vector<v1::TunedKernel> found;
  size_t at = 0;
  bool is_timing = false;
  const auto next = [&]() -> StatusOr<bool> {
    meter_.beat();
    while (at < timers.size()) {
      PlaceTimer& timer = *timers[at];
      if (std::exchange(is_timing, false)) {
        ASSIGN_OR_RETURN(const bool goes_on, timer.take());
        if (!goes_on) {
          const auto names = names_of(observer.shapes(timer.place().kernel));
          if (timer.was_timed()) found.push_back(entry_of(timer.place(), timer.sweep(), names));
          at++;
          meter_.units_done++;
          meter_.filter.units++;
          continue;
        }
      }
      if (timer.sweep().is_done()) {  // its default fails
        at++;
        meter_.units_done++;
        continue;
      }
      timer.begin();
      is_timing = true;
      return true;
    }
    observer.rest();
    return false;
  };
  RETURN_IF_ERROR(pass.run(work.subject, next).status());
  return found;
}

Status TuneRunner::tune(const Work& work) {
  ASSIGN_OR_RETURN(const auto faults, find_faults(work));
  for (const auto& [kernel, shapes] : faults)
    notes_.add(fmt::format("{} is not tuned with {} of its shapes, which do not give the same bytes in {}.",
                           kernel, shapes.size(), work.subject.name()));
  ASSIGN_OR_RETURN(std::vector<v1::TunedKernel> found, time_shapes(work, faults));
  return keep(std::move(found));
}

v1::TunedKernel TuneRunner::entry_of(const TunedPlace& place, const tuning::ShapeSweep& sweep,
                                     const std::vector<std::string>& names) const {
  const tuning::SweepResult result = sweep.result();
  v1::TunedKernel entry;
  entry.set_kernel(place.kernel);
  entry.set_size_class(place.size_class);
  entry.set_shape(names[size_t(result.chosen)]);
  entry.set_default_shape(names[0]);
  entry.set_worst_shape(names[size_t(result.worst)]);
  entry.set_seconds(result.seconds);
  entry.set_default_seconds(result.default_seconds);
  entry.set_worst_seconds(result.worst_seconds);
  entry.set_confidence(result.confidence);
  entry.set_runs(result.runs);
  entry.set_reason(sweep.reason(names));
  *entry.mutable_time() = TimeUtil::GetCurrentTime();
  return entry;
}

Status TuneRunner::keep(std::vector<v1::TunedKernel> found) {
  const Status stored = share_.tuning->put(found);
  if (!stored.ok()) notes_.add(message_of(stored));
  const std::lock_guard lock(result_mutex_);
  for (v1::TunedKernel& entry : found) *result_.add_kernels() = std::move(entry);
  return ok_status();
}

v1::JobResult TuneRunner::result_so_far() const {
  v1::JobResult result = add_up({}, meter_, std::chrono::steady_clock::now() - start_);
  const std::lock_guard lock(result_mutex_);
  *result.mutable_tuning() = result_;
  notes_.put_into(result);
  return result;
}

}  // namespace weft::worker
