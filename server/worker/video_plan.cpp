// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video_plan.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "options/option.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/worker/job_key.h"

namespace weft::worker {
namespace {

// Raised when the same input and specification begin to give other bytes: older segments are not gone on with.
constexpr int kOutputVersion = 2;

constexpr const char* kField = "spec.deinterlace";

const char* name_of(Chroma chroma) {
  switch (chroma) {
    case Chroma::kGray:
      return "gray";
    case Chroma::k420:
      return "4:2:0";
    case Chroma::k422:
      return "4:2:2";
    case Chroma::k444:
      return "4:4:4";
  }
  return "";
}

std::string text_of(const VideoFormat& format) {
  return fmt::format("{}x{} {} {} bit", format.width, format.height, name_of(format.chroma),
                     format.bit_depth);
}

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

StatusOr<media::OutputVideo> output_of(const media::VideoFacts& video, int pictures_per_frame) {
  media::OutputVideo output;
  output.format = video.format;
  ASSIGN_OR_RETURN(output.time_base, half(video.time_base));
  output.frame_rate = video.frame_rate;
  if (pictures_per_frame == 2) {
    ASSIGN_OR_RETURN(output.frame_rate, twice(video.frame_rate));
  }
  output.sample_aspect_ratio = video.sample_aspect_ratio;
  output.colour = video.colour;
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

// The field that an encoder's complaint is about: its options, if it opens without them.
std::string encoder_field(const VideoPlan& plan) {
  const std::string encoding = fmt::format("{}.encoding", kField);
  media::EncoderSettings plain = plan.encoder;
  plain.options.clear();
  const bool options_are_wrong =
      !plan.encoder.options.empty() && media::check_encoder(plain, plan.output).ok();
  return encoding + (options_are_wrong ? ".encoder_options" : ".encoder");
}

Status violation(std::string field, const Status& reason) {
  if (reason.code() != StatusCode::kInvalidArgument) return reason;
  return options::to_status({{std::move(field), message_of(reason)}});
}

Status check_formats(const filters::FilterDescriptor& filter, const VideoFormat& format) {
  const filters::FormatRange& range = filter.formats;
  if (format.width < range.min_width || format.height < range.min_height)
    return invalid_argument("The picture ({}x{}) is smaller than {} takes ({}x{}).", format.width,
                            format.height, filter.name, range.min_width, range.min_height);
  if (format.bit_depth < range.min_bit_depth || format.bit_depth > range.max_bit_depth)
    return invalid_argument("The samples have {} bits, and {} takes {} to {}.", format.bit_depth, filter.name,
                            range.min_bit_depth, range.max_bit_depth);
  return ok_status();
}

}  // namespace

std::string VideoPlan::cost_key() const {
  return fmt::format("{} {} {}", filters::filter_name(job.deinterlace().filter()),
                     text_of(facts.video.format), outputs_per_frame());
}

std::string VideoPlan::pace_key() const {
  std::string key = fmt::format("{}, {} {} {} threads {}, {} threads {}", cost_key(), facts.video.codec,
                                facts.video.pixel_format, source.hardware ? "auto" : "software",
                                source.threads, encoder.encoder, encoder.threads);
  for (const auto& [option, value] : encoder.options) key += fmt::format(" {}={}", option, value);
  return key;
}

StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaFacts& facts,
                               std::string_view output_name) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  if (!spec.has_deinterlace())
    return invalid_argument("The specification names a kind of job that is not known.");
  VideoPlan plan;
  plan.job = spec.deinterlace();
  options::apply_defaults(plan.job);
  plan.facts = facts;
  plan.source.threads = plan.job.decoding().decoder_threads();
  plan.source.hardware = plan.job.decoding().decoder() == v1::DECODER_AUTO;
  plan.segment_frames = plan.job.encoding().segment_frames();
  plan.encoder = encoder_of(plan.job.encoding(), output_name);

  const std::string filter_name = filters::filter_name(plan.job.deinterlace().filter());
  const filters::Registration* filter = filters::find_filter(filter_name);
  if (filter == nullptr) return internal_error("There is no filter '{}' in this build of Weft.", filter_name);
  RETURN_IF_ERROR(
      violation(fmt::format("{}.input", kField), check_formats(filter->descriptor, facts.video.format)));
  plan.window = filter->descriptor.window;
  StatusOr<media::OutputVideo> output = output_of(facts.video, plan.outputs_per_frame());
  if (!output.ok()) return violation(fmt::format("{}.input", kField), output.status());
  plan.output = *std::move(output);

  const auto unsupported = plan.job.encoding().unsupported_streams() == v1::UNSUPPORTED_STREAMS_REFUSE
                               ? media::Unsupported::kRefuse
                               : media::Unsupported::kDrop;
  StatusOr<media::OutputPlan> container =
      media::check_output(output_name, plan.encoder.encoder, facts, unsupported);
  if (!container.ok()) return violation(fmt::format("{}.output", kField), container.status());
  plan.container = *std::move(container);
  const Status encoder = media::check_encoder(plan.encoder, plan.output);
  if (!encoder.ok()) return violation(encoder_field(plan), encoder);
  return plan;
}

StatusOr<std::string> key_of(const v1::JobSpec& spec, std::string_view output_name,
                             const media::InputFile& input) {
  ASSIGN_OR_RETURN(const std::string file, file_key(input));
  return job_key(spec, fmt::format("{}|{}|{}", output_name, file, kOutputVersion));
}

std::string summary_of(const media::MediaFacts& facts) {
  const media::VideoFacts& video = facts.video;
  std::string text = fmt::format("{} {}{}", video.codec, text_of(video.format), text_of(video.frame_rate));
  switch (video.field_order) {
    case FieldOrder::kTopFirst:
      text += ", interlaced, top field first";
      break;
    case FieldOrder::kBottomFirst:
      text += ", interlaced, bottom field first";
      break;
    case FieldOrder::kProgressive:
      text += ", progressive";
      break;
    case FieldOrder::kUnknown:
      break;
  }
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
  return text;
}

}  // namespace weft::worker
