// SPDX-License-Identifier: Apache-2.0
#include "server/worker/image/image_runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fault_point.h"
#include "options/frame_pattern.h"
#include "options/words.h"
#include "server/media/image/image_file.h"
#include "server/worker/image/preview.h"
#include "server/worker/job/job_key.h"

namespace weft::worker {
namespace {

// Increased when the bytes made from the same input and specification change: older images are then
// processed again.
constexpr int kOutputVersion = 2;

constexpr int kMostRounds = 3;  // repetitions for files that change during the job

// interval of reports of finished images to the daemon
constexpr Duration kResultInterval = std::chrono::seconds(1);

}  // namespace

ImageRunner::ImageRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : JobRunner(std::move(order), share, events, kAnalysing) {}

Status ImageRunner::work() {
  Status status = attempt();
  note_reports();
  return status;
}

Status ImageRunner::attempt() {
  RETURN_IF_ERROR(state_.check(prepare(), Origin::kInput));
  ASSIGN_OR_RETURN(const std::string key, key_of(order_, kOutputVersion));
  ASSIGN_OR_RETURN(finished_, FinishedImages::open(order_.work_folder.get(), key,
                                                   order_.outputs[0].finished_name, plan_.is_sequence));
  // Repeats for files that changed meanwhile, so that the output is made from one state of the
  // input.
  for (int round = 0;; round++) {
    RETURN_IF_ERROR(resume_finished(round));
    if (to_do_.empty()) break;
    if (round == kMostRounds)
      return unavailable("The input's files change faster than they are read ({}); wait until it is whole.",
                         describe(to_do_));
    RETURN_IF_ERROR(process());
    RETURN_IF_ERROR(state_.error());
  }
  step_ = kFinishing;
  return finished_->finish();
}

Status ImageRunner::prepare() {
  ASSIGN_OR_RETURN(plan_, plan_images(order_.spec, order_.inputs[0], order_.outputs[0].name()));
  meter_.units_total = int64_t(plan_.frames.size());
  meter_.beat();
  ASSIGN_OR_RETURN(option_files_, read_option_files(order_.inputs, "spec.image"));
  meter_.beat();
  if (!plan_.missing.empty())
    notes_.add(fmt::format("{} left out ({}).",
                           options::format_count(int64_t(plan_.missing.size()), "missing frame"),
                           options::describe_frames(plan_.missing)));
  events_.on_log("info", fmt::format("Output: {}.", summary_of(plan_)));
  return ok_status();
}

Status ImageRunner::resume_finished(int round) {
  std::map<std::string, FileIdentity> known = finished_->sources(), retained;
  std::vector<size_t> changed;
  to_do_.clear();
  next_ = 0;
  for (size_t i = 0; i < plan_.frames.size(); i++) {
    const ImageFrame& frame = plan_.frames[i];
    const auto found = known.find(frame.output_name);
    const std::optional<FileIdentity> now =
        found == known.end() ? std::nullopt : identity_of(order_.inputs[0], frame.name);
    const bool is_changed = now && *now != found->second;  // a missing file counts as unchanged
    if (is_changed) changed.push_back(i);
    if (is_changed || found == known.end())
      to_do_.push_back(i);
    else
      retained.insert(*found);
    if (found != known.end()) known.erase(found);
  }
  note_changes(changed, int64_t(known.size()));
  const options::JobFile* preview = order_.output("preview");
  if (preview != nullptr && (!changed.empty() || !known.empty()))
    finished_->remove_extra(preview->finished_name);
  const bool has_first = to_do_.empty() || to_do_[0] != 0;
  if (preview != nullptr && has_first && !finished_->has_extra(preview->finished_name)) {
    to_do_.insert(to_do_.begin(), 0);
    retained.erase(plan_.frames[0].output_name);
  }
  RETURN_IF_ERROR(finished_->retain(std::move(retained)));
  const auto done = int64_t(plan_.frames.size() - to_do_.size());
  meter_.units_done = meter_.outputs_done = done;
  if (round > 0) return ok_status();
  resumed_ = done;
  if (resumed_ > 0)
    events_.on_log("info", fmt::format("The job goes on: {} of {} images are finished.", resumed_.load(),
                                       plan_.frames.size()));
  return ok_status();
}

void ImageRunner::note_changes(const std::vector<size_t>& changed, int64_t vanished) {
  if (!changed.empty())
    notes_.add(fmt::format("The input changed while the job was at work: {} made anew ({}).",
                           options::format_count(int64_t(changed.size()), "image"), describe(changed)));
  if (vanished > 0)
    notes_.add(
        fmt::format("The input changed while the job was at work: {} of frames that are no longer in the "
                    "sequence left out.",
                    options::format_count(vanished, "image")));
}

std::string ImageRunner::describe(const std::vector<size_t>& frames) const {
  if (!plan_.is_sequence) return plan_.frames[0].name;
  std::vector<int64_t> numbers;
  for (const size_t frame : frames) numbers.push_back(plan_.frames[frame].number);
  return "frames " + options::describe_frames(numbers);
}

Status ImageRunner::process() {
  StatusOr<LargestImage> largest = find_largest(plan_, order_.inputs[0], [&] { meter_.beat(); });
  ASSIGN_OR_RETURN(largest_, state_.check(std::move(largest), Origin::kInput));
  ASSIGN_OR_RETURN(const media::ImageInfo first,
                   state_.check(inspect(plan_.frames[to_do_[0]]), Origin::kInput));
  events_.on_log("info", fmt::format("Input: {}.", summary_of(first)));
  const size_t capacity = waiting_images(first);
  BoundedQueue<ImageUnit> images(capacity), done(capacity);
  step_ = kProcessing;
  const FailureCallback abandon(state_, [&] {
    images.abandon();
    done.abandon();
  });
  {
    std::vector<std::jthread> threads;
    reading_ = image_threads(to_do_.size());
    const auto read = [&] {
      Status status = read_some(images);
      if (--reading_ == 0) images.close();
      return status;
    };
    for (int i = 0, count = reading_; i < count; i++) {
      threads.push_back(start_thread(read, Origin::kInput));
      threads.push_back(start_thread([&] { return store_some(done); }, Origin::kOutput));
    }
    if (const Status filtered = filter_all(images, done); !filtered.ok())
      state_.fail(filtered, Origin::kDevice);
    done.close();
  }
  return state_.error();
}

// Filters the images. Each run of images of one size and type has its own stage.
Status ImageRunner::filter_all(BoundedQueue<ImageUnit>& images, BoundedQueue<ImageUnit>& done) {
  std::optional<ImageUnit> next = images.pop();
  while (next.has_value() && !state_.failed()) {
    ASSIGN_OR_RETURN(const std::unique_ptr<ImageStage> stage, open_stage(next->image.info));
    auto other = stage->run(*std::move(next), images, done);
    steer_no_more(stage->batch_stage());
    ASSIGN_OR_RETURN(next, std::move(other));
  }
  return ok_status();
}

StatusOr<std::unique_ptr<ImageStage>> ImageRunner::open_stage(const media::ImageInfo& info) {
  ASSIGN_OR_RETURN(const Chain chain, plan_.chain_of(info, option_files_));
  for (const std::string& note : chain.notes) notes_.add(note);
  ImageStage::Start start;
  start.source = source();
  start.source.cost_key = chain.cost_key;
  ASSIGN_OR_RETURN(graph::Network network, expand(chain, start.source));
  start.result = plan_.result_samples(info);
  start.images = int64_t(to_do_.size());
  start.batch_halvings = order_.batch_halvings;
  ASSIGN_OR_RETURN(auto stage,
                   ImageStage::open(share_.device, share_.loop, std::move(network), info, start, meter_));
  steer(stage->batch_stage());
  events_.on_log("info",
                 fmt::format("On the device: images of {}x{}, up to {} in a batch, {} MiB.", info.data.width,
                             info.data.height, stage->batch(), stage->device_bytes() >> 20));
  return stage;
}

Status ImageRunner::read_some(BoundedQueue<ImageUnit>& images) {
  for (size_t at = next_++; at < to_do_.size() && !state_.failed(); at = next_++) {
    ImageUnit unit;
    unit.index = to_do_[at];
    {
      const BusyTime busy(meter_.decode);
      ASSIGN_OR_RETURN(const media::InputFilePtr file,
                       open_image(plan_, order_.inputs[0], plan_.frames[unit.index]));
      // Taken before the file is read, so that a later change is detected.
      ASSIGN_OR_RETURN(unit.source, identity_of(*file));
      ASSIGN_OR_RETURN(const media::ImageInfo said, media::probe_image(*file, plan_.reading));
      if (const Status planned = check_planned(said, largest_); !planned.ok())
        return with_context(planned, name_of(plan_.frames[unit.index]));
      ASSIGN_OR_RETURN(unit.image, media::read_image(*file, plan_.reading));
    }
    meter_.decode.units++;
    meter_.beat();
    if (unit.index == 0 && order_.output("preview") != nullptr) {
      ASSIGN_OR_RETURN(std::string before, preview_of(unit.image, plan_.job.preview_exposure()));
      const std::lock_guard lock(result_mutex_);
      before_ = std::move(before);
    }
    if (!images.push(std::move(unit))) return ok_status();
  }
  return ok_status();
}

StatusOr<media::ImageInfo> ImageRunner::inspect(const ImageFrame& frame) const {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_image(plan_, order_.inputs[0], frame));
  return media::probe_image(*file, plan_.reading);
}

Status ImageRunner::store_some(BoundedQueue<ImageUnit>& done) {
  while (const std::optional<ImageUnit> unit = done.pop()) {
    {
      const BusyTime busy(meter_.encode);
      RETURN_IF_ERROR(store(*unit));
    }
    meter_.encode.units++;
    meter_.beat();
    count_finished(*unit);
  }
  return ok_status();
}

Status ImageRunner::store(const ImageUnit& unit) {
  const ImageFrame& frame = plan_.frames[unit.index];
  // The preview is stored before the image, so that a finished image implies a finished preview.
  if (unit.index == 0 && order_.output("preview") != nullptr) RETURN_IF_ERROR(store_preview(unit.image));
  const media::ImageEncoding encoding = plan_.encoding_of(unit.image.info);
  const StatusOr<std::string> bytes = media::encode_image(unit.image, encoding);
  // DATA_LOSS is damage in the input's other channels and parts; another attempt would find the
  // same.
  if (bytes.status().code() == StatusCode::kDataLoss) state_.fail(bytes.status(), Origin::kInput);
  RETURN_IF_ERROR(bytes.status());
  RETURN_IF_ERROR(finished_->write(frame.output_name, *bytes, unit.source));
  hash_written(finished_->finished_name(frame.output_name), *bytes);
  FAULT_POINT("images.after_image");
  for (const std::string& text : unit.image.info.notes) notes_.add(text);
  for (const std::string& text : media::left_out(unit.image.info, encoding)) notes_.add(text);
  const std::lock_guard lock(result_mutex_);
  output_bytes_ += int64_t(bytes->size());
  return ok_status();
}

Status ImageRunner::store_preview(const media::Image& after) {
  std::string before;
  {
    const std::lock_guard lock(result_mutex_);
    before = std::move(before_);
  }
  ASSIGN_OR_RETURN(const std::string right, preview_of(after, plan_.job.preview_exposure()));
  ASSIGN_OR_RETURN(const std::string both, beside_each_other(before, right));
  return finished_->write_extra(order_.output("preview")->finished_name, both);
}

void ImageRunner::count_finished(const ImageUnit& unit) {
  const filters::bloom::PixelReport& report = unit.report;
  const ImageFrame& frame = plan_.frames[unit.index];
  if (report.not_finite > 0)
    events_.on_log("warning", fmt::format("{}: {} pixels that are no numbers or infinite were replaced.",
                                          name_of(frame), report.not_finite));
  const std::lock_guard lock(result_mutex_);
  not_finite_pixels_ += report.not_finite;
  negative_pixels_ += report.negative;
  if (report.not_finite > 0) not_finite_.push_back(frame.number);
  if (report.negative > 0) negative_.push_back(frame.number);
  const int64_t finished = ++meter_.units_done;
  meter_.outputs_done++;
  const TimePoint now = std::chrono::steady_clock::now();
  if (now < reported_at_ + kResultInterval) return;
  reported_at_ = now;
  events_.on_segment_finished(int(finished) - 1, finished);
}

std::string ImageRunner::name_of(const ImageFrame& frame) const {
  return plan_.is_sequence ? fmt::format("Frame {}", frame.number) : "The image";
}

void ImageRunner::note_reports() {
  const std::lock_guard lock(result_mutex_);
  const auto where = [&](std::vector<int64_t>& frames) {
    std::sort(frames.begin(), frames.end());
    return plan_.is_sequence ? fmt::format(" (frames {})", options::describe_frames(frames)) : std::string();
  };
  if (not_finite_pixels_ > 0)
    notes_.add(fmt::format("{} pixels that are no numbers or infinite were replaced{}.", not_finite_pixels_,
                           where(not_finite_)));
  if (negative_pixels_ > 0)
    notes_.add(fmt::format("{} pixels below 0 do not glow{}.", negative_pixels_, where(negative_)));
}

void ImageRunner::add_properties(v1::JobResult& result) const {
  const std::lock_guard lock(result_mutex_);
  result.set_output_bytes(output_bytes_);
  result.set_segments(int(meter_.units_done));
  result.set_segments_resumed(int(resumed_));
}

}  // namespace weft::worker
