// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_plan.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "options/job_paths.h"
#include "options/option.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/channel/status_message.h"
#include "server/media/image/image.h"
#include "server/media/read/probe.h"
#include "server/worker/job/single_filter.h"

namespace weft::worker {
namespace {

std::string text_of(const media::Ratio& rate) {
  return rate.known() ? fmt::format(" {:.5g} fps", rate.value()) : "";
}

// Twice and half of a ratio. INVALID_ARGUMENT when an int does not hold it.
StatusOr<media::Ratio> twice(media::Ratio ratio) {
  if (ratio.den % 2 == 0) return media::Ratio{ratio.num, ratio.den / 2};
  if (ratio.num > std::numeric_limits<int>::max() / 2)
    return invalid_argument("The input's frame rate ({}/{}) cannot be doubled; it is not plausible.",
                            ratio.num, ratio.den);
  return media::Ratio{ratio.num * 2, ratio.den};
}
StatusOr<media::Ratio> half(media::Ratio ratio) {
  if (ratio.num % 2 == 0) return media::Ratio{ratio.num / 2, ratio.den};
  if (ratio.den > std::numeric_limits<int>::max() / 2)
    return invalid_argument("The input's unit of time ({}/{} s) cannot be halved; it is not plausible.",
                            ratio.num, ratio.den);
  return media::Ratio{ratio.num, ratio.den * 2};
}

StatusOr<media::OutputVideo> output_of(const media::VideoFacts& video, const FrameFilter& filter) {
  media::OutputVideo output;
  output.format = video.format;
  ASSIGN_OR_RETURN(output.time_base, half(video.time_base));
  output.frame_rate = video.frame_rate;
  if (filter.outputs_per_frame == 2) {
    ASSIGN_OR_RETURN(output.frame_rate, twice(video.frame_rate));
  }
  output.sample_aspect_ratio = video.sample_aspect_ratio;
  if (filter.keeps_fields) output.field_order = video.field_order;
  output.colour = video.colour;
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

constexpr const char* kField = "spec.video";

filters::bloom::VideoColour colour_of(const media::Colour& colour) {
  return {colour.transfer, colour.matrix, colour.range == media::Colour::Range::kFull};
}

Status plan_output(const v1::VideoJob& job, std::string_view output_name, VideoPlan& plan) {
  plan.encoder = encoder_of(job.encoding(), output_name);
  StatusOr<media::OutputVideo> output = output_of(plan.facts.video, plan.filter);
  if (!output.ok()) return blame(fmt::format("{}.input", kField), output.status());
  plan.output = *std::move(output);
  const auto unsupported = job.encoding().unsupported_streams() == v1::UNSUPPORTED_STREAMS_REFUSE
                               ? media::Unsupported::kRefuse
                               : media::Unsupported::kDrop;
  StatusOr<media::OutputPlan> container =
      media::check_output(output_name, plan.encoder.encoder, plan.facts, unsupported);
  if (!container.ok()) return blame(fmt::format("{}.output", kField), container.status());
  plan.container = *std::move(container);
  plan.notes.insert(plan.notes.end(), plan.container.notes.begin(), plan.container.notes.end());
  for (const std::string& note : {media::fields_note(output_name, plan.encoder.encoder, plan.output),
                                  media::widening_note(plan.encoder.encoder, plan.output),
                                  media::hdr10_note(output_name, plan.encoder.encoder, plan.output)})
    if (!note.empty()) plan.notes.push_back(note);
  const Status encoder = media::check_encoder(plan.encoder, plan.output);
  return encoder.ok() ? encoder : blame(fmt::format("{}.encoding.{}", kField, encoder_field(plan)), encoder);
}

const char* text_of(FieldOrder order) {
  switch (order) {
    case FieldOrder::kTopFirst:
      return ", interlaced, top field first";
    case FieldOrder::kBottomFirst:
      return ", interlaced, bottom field first";
    case FieldOrder::kProgressive:
      return ", progressive";
    case FieldOrder::kUnknown:
      break;
  }
  return "";
}

StatusOr<FrameFilter> deinterlacing_of(const v1::DeinterlaceOptions& deinterlace, VideoPlan& plan) {
  const media::VideoFacts& video = plan.facts.video;
  if (video.field_order == FieldOrder::kProgressive && deinterlace.frames() == v1::FRAME_SELECTION_ALL)
    plan.notes.emplace_back(
        "The input says that it is progressive, and is deinterlaced all the same; --frames flagged leaves "
        "such frames as they are.");
  return deinterlacing(video.format, deinterlace);
}

StatusOr<FrameFilter> blooming_of(const v1::BloomOptions& bloom, BloomInputs inputs, VideoPlan& plan) {
  const media::VideoFacts& video = plan.facts.video;
  const VideoFormat& format = video.format;
  RETURN_IF_ERROR(
      check_bloom(bloom, inputs, {format.width, format.height, fmt::format("{}.input", kField)}, kField));
  if (format.chroma == Chroma::kGray)
    if (std::string note = note_of_gray(bloom, inputs); !note.empty()) plan.notes.push_back(std::move(note));
  if (media::is_interlaced(video.field_order))
    plan.notes.emplace_back(
        "The input is interlaced, and its two fields glow as one picture; deinterlace it first.");
  return blooming(format, colour_of(video.colour), bloom, std::move(inputs));
}

}  // namespace

std::string VideoPlan::pace_key() const {
  std::string key = fmt::format("{}, {} {} {} threads {}, {} threads {}", filter.cost_key, facts.video.codec,
                                facts.video.pixel_format, source.hardware ? "auto" : "software",
                                source.threads, encoder.encoder, encoder.threads);
  for (const auto& [option, value] : encoder.options) key += fmt::format(" {}={}", option, value);
  return key;
}

StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaFacts& facts,
                               std::string_view output_name, BloomInputs inputs) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  v1::VideoJob job = spec.video();
  options::apply_defaults(job);
  VideoPlan plan;
  plan.facts = facts;
  ASSIGN_OR_RETURN(const SingleFilter single, single_filter(job, kField));
  StatusOr<FrameFilter> filter = single.deinterlacer ? deinterlacing_of(*single.deinterlacer, plan)
                                                     : blooming_of(*single.bloom, std::move(inputs), plan);
  if (facts.video.alpha)
    plan.notes.push_back(fmt::format("The input's transparency ({}) is left out.", facts.video.pixel_format));
  if (!filter.ok() && !options::violations_of(filter.status()).empty()) return filter.status();
  if (!filter.ok()) return blame(fmt::format("{}.input", kField), filter.status());
  plan.filter = *std::move(filter);
  plan.source.threads = job.decoding().decoder_threads();
  plan.source.hardware = job.decoding().decoder() == v1::DECODER_AUTO;
  plan.segment_frames = job.encoding().segment_frames();
  RETURN_IF_ERROR(plan_output(job, output_name, plan));
  return plan;
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

StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, const std::vector<OpenInput>& inputs) {
  const options::JobPaths paths = options::paths_of_job(spec);
  const StatusOr<media::InputFilePtr> input = open_input_file(inputs[0]);
  if (!input.ok()) return blame(paths.inputs[0].field, input.status());
  const StatusOr<media::MediaFacts> facts = media::probe(*input);
  if (!facts.ok()) return blame(paths.inputs[0].field, facts.status());
  ASSIGN_OR_RETURN(BloomInputs pictures, read_bloom_inputs(inputs, kField));
  ASSIGN_OR_RETURN(const VideoPlan plan,
                   plan_video(spec, *facts, paths.outputs[0].name(), std::move(pictures)));

  v1::JobEstimate estimate;
  estimate.set_media(v1::MEDIA_KIND_VIDEO);
  estimate.set_input_summary(channel::as_utf8(summary_of(*facts)));
  estimate.set_output_summary(channel::as_utf8(summary_of(plan)));
  const int64_t frames = facts->video.frames;
  estimate.set_frames_in(frames);
  estimate.set_frames_out(frames * plan.filter.outputs_per_frame);
  estimate.set_cost_key(plan.filter.cost_key);
  estimate.set_pace_key(channel::as_utf8(plan.pace_key()));
  estimate.set_unit_bytes(int64_t(facts->video.format.packed_bytes()));
  if (frames > 0 && plan.writes_file()) {
    // Segments and the finished file stand side by side at the end; a quarter of the input is a guess at what is copied.
    const int64_t video = media::estimate_bytes(plan.encoder, plan.output, estimate.frames_out());
    estimate.set_output_bytes(2 * video + (plan.container.copied.empty() ? 0 : facts->bytes / 4));
  }
  return estimate;
}

}  // namespace weft::worker
