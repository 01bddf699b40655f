// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_plan.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "options/job_files.h"
#include "options/option.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/channel/status_message.h"
#include "server/media/image/image.h"
#include "server/media/read/packets/frame_bound.h"
#include "server/media/read/packets/size_scan.h"
#include "server/media/read/probe/probe.h"
#include "server/media/read/source/video_source.h"
#include "server/media/write/muxer.h"
#include "server/media/write/output_check.h"
#include "server/media/write/timecode.h"
#include "server/media/write/video_encoder.h"
#include "server/worker/video/filter_stage.h"
#include "server/worker/video/job_part.h"

namespace weft::worker {
namespace {

constexpr const char* kJob = "spec.video";
constexpr const char* kInput = "spec.video.input";
constexpr const char* kOutput = "spec.video.output";

std::string text_of(const VideoFormat& format) { return graph::PortFormat::picture(format).text(); }

std::string text_of(const media::Ratio& rate) {
  return rate.known() ? fmt::format(" {:.5g} fps", rate.value()) : "";
}

constexpr int64_t kMostTerm = std::numeric_limits<int>::max();

// INVALID_ARGUMENT when an int does not hold it.
StatusOr<media::Ratio> times(media::Ratio ratio, int64_t numerator, int64_t denominator, const char* what) {
  const auto too_fine = [&] {
    return invalid_argument(
        "The filters change the input's {} ({}/{}) by {}/{}, and the terms of the result exceed {}; use "
        "fewer filters that "
        "change the number of pictures.",
        what, ratio.num, ratio.den, numerator, denominator, kMostTerm);
  };
  if (std::max(numerator, denominator) > kMostTerm) return too_fine();
  int64_t num = ratio.num * numerator, den = ratio.den * denominator;
  const int64_t divisor = std::max<int64_t>(std::gcd(num, den), 1);
  num /= divisor;
  den /= divisor;
  if (std::max(num, den) > kMostTerm) return too_fine();
  return media::Ratio{int(num), int(den)};
}

StatusOr<media::OutputVideo> output_of(const media::VideoFacts& video, const Chain& chain) {
  media::OutputVideo output;
  output.format = chain.target.video;
  ASSIGN_OR_RETURN(output.time_base, times(video.time_base, 1, chain.time_divisor, "unit of time"));
  ASSIGN_OR_RETURN(output.frame_rate,
                   times(video.frame_rate, chain.rate.numerator, chain.rate.denominator, "frame rate"));
  output.sample_aspect_ratio = video.sample_aspect_ratio;
  if (chain.facts.sample_aspect != chain.input.facts.sample_aspect)
    output.sample_aspect_ratio = {chain.facts.sample_aspect.numerator, chain.facts.sample_aspect.denominator};
  const bool is_progressive = chain.facts.progressive && !chain.facts.interlaced;
  output.field_order = is_progressive ? ScanOrder::kProgressive : video.field_order;
  output.colour = video.colour;
  output.colour.matrix = chain.facts.colour.matrix;
  output.colour.transfer = chain.facts.colour.transfer;
  if (chain.facts.colour.is_full_range != chain.input.facts.colour.is_full_range)
    output.colour.range =
        chain.facts.colour.is_full_range ? media::Colour::Range::kFull : media::Colour::Range::kLimited;
  output.colour.chroma_location = int(chain.facts.chroma_site) + 1;
  output.hdr10 = video.hdr10;
  return output;
}

media::EncoderSettings encoder_of(const v1::VideoEncoding& encoding, std::string_view output_name) {
  media::EncoderSettings settings;
  settings.encoder = encoding.encoder() == v1::ENCODER_AUTO ? media::encoder_for(output_name)
                                                            : options::choice_name(encoding.encoder());
  for (const auto& [key, value] : encoding.encoder_options()) settings.options.emplace_back(key, value);
  std::sort(settings.options.begin(), settings.options.end());  // a map has no order of its own
  settings.threads =
      encoding.encoder_threads() > 0 ? encoding.encoder_threads() : media::default_encoder_threads();
  return settings;
}

// The field that an encoder's complaint is about, below the encoding's: its options, if it opens without them.
const char* encoder_field(const VideoPlan& plan) {
  media::EncoderSettings plain = plan.encoder;
  plain.options.clear();
  const bool options_are_wrong =
      !plan.encoder.options.empty() && media::check_encoder(plain, plan.output).ok();
  return options_are_wrong ? "encoder_options" : "encoder";
}

// What filters are told of the video.
ChainInput input_of(const media::VideoFacts& video) {
  ChainInput input;
  input.format = graph::PortFormat::picture(video.format);
  input.facts.colour = {video.colour.transfer, video.colour.matrix,
                        video.colour.range == media::Colour::Range::kFull};
  input.facts.chroma_site = chroma_site_of(video);
  input.facts.interlaced = media::is_interlaced(video.field_order);
  input.facts.progressive = video.field_order == ScanOrder::kProgressive;
  input.facts.sample_aspect = {video.sample_aspect_ratio.num, video.sample_aspect_ratio.den};
  return input;
}

media::SoundChoice sound_of(v1::Audio audio) {
  switch (audio) {
    case v1::AUDIO_AAC:
      return media::SoundChoice::kAac;
    case v1::AUDIO_FLAC:
      return media::SoundChoice::kFlac;
    case v1::AUDIO_NONE:
      return media::SoundChoice::kNone;
    default:
      return media::SoundChoice::kCopy;
  }
}

media::CopyChoices choices_of(const v1::VideoEncoding& encoding) {
  media::CopyChoices choices;
  if (encoding.unsupported_streams() == v1::UNSUPPORTED_STREAMS_REFUSE)
    choices.unsupported = media::Unsupported::kRefuse;
  choices.audio = sound_of(encoding.audio());
  for (const auto& [stream, audio] : encoding.audio_streams())
    choices.audio_streams[stream] = sound_of(v1::Audio(audio));
  choices.subtitles = encoding.subtitles() != v1::SUBTITLES_NONE;
  return choices;
}

media::OnSizeChange size_change_of(const v1::VideoDecoding& decoding) {
  if (decoding.on_size_change() == v1::SIZE_CHANGE_SCALE) return media::OnSizeChange::kPasses;
  if (decoding.on_size_change() == v1::SIZE_CHANGE_SPLIT) return media::OnSizeChange::kSplits;
  return media::OnSizeChange::kFails;
}

Status plan_output(const v1::VideoJob& job, std::string_view output_name, VideoPlan& plan) {
  plan.encoder = encoder_of(job.encoding(), output_name);
  StatusOr<media::OutputVideo> output = output_of(plan.facts.video, plan.chain);
  if (!output.ok()) return blame(kInput, output.status());
  plan.output = *std::move(output);
  plan.choices = choices_of(job.encoding());
  StatusOr<media::OutputPlan> container =
      media::check_output(output_name, plan.encoder.encoder, plan.facts, plan.choices);
  if (!container.ok()) return blame(kOutput, container.status());
  plan.container = *std::move(container);
  plan.notes.insert(plan.notes.end(), plan.container.notes.begin(), plan.container.notes.end());
  for (const std::string& note :
       {media::fields_note(output_name, plan.encoder.encoder, plan.output),
        media::widening_note(plan.encoder.encoder, plan.output),
        media::hdr10_note(output_name, plan.encoder.encoder, plan.output),
        media::timecode_note(output_name, plan.encoder.encoder, plan.facts, plan.output)})
    if (!note.empty()) plan.notes.push_back(note);
  for (std::string& note : media::side_data_notes(output_name, plan.encoder.encoder, plan.facts.video))
    plan.notes.push_back(std::move(note));
  for (std::string& note :
       media::metadata_notes(output_name, plan.encoder.encoder, plan.facts, plan.container))
    plan.notes.push_back(std::move(note));
  StatusOr<media::SegmentHeader> header = media::encoder_header(plan.encoder, plan.output);
  if (!header.ok()) return blame(fmt::format("{}.encoding.{}", kJob, encoder_field(plan)), header.status());
  plan.header = *std::move(header);
  return ok_status();
}

// What would be found when all work is done.
Status check_muxing(const VideoPlan& plan, const media::InputFilePtr& input, std::string_view output_name) {
  if (!plan.writes_file()) return ok_status();
  const Status tried = media::try_output({.source = input,
                                          .programme = plan.source.programme,
                                          .name = std::string(output_name),
                                          .video = plan.header,
                                          .plan = plan.container,
                                          .choices = plan.choices});
  return tried.ok() ? tried : blame(kOutput, tried);
}

// Of a part it is not known whether the place lies in it.
Status check_size_change(const media::LaterSize& change, const VideoPlan& plan) {
  if (plan.source.on_size_change != media::OnSizeChange::kFails || !plan.part.is_whole()) return ok_status();
  const VideoFormat& first = plan.facts.video.format;
  return blame(
      "spec.video.decoding.on_size_change",
      invalid_argument(
          "The pictures are {}x{} at first and {}x{} from about {:.1f} s on; choose \"scale\" to have them "
          "scaled to the first size, or \"split\" to have a file for each.",
          first.width, first.height, change.width, change.height,
          std::chrono::duration<double>(change.time).count()));
}

const char* text_of(ScanOrder order) {
  switch (order) {
    case ScanOrder::kTopFirst:
      return ", interlaced, top field first";
    case ScanOrder::kBottomFirst:
      return ", interlaced, bottom field first";
    case ScanOrder::kProgressive:
      return ", progressive";
    case ScanOrder::kUnknown:
      break;
  }
  return "";
}

}  // namespace

graph::ChromaSite chroma_site_of(const media::VideoFacts& video) {
  return graph::ChromaSite(video.colour.chroma_location - 1);
}

std::string VideoPlan::pace_key() const {
  std::string key = fmt::format("{}, {} {} {} threads {}, {} threads {}", chain.cost_key, facts.video.codec,
                                facts.video.pixel_format, source.hardware ? "auto" : "software",
                                source.threads, encoder.encoder, encoder.threads);
  for (const auto& [option, value] : encoder.options) key += fmt::format(" {}={}", option, value);
  return key;
}

StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaFacts& facts,
                               std::string_view output_name, ChainInputs option_files) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  v1::VideoJob job = spec.video();
  options::apply_defaults(job);
  VideoPlan plan;
  plan.facts = facts;
  ASSIGN_OR_RETURN(plan.part, part_of(job, facts));
  plan.frames = estimate_frames(plan.part, facts.video);
  if (facts.bytes > 0) plan.frames = std::min(plan.frames, media::most_frames(facts.bytes));
  const StatusOr<Chain> chain =
      plan_chain(spec.video(), input_of(facts.video), std::move(option_files), kJob);
  if (!chain.ok()) return blame(kInput, chain.status());
  plan.chain = *chain;
  plan.notes = plan.chain.notes;
  if (facts.video.alpha)
    plan.notes.push_back(fmt::format("The input's transparency ({}) is left out.", facts.video.pixel_format));
  plan.source.programme = job.decoding().programme();
  plan.fails_when_short = job.decoding().on_short_input() == v1::SHORT_INPUT_FAIL;
  plan.source.threads = job.decoding().decoder_threads();
  plan.source.on_size_change = size_change_of(job.decoding());
  if (plan.source.on_size_change == media::OnSizeChange::kSplits)
    plan.part.size = {facts.video.format.width, facts.video.format.height};
  // Frames of another size are scaled in memory.
  plan.source.hardware = job.decoding().decoder() == v1::DECODER_AUTO &&
                         plan.source.on_size_change == media::OnSizeChange::kFails;
  plan.segment_frames = job.encoding().segment_frames();
  // A segment has pictures, however many are dropped.
  if (plan.chain.rate.numerator < plan.chain.rate.denominator)
    plan.segment_frames = std::max(plan.segment_frames, 4 * plan.chain.rate.denominator);
  RETURN_IF_ERROR(plan_output(job, output_name, plan));
  return plan;
}

Status refuse_late_streams(const VideoPlan& plan, const media::InputFilePtr& input,
                           std::string_view output_name) {
  if (plan.choices.unsupported != media::Unsupported::kRefuse || !plan.part.is_whole()) return ok_status();
  media::MediaFacts facts = plan.facts;
  ASSIGN_OR_RETURN(facts.others, media::probe_streams(input, plan.source.programme, plan.source.alive));
  const Status checked = media::check_output(output_name, plan.encoder.encoder, facts, plan.choices).status();
  return checked.ok() ? checked : blame(kOutput, checked);
}

std::string summary_of(const media::MediaFacts& facts) {
  const media::VideoFacts& video = facts.video;
  std::string text = fmt::format("{} {}{}{}", video.codec, text_of(video.format), text_of(video.frame_rate),
                                 text_of(video.field_order));
  const auto add = [&](media::StreamKind kind, const char* name) {
    if (const int count = facts.count(kind); count > 0) text += fmt::format("; {} {}", count, name);
  };
  add(media::StreamKind::kAudio, "audio");
  add(media::StreamKind::kSubtitle, "subtitle");
  add(media::StreamKind::kAttachment, "attachment");
  return text;
}

std::string summary_of(const VideoPlan& plan) {
  std::string text = fmt::format("{} {}{}", plan.encoder.encoder, text_of(plan.output.format),
                                 text_of(plan.output.frame_rate));
  if (!plan.container.container.empty()) text += " in " + plan.container.container;
  if (media::is_interlaced(plan.output.field_order)) text += text_of(plan.output.field_order);
  return text;
}

namespace {

// What a job takes next to its frames: the code and tables of libraries, stacks, packets.
constexpr int64_t kJobBytes = int64_t{96} << 20;
// Frames that a decoder keeps: references and what it reorders, and what each of its threads has in work. Measured at 3840x2160 and 8192x8192 with
// FFmpeg 5.1: H.264 9 to 12 frames with 2 threads and 34 to 40 with 16, HEVC 9 and 30, ProRes 3 and 17, MPEG-2 4.
constexpr int64_t kDecoderFrames = 8, kDecoderThreadFrames = 2;
constexpr int kMostDecoderThreads = 16;

int64_t decoder_frames(const media::SourceOptions& source) {
  const int machine = int(std::clamp(std::thread::hardware_concurrency(), 1u, unsigned{kMostDecoderThreads}));
  return kDecoderFrames + kDecoderThreadFrames * (source.threads > 0 ? source.threads : machine);
}

// Of pictures that are kept by the pipeline, waiting ones are part of that.
StatusOr<ChainMemory> memory_of_video(const VideoPlan& plan) {
  const VideoFormat& format = plan.facts.video.format;
  ASSIGN_OR_RETURN(ChainMemory memory,
                   memory_of(plan.chain, plan_options(format, pictures_held(plan.output.format))));
  const auto waiting = int64_t(queue_capacity(format) + media::kSeenFrames);
  const int64_t decoded = (waiting + decoder_frames(plan.source)) * int64_t(format.packed_bytes());
  const int64_t more = kJobBytes + decoded + media::estimate_encoder_memory(plan.encoder, plan.output);
  memory.host_bytes += more;
  memory.shared_bytes += more;
  return memory;
}

// What the file says of itself, but for more frames than its bytes can hold: space and time are planned by them.
StatusOr<media::MediaFacts> believable_facts(const media::InputFilePtr& input, int programme) {
  ASSIGN_OR_RETURN(media::MediaFacts facts, media::probe(input, programme));
  ASSIGN_OR_RETURN(const int64_t frames, media::believable_frames(input, programme, facts.video.frames));
  if (frames < facts.video.frames) facts.video.frames_exact = false;
  facts.video.frames = frames;
  return facts;
}

}  // namespace

StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  const options::JobFiles files = options::files_of_job(spec);
  const StatusOr<media::InputFilePtr> input = open_input_file(inputs[0]);
  if (!input.ok()) return blame(files.inputs[0].field, input.status());
  const int programme = spec.video().decoding().programme();
  const StatusOr<media::MediaFacts> facts = believable_facts(*input, programme);
  if (!facts.ok()) return blame(files.inputs[0].field, facts.status());
  ASSIGN_OR_RETURN(const std::optional<media::LaterSize> change, media::find_size_change(*input, programme));
  ASSIGN_OR_RETURN(ChainInputs option_files, read_option_files(inputs, kJob));
  ASSIGN_OR_RETURN(const VideoPlan plan,
                   plan_video(spec, *facts, files.outputs[0].name(), std::move(option_files)));
  if (change) RETURN_IF_ERROR(check_size_change(*change, plan));
  RETURN_IF_ERROR(check_muxing(plan, *input, files.outputs[0].name()));

  v1::JobEstimate estimate;
  estimate.set_media(v1::MEDIA_KIND_VIDEO);
  estimate.set_input_summary(channel::as_utf8(summary_of(*facts)));
  estimate.set_output_summary(channel::as_utf8(summary_of(plan)));
  const int64_t frames = plan.frames;
  estimate.set_units_in(frames);
  estimate.set_units_out(frames * plan.chain.rate.numerator / plan.chain.rate.denominator);
  estimate.set_cost_key(plan.chain.cost_key);
  estimate.set_pace_key(channel::as_utf8(plan.pace_key()));
  *estimate.mutable_unit_work() = to_message(plan.chain.work);
  ASSIGN_OR_RETURN(const ChainMemory memory, memory_of_video(plan));
  estimate.set_host_bytes(memory.host_bytes);
  estimate.set_shared_bytes(memory.shared_bytes);
  estimate.set_plan_graph(channel::as_utf8(memory.plan_graph));
  if (frames > 0 && plan.writes_file()) {
    // Segments and the finished file stand side by side at the end; a quarter of the input's part is a guess at what is copied.
    const int64_t video = media::estimate_bytes(plan.encoder, plan.output, estimate.units_out());
    const double part = std::min(1.0, double(frames) / double(std::max<int64_t>(facts->video.frames, 1)));
    const auto copied = int64_t(part * double(facts->bytes) / 4);
    estimate.set_output_bytes(2 * video + (plan.container.copied.empty() ? 0 : copied));
  }
  return estimate;
}

}  // namespace weft::worker
