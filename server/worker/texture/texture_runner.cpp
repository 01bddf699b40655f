// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_runner.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "base/fault_point.h"
#include "options/values.h"
#include "options/words.h"
#include "server/channel/status_message.h"
#include "server/worker/job/job_key.h"
#include "server/worker/texture/signed_blocks.h"

namespace weft::worker {
namespace {

// Increased when the bytes made from the same input and specification change.
constexpr int kTextureVersion = 3;

constexpr const char* kNoteOfTable = "What the table of exceptions names is made without a network.";

constexpr int kMostTextureRounds = 3;  // repetitions for files that change during the job
// limit of the textures that were read, and of those to be stored
constexpr size_t kWaitingTextures = 1;
// limit of the failed files that are reported with their reasons
constexpr size_t kReportedReasons = 100;

}  // namespace

TextureRunner::TextureRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : JobRunner(std::move(order), share, events, kAnalysing) {}

Status TextureRunner::work() {
  RETURN_IF_ERROR(state_.check(inspect(), Origin::kInput));
  // Repeats for files that changed meanwhile, so that the output is made from one state of the
  // input.
  for (int round = 0;; round++) {
    RETURN_IF_ERROR(resume_finished(round));
    if (to_do_.empty()) break;
    if (round == kMostTextureRounds)
      return unavailable("The input's files change faster than they are read ({}); wait until it is whole.",
                         to_do_[0].name);
    RETURN_IF_ERROR(process());
    RETURN_IF_ERROR(state_.error());
  }
  {
    const std::lock_guard lock(result_mutex_);
    if (stored_files_ == 0 && resumed_files_ == 0) return state_.check(first_failure_, Origin::kInput);
  }
  step_ = kFinishing;
  if (const std::string note = found_->note(order_.spec.texture().check() != v1::UPSAMPLE_CHECK_NOTE);
      !note.empty())
    notes_.add(note);
  return finished_->finish();
}

// Determines the textures, their sizes, and those that an earlier attempt finished.
Status TextureRunner::inspect() {
  ASSIGN_OR_RETURN(const std::string key, key_of(order_, kTextureVersion));
  const options::JobFile& output = order_.outputs[0];
  ASSIGN_OR_RETURN(finished_,
                   FinishedImages::open(order_.work_folder.get(), key, output.finished_name, is_set()));
  ASSIGN_OR_RETURN(items_, list_textures(order_.spec, order_.inputs, output.name()));
  ASSIGN_OR_RETURN(found_, FoundExceptions::open(*finished_, order_.work_folder.get(), key));
  int64_t total = 0;
  for (TextureItem& item : items_) {
    const auto input = [&]() -> StatusOr<TextureInput> {
      ASSIGN_OR_RETURN(const media::InputFilePtr file, open_texture(order_.inputs[0], item));
      return inspect_texture(*file, item.kind);
    }();
    meter_.beat();
    if (state_.failed()) return state_.error();
    if (!input.ok() && passes_over(item, input.status())) continue;
    RETURN_IF_ERROR(input.status());
    item.blocks = blocks_of(input->info);
    total += item.blocks;
  }
  meter_.units_total = total;  // without the files that have failed
  return ok_status();
}

// Determines the textures to process: those not finished yet, and those with a changed file.
Status TextureRunner::resume_finished(int round) {
  std::map<std::string, FileIdentity> known = finished_->sources(), retained;
  std::vector<std::string> changed;
  int64_t blocks = 0;
  to_do_.clear();
  for (const TextureItem& item : items_) {
    const auto found = known.find(finished_name_of(item));
    if (left_out_.contains(item.name)) continue;
    const std::optional<FileIdentity> now =
        found == known.end() ? std::nullopt : identity_of(order_.inputs[0], item.name);
    const bool is_changed = now && *now != found->second;  // a missing file counts as unchanged
    if (is_changed) {
      changed.push_back(item.name);
      RETURN_IF_ERROR(found_->forget(item.name.substr(item.name.rfind('/') + 1)));
    }
    if (is_changed || found == known.end()) {
      to_do_.push_back(item);
    } else {
      blocks += item.blocks;
      retained.insert(*found);
    }
    if (found != known.end()) known.erase(found);
  }
  note_changes(changed, int64_t(known.size()));
  const auto files = int64_t(retained.size());
  RETURN_IF_ERROR(finished_->retain(std::move(retained)));
  meter_.units_done = meter_.outputs_done = blocks;
  const std::lock_guard lock(result_mutex_);
  stored_blocks_ = blocks;
  if (round > 0) {
    resumed_files_ = std::min<int64_t>(resumed_files_, files);
    stored_files_ = files - resumed_files_;
    return ok_status();
  }
  resumed_ = blocks;
  resumed_files_ = files;
  if (resumed_files_ > 0 && is_set())
    events_.on_log("info", fmt::format("The job goes on: {} of {} textures are finished.",
                                       resumed_files_.load(), items_.size()));
  return ok_status();
}

void TextureRunner::note_changes(const std::vector<std::string>& changed, int64_t vanished) {
  constexpr size_t kNamed = 5;
  if (!changed.empty())
    notes_.add(
        fmt::format("The input changed while the job was at work: {} made anew ({}{}).",
                    options::format_count(int64_t(changed.size()), "texture"),
                    fmt::join(changed.begin(), changed.begin() + std::min(changed.size(), kNamed), ", "),
                    changed.size() > kNamed ? " and more" : ""));
  if (vanished > 0)
    notes_.add(
        fmt::format("The input changed while the job was at work: {} of files that are no longer "
                    "there left out.",
                    options::format_count(vanished, "texture")));
}

std::string TextureRunner::finished_name_of(const TextureItem& item) const {
  return is_set() ? item.output_name : order_.outputs[0].finished_name;
}

bool TextureRunner::passes_over(const TextureItem& item, const Status& status) {
  if (!is_set() || !is_fault_of_input(status)) return false;
  const std::string reason = message_of(status);
  meter_.units_total -= item.blocks;
  events_.on_log("warning", fmt::format("{} is left out: {}", item.name, reason));
  const std::lock_guard lock(result_mutex_);
  left_out_.insert(item.name);
  if (failed_.empty()) first_failure_ = status;
  v1::FailedInput& failed = failed_.emplace_back();
  failed.set_name(channel::as_utf8(item.name));
  if (failed_.size() <= kReportedReasons) failed.set_reason(channel::as_utf8(reason));
  return true;
}

Status TextureRunner::process() {
  BoundedQueue<Unit> sources(kWaitingTextures), made(kWaitingTextures);
  const FailureCallback abandon(state_, [&] {
    sources.abandon();
    made.abandon();
  });
  {
    const std::jthread reading = start_thread(
        [&] {
          Status status = read_all(sources);
          sources.close();
          return status;
        },
        Origin::kInput);
    const std::jthread storing = start_thread([&] { return store_all(made); }, Origin::kOutput);
    if (const Status status = enlarge_all(sources, made); !status.ok()) state_.fail(status, Origin::kDevice);
    made.close();
  }
  return state_.error();
}

// --- Reading ------------------------------------------------------------------------------------

Status TextureRunner::read_all(BoundedQueue<Unit>& sources) {
  for (const TextureItem& item : to_do_) {
    if (state_.failed()) return ok_status();
    StatusOr<Unit> unit = read(item);
    if (!unit.ok() && passes_over(item, unit.status())) continue;
    RETURN_IF_ERROR(unit.status());
    if (!sources.push(*std::move(unit))) return ok_status();
  }
  return ok_status();
}

StatusOr<TextureRunner::Unit> TextureRunner::read(const TextureItem& item) {
  const BusyTime busy(meter_.decode);
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_texture(order_.inputs[0], item));
  // Taken before the file is read, so that a later change is detected.
  ASSIGN_OR_RETURN(const FileIdentity identity, identity_of(*file));
  const auto plan_of = [&](const TextureInput& input) {
    return plan_texture(order_.spec, input, item.output_name, item.kind, item.is_exception);
  };
  // The header is checked first, so that an impossible texture uses no memory.
  ASSIGN_OR_RETURN(const TextureInput said, inspect_texture(*file, item.kind));
  RETURN_IF_ERROR(plan_of(said).status());
  ASSIGN_OR_RETURN(SourceTexture source, read_texture_input(*file, item.kind));
  ASSIGN_OR_RETURN(TexturePlan plan, plan_of(source.input));
  if (item.is_exception) notes_.add(kNoteOfTable);
  Unit unit{item, identity, std::move(source.input), std::move(plan), std::move(source.texture), 0};
  unit.blocks = blocks_of(unit.plan.source);
  meter_.decode.units += unit.blocks;
  meter_.beat();
  const std::string name = is_set() ? item.name + ": " : "";
  events_.on_log("info", fmt::format("{}Input: {}.", name, media::summary_of(unit.plan.source)));
  events_.on_log("info", fmt::format("{}Output: {} {}.", name, media::name_of(unit.plan.encoding.container),
                                     media::summary_of(unit.plan.target)));
  for (const std::string& note : unit.plan.notes) notes_.add(note);
  return unit;
}

// --- On the device ------------------------------------------------------------------------------

Status TextureRunner::enlarge_all(BoundedQueue<Unit>& sources, BoundedQueue<Unit>& made) {
  while (std::optional<Unit> unit = sources.pop()) {
    if (state_.failed()) break;
    step_ = kProcessing;
    RETURN_IF_ERROR(enlarge(*unit));
    if (state_.failed() || !made.push(*std::move(unit))) break;
  }
  return ok_status();
}

// Processes a texture. If a network degraded it, processes it again without a network.
Status TextureRunner::enlarge(Unit& unit) {
  const int64_t before = meter_.units_done;
  filters::texture::TextureComparison comparison(unit.plan.source.width, unit.plan.source.height);
  ASSIGN_OR_RETURN(media::Texture made, make(unit, unit.plan, before, comparison));
  if (const auto fault = comparison.fault(); fault && !state_.failed()) {
    RETURN_IF_ERROR(note_fault(unit, *fault));
    if (unit.plan.job.check() == v1::UPSAMPLE_CHECK_REPLACE) {
      ASSIGN_OR_RETURN(const TexturePlan plain,
                       plan_texture(order_.spec, unit.input, unit.item.output_name, unit.item.kind, true));
      ASSIGN_OR_RETURN(made, make(unit, plain, before, comparison));
    }
  }
  unit.texture = std::move(made);
  return ok_status();
}

Status TextureRunner::note_fault(const Unit& unit, const std::string& fault) {
  const std::string name = unit.item.name.substr(unit.item.name.rfind('/') + 1);
  const bool is_replaced = unit.plan.job.check() == v1::UPSAMPLE_CHECK_REPLACE;
  events_.on_log("warning", fmt::format("A network spoils {}{}. {}", name,
                                        is_replaced ? ", which is made without" : "", fault));
  return found_->add(name, fault);
}

// Makes a texture. If the plan is checked, `comparison` receives the results.
StatusOr<media::Texture> TextureRunner::make(const Unit& unit, const TexturePlan& plan, int64_t blocks_before,
                                             filters::texture::TextureComparison& comparison) {
  ASSIGN_OR_RETURN(media::Texture target, media::make_texture(plan.target));
  target.key_values = unit.texture.key_values;
  for (int level = 0; level < plan.kept_levels; level++)
    target.levels[size_t(level) + 1] = unit.texture.levels[size_t(level)];
  ASSIGN_OR_RETURN(const auto stage,
                   TextureStage::open(share_.device, share_.loop, plan, source(), meter_, blocks_before));
  steer(stage->batch_stage());
  events_.on_log("info", fmt::format("On the device: {} image(s) in {} portions each, {} MiB.",
                                     plan.source.images(), stage->portions(), stage->device_bytes() >> 20));
  const Status status =
      stage->run(unit.texture, [&](int image, const std::vector<std::span<const std::byte>>& outputs) {
        const int layer = image / plan.target.faces, face = image % plan.target.faces;
        const size_t levels = outputs.size() - (plan.task.is_checked ? 1 : 0);
        for (size_t i = 0; i < levels; i++) {
          const int level = i == 0 ? 0 : plan.task.first_made + int(i) - 1;
          const std::span<char> target_image = target.writable_image(level, layer, face);
          std::memcpy(target_image.data(), outputs[i].data(), target_image.size());
          if (plan.makes_signed()) to_signed_blocks(std::as_writable_bytes(target_image));
        }
        if (plan.task.is_checked) comparison.add(outputs.back());
        return ok_status();
      });
  steer_no_more(stage->batch_stage());
  RETURN_IF_ERROR(status);
  return target;
}

// --- Storing ------------------------------------------------------------------------------------

Status TextureRunner::store_all(BoundedQueue<Unit>& made) {
  while (const std::optional<Unit> unit = made.pop()) {
    RETURN_IF_ERROR(store(*unit));
    int64_t blocks = 0, files = 0;
    {
      const std::lock_guard lock(result_mutex_);
      blocks = stored_blocks_ += unit->blocks;
      files = ++stored_files_;
    }
    meter_.outputs_done = blocks;
    meter_.beat();
    events_.on_segment_finished(int(resumed_files_ + files) - 1, blocks);
  }
  return ok_status();
}

Status TextureRunner::store(const Unit& unit) {
  const BusyTime busy(meter_.encode);
  ASSIGN_OR_RETURN(const std::string bytes, media::encode_texture(unit.texture, unit.plan.encoding));
  RETURN_IF_ERROR(finished_->write(finished_name_of(unit.item), bytes, unit.identity));
  hash_written(finished_->finished_name(finished_name_of(unit.item)), bytes);
  FAULT_POINT("textures.after_texture");
  meter_.encode.units += unit.blocks;
  const std::lock_guard lock(result_mutex_);
  output_bytes_ += int64_t(bytes.size());
  return ok_status();
}

void TextureRunner::add_properties(v1::JobResult& result) const {
  const std::lock_guard lock(result_mutex_);
  result.set_units_in(stored_blocks_);
  result.set_output_bytes(output_bytes_);
  result.set_segments(int(resumed_files_ + stored_files_));
  result.set_segments_resumed(int(resumed_files_));
  for (const v1::FailedInput& failed : failed_) *result.add_failed_inputs() = failed;
  if (found_) found_->put_into(result);
}

}  // namespace weft::worker
