// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/shape_adapter.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/log.h"
#include "server/device/shapes.h"
#include "server/worker/tuning/drift_sampler.h"
#include "server/worker/tuning/place_timer.h"

namespace weft::worker {
namespace {

constexpr int kBatchesTried = 3;  // of which the last counts
constexpr int kBatchesCompared = 4;
constexpr Duration kLookAgain = std::chrono::seconds(10);  // a drift may have to wait for its time

schedule::SourceSpec spare_source() {
  schedule::SourceSpec source;
  source.work_class = schedule::SourceClass::kSpare;
  return source;
}

}  // namespace

ShapeAdapter::ShapeAdapter(const DeviceShare& share, AdapterRules rules)
    : share_(share), rules_(rules), preparing_(share.loop), drifts_(rules.drift) {
  if (share_.tuning == nullptr || share_.tuning->mode() != TuningMode::kAdapt) return;
  learn_table();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ShapeAdapter::~ShapeAdapter() {
  thread_.request_stop();
  preparing_.stop();
}

void ShapeAdapter::learn_table() {
  const tuning::TuningTable table = share_.tuning->table();
  const std::lock_guard lock(mutex_);
  for (const v1::TunedKernel& entry : table.kernels())
    drifts_.know({entry.kernel(), entry.size_class()}, entry.seconds());
}

std::shared_ptr<device::LaunchObserver> ShapeAdapter::watch(Workload work) {
  if (!thread_.joinable()) return nullptr;
  learn_table();  // jobs that tune may have changed it
  const auto shared = std::make_shared<const Workload>(std::move(work));
  DriftSampler::Sink sink;
  sink.wants = [this](const tuning::TunedPlace& place) {
    const std::lock_guard lock(mutex_);
    return drifts_.knows(place);
  };
  sink.take = [this, shared](const tuning::TunedPlace& place, tuning::DriftWatch::Launch launch) {
    on_launch(place, launch, shared);
  };
  return std::make_shared<DriftSampler>(std::move(sink), rules_.between_samples);
}

void ShapeAdapter::on_launch(const tuning::TunedPlace& place, tuning::DriftWatch::Launch launch,
                             const std::shared_ptr<const Workload>& work) {
  {
    const std::lock_guard lock(mutex_);
    drifts_.add(place, launch);
    works_[place] = work;
    has_drift_ = drifts_.drift(std::chrono::steady_clock::now()).has_value();
    if (!has_drift_) return;
  }
  changed_.notify_all();
}

void ShapeAdapter::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::optional<Drift> drift;
    std::shared_ptr<const Workload> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, kLookAgain, [&] { return has_drift_; });
      if (stop.stop_requested()) return;
      has_drift_ = false;
      drift = drifts_.drift(std::chrono::steady_clock::now());
      if (!drift.has_value()) continue;
      work = works_[drift->place];
    }
    const Status status = try_neighbours(*drift, *work);
    if (!status.ok() && !stop.stop_requested())
      log_info("{} {} in {}, and its shapes could not be tried again. {}", drift->place.kernel, drift->why(),
               work->name, message_of(status));
    {
      const std::lock_guard lock(mutex_);
      drifts_.tried(drift->place, std::chrono::steady_clock::now());
      tries_++;
    }
    changed_.notify_all();
  }
}

StatusOr<TuneSubject> ShapeAdapter::subject_of(const Drift& drift, const Workload& work, TimePoint until) {
  TuneSubject subject{work.name, [&work](const DeviceShare&) { return work.expand(); }, work.batch};
  for (;; subject.batch /= 2) {
    ShapeObserver observer(share_.device);
    TunePass pass(share_, preparing_, observer, spare_source(), until);
    // Of the batches in the middle, which are timed: the first has fewer units where a filter looks ahead, and what is left at last too.
    int batches = 0;
    bool is_launched = false;
    const auto next = [&]() -> StatusOr<bool> {
      is_launched = observer.launches().contains(drift.place);
      observer.forget();
      return ++batches < kBatchesTried;
    };
    RETURN_IF_ERROR(pass.run(subject, next));
    if (is_launched) return subject;
    if (subject.batch <= 1) return not_found("No batch of {} launches it.", work.name);
  }
}

Status ShapeAdapter::try_neighbours(const Drift& drift, const Workload& work) {
  const TimePoint until = std::chrono::steady_clock::now() + rules_.longest_try;
  const tuning::TuningTable table = share_.tuning->table();
  const v1::TunedKernel* const before = tuning::find_tuned(table, drift.place.kernel, drift.place.size_class);
  const auto current = before == nullptr ? std::nullopt : device::read_shape(before->shape());
  if (!current.has_value()) return not_found("The table has no entry of it any more.");
  ASSIGN_OR_RETURN(const TuneSubject subject, subject_of(drift, work, until));
  ShapeObserver observer(share_.device);
  TunePass pass(share_, preparing_, observer, spare_source(), until);
  ASSIGN_OR_RETURN(const uint64_t wanted, pass.run_batches(subject, kBatchesCompared));
  const std::vector<int> shapes = tuning::neighbours_of(observer.shapes(drift.place.kernel), *current);
  if (shapes.size() < 2) return not_found("Its shape {} has no neighbours.", before->shape());
  std::set<int> faulty;
  for (const int shape : shapes) {
    observer.force(shape, {drift.place.kernel});
    ASSIGN_OR_RETURN(const uint64_t got, pass.run_batches(subject, kBatchesCompared));
    if (got != wanted) faulty.insert(shape);
  }
  PlaceTimer timer(observer, drift.place, shapes, faulty);
  if (timer.sweep().is_done()) return internal_error("No two of its shapes give the same bytes.");
  bool is_timing = false;
  const auto next = [&]() -> StatusOr<bool> {
    if (std::exchange(is_timing, true)) {
      ASSIGN_OR_RETURN(const bool goes_on, timer.take());
      if (!goes_on) observer.rest();
      if (!goes_on) return false;
    }
    timer.begin();
    return true;
  };
  RETURN_IF_ERROR(pass.run(subject, next));
  if (!timer.was_timed()) return not_found("No batch of {} launched it while it was timed.", work.name);
  v1::TunedKernel found = timer.entry();
  found.set_reason(fmt::format("Adapted: it {} in {}. {}", drift.why(), work.name, found.reason()));
  log_info("{}, launches of 2^{} lanes: {} -> {}. {}", found.kernel(), found.size_class(), before->shape(),
           found.shape(), found.reason());
  return share_.tuning->put({std::move(found)});
}

bool ShapeAdapter::wait_for_tries(int tries, Duration longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [&] { return tries_ >= tries; });
}

}  // namespace weft::worker
