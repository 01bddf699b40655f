// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/tune_runner.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kernels/lang/registry.h"

namespace weft::worker {
namespace {

constexpr int kRoundsSurveyed = 3, kRoundsSurveyedOfStills = 2;
// Limit in seconds for the time that timed launches add to a batch, since a stream's frame may wait
// for it. On the CPU a single launch may exceed the first limit.
constexpr double kLongestTimed = 5e-3, kLongestTimedInSoftware = 0.2;
constexpr int kMostMarks = device::Stream::kMarksKept / 2;

// Returns the number of batches to compare. They have more frames than the window of most filters.
int batches_checked(const TuneSubject& subject) {
  if (subject.is_still) return 1;
  return subject.batch > 1 ? 2 : 4;
}

bool begins_with_any(std::string_view name,
                     const google::protobuf::RepeatedPtrField<std::string>& beginnings) {
  return beginnings.empty() ||
         std::ranges::any_of(beginnings, [&](const std::string& each) { return name.starts_with(each); });
}

// Returns the number of tunable kernels that the job names, among those in `launched`; null means
// all kernels.
int count_tunable(const v1::TuneJob& job, const std::set<std::string, std::less<>>* launched = nullptr) {
  int count = 0;
  const auto add = [&](std::span<const kernels::KernelImage> images) {
    for (const kernels::KernelImage& image : images)
      if (image.is_tunable && begins_with_any(image.name, job.kernels()) &&
          (launched == nullptr || launched->contains(image.name)))
        count++;
  };
  add(kernels::embedded_kernels());
  for (const std::string_view module : kernels::kernel_modules()) add(kernels::kernels_of(module));
  return count;
}

bool is_of_device(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kCancelled;
}

}  // namespace

StatusOr<v1::JobEstimate> estimate_tuning(const v1::JobSpec& spec, const std::vector<OpenJobFile>&) {
  const v1::TuneJob& job = spec.tune();
  ASSIGN_OR_RETURN(const std::vector<TuneSubject> subjects,
                   tune_subjects({job.filters().begin(), job.filters().end()}, {352, 288, 1}));
  int kernels = count_tunable(job);
  if (kernels == 0)
    return invalid_argument("No kernel that can be tuned has such a name; `weft tune --show` lists kernels.");
  if (!job.filters().empty()) {
    std::set<std::string, std::less<>> launched;
    for (const TuneSubject& subject : subjects)
      RETURN_IF_ERROR(subject.expand({.kernels = &launched}).status());
    kernels = count_tunable(job, &launched);  // 0: unknown without a device
  }
  v1::JobEstimate estimate;
  estimate.set_units_in(kernels);
  estimate.set_units_out(kernels);
  return estimate;
}

TuneRunner::TuneRunner(JobOrder order, const DeviceShare& share, JobEvents& events, TuneLimits limits)
    : JobRunner(std::move(order), share, events, "tuning"), limits_(limits) {}

Status TuneRunner::attempt() {
  if (share_.tuning == nullptr)
    return failed_precondition("The device {} keeps no table of shapes.", share_.device.info().id);
  if (!share_.tuning->is_on()) return share_.tuning->put({});
  const v1::TuneJob& job = order_.spec.tune();
  ASSIGN_OR_RETURN(
      const std::vector<TuneSubject> subjects,
      tune_subjects({job.filters().begin(), job.filters().end()}, tune_size(share_.device.info())));
  std::vector<Work> long_ones;
  for (const TuneSubject& subject : subjects) {
    ASSIGN_OR_RETURN(Work work, survey(subject));
    meter_.units_total += int64_t(work.sites.size());
    if (work.round > limits_.long_batch)
      long_ones.push_back(std::move(work));
    else
      RETURN_IF_ERROR(tune(work));
  }
  std::ranges::stable_sort(long_ones, {}, &Work::round);
  for (const Work& work : long_ones) RETURN_IF_ERROR(tune(work));
  if (meter_.units_total == 0 && !left_out_)
    notes_.add("The table has all of these kernels already; --again tunes them once more.");
  return ok_status();
}

bool TuneRunner::is_wanted(const LaunchSite& site) const {
  const v1::TuneJob& job = order_.spec.tune();
  if (!begins_with_any(site.kernel, job.kernels())) return false;
  return job.again() || tuning::find_tuned(share_.tuning->learnt(), site.kernel, site.size_class) == nullptr;
}

StatusOr<TuneRunner::Work> TuneRunner::survey(const TuneSubject& subject) {
  observer_.forget();
  Work work{subject, {}, {}};
  int left = subject.is_still ? kRoundsSurveyedOfStills : kRoundsSurveyed;
  // launches of an inner round, since the first and the last round are smaller
  std::map<LaunchSite, int> launches;
  bool is_too_long = false;
  std::optional<TimePoint> last_round;
  const auto next = [&]() -> StatusOr<bool> {
    left--;
    const TimePoint now = std::chrono::steady_clock::now();
    if (last_round) work.round = now - *last_round;
    last_round = now;
    is_too_long = work.round > limits_.longest_batch;
    if (left == 0 || is_too_long) launches = observer_.launches();
    if (left == 1) observer_.forget();
    return left > 0 && !is_too_long;
  };
  const Status ran = pass_.run(subject, next);
  meter_.beat();
  RETURN_IF_ERROR(state_.error());
  if (is_of_device(ran)) return ran;
  if (!ran.ok()) return work;  // the filter needs a file, or more memory than is available
  for (const auto& [site, count] : launches)
    if (is_wanted(site) && !surveyed_.contains(site)) work.sites.push_back(site);
  if (is_too_long && !std::exchange(work.sites, {}).empty()) {
    left_out_ = true;
    notes_.add(fmt::format("Kernels of {} are not tuned: a batch takes {:.0f} s, and {:.0f} s is the most.",
                           subject.describe(), std::chrono::duration<double>(work.round).count(),
                           std::chrono::duration<double>(limits_.longest_batch).count()));
  }
  surveyed_.insert(work.sites.begin(), work.sites.end());
  return work;
}

StatusOr<std::map<std::string, std::set<int>>> TuneRunner::find_faults(const Work& work) {
  const int batches = batches_checked(work.subject);
  observer_.rest();
  ASSIGN_OR_RETURN(const uint64_t wanted, pass_.run_batches(work.subject, batches));
  std::set<std::string> names;
  size_t most = 0;
  for (const LaunchSite& site : work.sites) {
    names.insert(site.kernel);
    most = std::max(most, observer_.shapes(site.kernel).size());
  }
  std::map<std::string, std::set<int>> faults;
  for (int shape = 0; shape < int(most); shape++) {
    observer_.force(shape, names);
    ASSIGN_OR_RETURN(const uint64_t all, pass_.run_batches(work.subject, batches));
    meter_.beat();
    if (all == wanted) continue;
    for (const std::string& name : names) {  // each kernel alone
      observer_.force(shape, {name});
      ASSIGN_OR_RETURN(const uint64_t alone, pass_.run_batches(work.subject, batches));
      if (alone != wanted) faults[name].insert(shape);
      meter_.beat();
    }
  }
  observer_.rest();
  return faults;
}

// Returns the sites that the next batch times: the first unfinished site, and further sites with
// launches that fit into the time left.
std::vector<LaunchSiteTimer*> TuneRunner::next_sites(
    const std::vector<std::unique_ptr<LaunchSiteTimer>>& timers) const {
  double left = share_.device.info().is_software ? kLongestTimedInSoftware : kLongestTimed;
  int marks = kMostMarks;
  std::vector<LaunchSiteTimer*> chosen;
  for (const auto& timer : timers) {
    const std::optional<double> seconds = timer->batch_seconds();
    if (!chosen.empty() && (!seconds || *seconds > left || timer->marks() > marks)) continue;
    chosen.push_back(timer.get());
    if (!seconds) break;
    left -= *seconds;
    marks -= timer->marks();
  }
  return chosen;
}

StatusOr<std::vector<v1::TunedKernel>> TuneRunner::time_shapes(
    const Work& work, const std::map<std::string, std::set<int>>& faults) {
  std::vector<std::unique_ptr<LaunchSiteTimer>> timers;
  for (const LaunchSite& site : work.sites) {
    const auto faulty = faults.find(site.kernel);
    timers.push_back(std::make_unique<LaunchSiteTimer>(
        observer_, site, faulty == faults.end() ? std::set<int>() : faulty->second));
  }
  std::vector<v1::TunedKernel> found;
  const auto end = [&](const LaunchSiteTimer& timer) {
    if (timer.was_timed()) found.push_back(timer.entry());
    meter_.units_done++;
    meter_.filter.units++;
    std::erase_if(timers, [&](const auto& each) { return each.get() == &timer; });
  };
  for (size_t i = timers.size(); i-- > 0;)
    if (timers[i]->sweep().is_done()) end(*timers[i]);  // the default shape fails
  std::vector<LaunchSiteTimer*> timed;
  const auto next = [&]() -> StatusOr<bool> {
    meter_.beat();
    for (LaunchSiteTimer* timer : std::exchange(timed, {})) {
      ASSIGN_OR_RETURN(const bool goes_on, timer->take());
      if (!goes_on) end(*timer);
    }
    timed = next_sites(timers);
    for (LaunchSiteTimer* timer : timed) timer->begin();
    return !timed.empty();
  };
  RETURN_IF_ERROR(pass_.run(work.subject, next));
  return found;
}

Status TuneRunner::tune(const Work& work) {
  if (work.sites.empty()) return ok_status();
  const Status tuned = try_shapes(work);
  RETURN_IF_ERROR(state_.error());
  if (is_of_device(tuned)) return tuned;
  if (!tuned.ok()) notes_.add(fmt::format("{}: {}", work.subject.describe(), message_of(tuned)));
  return ok_status();
}

Status TuneRunner::try_shapes(const Work& work) {
  ASSIGN_OR_RETURN(const auto faults, find_faults(work));
  for (const auto& [kernel, shapes] : faults)
    notes_.add(fmt::format("{} is not tuned with {} of its shapes, which do not give the same bytes in {}.",
                           kernel, shapes.size(), work.subject.describe()));
  ASSIGN_OR_RETURN(std::vector<v1::TunedKernel> found, time_shapes(work, faults));
  return keep(std::move(found));
}

Status TuneRunner::keep(std::vector<v1::TunedKernel> found) {
  const Status stored = share_.tuning->put(found);
  if (!stored.ok()) notes_.add(message_of(stored));
  const std::lock_guard lock(result_mutex_);
  for (v1::TunedKernel& entry : found) *result_.add_kernels() = std::move(entry);
  return ok_status();
}

void TuneRunner::add_properties(v1::JobResult& result) const {
  const std::lock_guard lock(result_mutex_);
  *result.mutable_tuning() = result_;
}

}  // namespace weft::worker
