// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_plan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "options/option.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/media/read/packets/frame_bound.h"
#include "server/media/read/probe/probe.h"
#include "server/media/read/source/video_source.h"
#include "server/media/write/encoder_pass.h"
#include "server/media/write/muxer.h"
#include "server/media/write/output_check.h"
#include "server/media/write/rate_buffer.h"
#include "server/media/write/timecode.h"
#include "server/media/write/video_encoder.h"
#include "server/worker/video/decision_file.h"
#include "server/worker/video/encoder_settings.h"
#include "server/worker/video/job_part.h"

namespace weft::worker {
namespace {

constexpr const char* kJob = "spec.video";
constexpr const char* kInput = "spec.video.input";
constexpr const char* kOutput = "spec.video.output";

// extension of an output that contains decisions
constexpr std::string_view kDecisionExtension = ".json";
// extension of an output that contains the logo of logoscan, and the name of its analyses
constexpr std::string_view kLogoExtension = ".lgd";
constexpr std::string_view kScanAnalysis = "].logoscan/";

std::string text_of(const VideoFormat& format) { return graph::PortFormat::picture(format).text(); }

std::string text_of(const media::Ratio& rate) {
  return rate.known() ? fmt::format(" {:.5g} fps", rate.value()) : "";
}

constexpr int64_t kMostTerm = std::numeric_limits<int>::max();

// Returns the ratio times numerator / denominator. INVALID_ARGUMENT: a term does not fit into an
// int.
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

// Returns the nominal rate of the output: the mean one if a decision varies the durations.
StatusOr<media::Ratio> rate_of(const media::VideoInfo& video, const Chain& chain, media::Ratio time_base) {
  constexpr int kParts = 10'000;  // of a picture a second
  constexpr const char* kName = "frame rate";
  const PictureDurations& durations = chain.durations;
  if (durations.vary() && durations.total > 0) {
    const double mean = double(durations.pictures) / (double(durations.total) * time_base.value());
    return times({int(std::clamp(std::round(mean * kParts), 1.0, double(kMostTerm))), kParts}, 1, 1, kName);
  }
  if (const graph::Rate& rate = chain.properties.frame_rate; rate.numerator > 0)
    return times({rate.numerator, rate.denominator}, 1, 1, kName);
  return times(video.frame_rate, chain.rate.numerator, chain.rate.denominator, kName);
}

ScanOrder order_of(const media::VideoInfo& video, const graph::PictureProperties& properties) {
  if (properties.progressive && !properties.interlaced) return ScanOrder::kProgressive;
  return properties.interlaced && properties.top_field_first ? ScanOrder::kTopFirst : video.field_order;
}

StatusOr<media::OutputVideo> output_of(const media::VideoInfo& video, const Chain& chain) {
  media::OutputVideo output;
  output.format = chain.target.video;
  ASSIGN_OR_RETURN(output.time_base, times(video.time_base, 1, chain.time_divisor, "unit of time"));
  ASSIGN_OR_RETURN(output.frame_rate, rate_of(video, chain, output.time_base));
  if (chain.durations.vary()) output.least_duration = std::max<int64_t>(chain.durations.least, 1);
  output.sample_aspect_ratio = video.sample_aspect_ratio;
  if (chain.properties.sample_aspect != chain.input.properties.sample_aspect)
    output.sample_aspect_ratio = {chain.properties.sample_aspect.numerator,
                                  chain.properties.sample_aspect.denominator};
  output.field_order = order_of(video, chain.properties);
  output.colour = video.colour;
  output.colour.matrix = chain.properties.colour.matrix;
  output.colour.transfer = chain.properties.colour.transfer;
  if (chain.properties.colour.is_full_range != chain.input.properties.colour.is_full_range)
    output.colour.range =
        chain.properties.colour.is_full_range ? media::Colour::Range::kFull : media::Colour::Range::kLimited;
  output.colour.chroma_location = int(chain.properties.chroma_siting) + 1;
  output.hdr10 = video.hdr10;
  return output;
}

// Returns the field below the encoding to which an encoder's error belongs: its options, if the
// encoder opens without them.
const char* encoder_field(const VideoPlan& plan) {
  media::EncoderSettings plain = plan.encoder;
  plain.options.clear();
  const bool options_are_wrong =
      !plan.encoder.options.empty() && media::check_encoder(plain, plan.output).ok();
  return options_are_wrong ? "encoder_options" : "encoder";
}

// Returns the video's properties for filters.
ChainInput input_of(const media::VideoInfo& video) {
  ChainInput input;
  input.format = graph::PortFormat::picture(video.format);
  input.properties.colour = {video.colour.transfer, video.colour.matrix,
                             video.colour.range == media::Colour::Range::kFull};
  input.properties.chroma_siting = chroma_siting_of(video);
  input.properties.interlaced = media::is_interlaced(video.field_order);
  input.properties.progressive = video.field_order == ScanOrder::kProgressive;
  input.properties.repeats_fields = video.repeats_fields;
  input.properties.quantisers = video.quantisers;
  input.properties.sample_aspect = {video.sample_aspect_ratio.num, video.sample_aspect_ratio.den};
  if (video.frame_rate.known()) input.properties.frame_rate = {video.frame_rate.num, video.frame_rate.den};
  return input;
}

media::AudioChoice audio_of(v1::Audio audio) {
  switch (audio) {
    case v1::AUDIO_AAC:
      return media::AudioChoice::kAac;
    case v1::AUDIO_FLAC:
      return media::AudioChoice::kFlac;
    case v1::AUDIO_NONE:
      return media::AudioChoice::kNone;
    default:
      return media::AudioChoice::kCopy;
  }
}

media::CopyChoices choices_of(const v1::VideoEncoding& encoding) {
  media::CopyChoices choices;
  if (encoding.unsupported_streams() == v1::UNSUPPORTED_STREAMS_REFUSE)
    choices.unsupported = media::Unsupported::kRefuse;
  choices.audio = audio_of(encoding.audio());
  for (const auto& [stream, audio] : encoding.audio_streams())
    choices.audio_streams[stream] = audio_of(v1::Audio(audio));
  choices.subtitles = encoding.subtitles() != v1::SUBTITLES_NONE;
  return choices;
}

media::OnSizeChange size_change_of(const v1::VideoDecoding& decoding) {
  if (decoding.on_size_change() == v1::SIZE_CHANGE_SCALE) return media::OnSizeChange::kPasses;
  if (decoding.on_size_change() == v1::SIZE_CHANGE_SPLIT) return media::OnSizeChange::kSplits;
  return media::OnSizeChange::kFails;
}

// Returns the least duration of a segment that another one follows, in the encoder's clock. Filters
// may leave out pictures, of which `denominator` source frames have `numerator`, and a filter that
// doubles them may leave single frames as they are. If a decision varies the durations, the first
// picture of a segment may begin later than the segment by the longest duration.
double least_segment_seconds(const VideoPlan& plan) {
  const media::Ratio source_rate = plan.info.video.frame_rate;
  if (plan.output.least_duration > 0 && source_rate.known())
    return std::max(plan.segment_frames / source_rate.value() -
                        double(plan.chain.durations.most) * plan.output.time_base.value(),
                    1 / plan.output.encoder_rate().value());
  const auto [numerator, denominator] = std::pair(plan.chain.rate.numerator, plan.chain.rate.denominator);
  const int64_t pictures = numerator < denominator
                               ? (plan.segment_frames - denominator) * numerator / denominator
                               : plan.segment_frames;
  return double(pictures) / plan.output.encoder_rate().value();
}

// Completes the encoder's settings by the properties of its pictures.
Status plan_rates(VideoPlan& plan) {
  media::EncoderSettings& encoder = plan.encoder;
  encoder.segment_seconds = least_segment_seconds(plan);
  if (encoder.pass.mean_rate > 0)
    encoder.pass.crf = media::first_pass_crf(encoder.pass.mean_rate, plan.output);
  ASSIGN_OR_RETURN(plan.header, media::encoder_header(encoder, plan.output));
  ASSIGN_OR_RETURN(const auto buffer, media::rate_buffer_of(encoder, plan.output));
  if (!buffer) return ok_status();
  plan.most_rate = buffer->rate;
  if (std::string note = media::rate_buffer_note(*buffer); !note.empty())
    plan.notes.push_back(std::move(note));
  return ok_status();
}

Status plan_output(const v1::VideoJob& job, std::string_view output_name, VideoPlan& plan) {
  ASSIGN_OR_RETURN(plan.encoder, encoder_of(job.encoding(), output_name, fmt::format("{}.encoding", kJob)));
  StatusOr<media::OutputVideo> output = output_of(plan.info.video, plan.chain);
  if (!output.ok()) return blame(kInput, output.status());
  plan.output = *std::move(output);
  plan.choices = choices_of(job.encoding());
  StatusOr<media::OutputPlan> container =
      media::check_output(output_name, plan.encoder.encoder, plan.info, plan.choices);
  if (!container.ok()) return blame(kOutput, container.status());
  plan.container = *std::move(container);
  plan.notes.insert(plan.notes.end(), plan.container.notes.begin(), plan.container.notes.end());
  for (const std::string& note :
       {media::fields_note(output_name, plan.encoder.encoder, plan.output),
        media::widening_note(plan.encoder.encoder, plan.output),
        media::hdr10_note(output_name, plan.encoder.encoder, plan.output),
        media::timecode_note(output_name, plan.encoder.encoder, plan.info, plan.output)})
    if (!note.empty()) plan.notes.push_back(note);
  for (std::string& note : media::side_data_notes(output_name, plan.encoder.encoder, plan.info.video))
    plan.notes.push_back(std::move(note));
  for (std::string& note :
       media::metadata_notes(output_name, plan.encoder.encoder, plan.info, plan.container))
    plan.notes.push_back(std::move(note));
  const Status planned = plan_rates(plan);
  return planned.ok() ? planned : blame(fmt::format("{}.encoding.{}", kJob, encoder_field(plan)), planned);
}

// Refuses a file of timecodes for a job without pictures.
Status check_timecodes(const v1::VideoJob& job, const VideoPlan& plan) {
  if (job.timecodes().empty() || (plan.writes_file() && !plan.writes_decisions)) return ok_status();
  return blame(
      fmt::format("{}.timecodes", kJob),
      invalid_argument("Timecodes are those of the output's pictures, and this job writes none ({}); "
                       "leave --timecodes out, or write a video.",
                       plan.writes_decisions ? "its output is a file of decisions" : "its encoder is null"));
}

// Completes the chain with the decisions of the file that the job names.
Status take_decisions(VideoPlan& plan) {
  if (plan.chain.files == nullptr) return ok_status();
  const auto file = plan.chain.files->files.find(kDecisionsOption);
  if (file == plan.chain.files->files.end()) return ok_status();
  const std::string field = fmt::format("{}.{}", kJob, kDecisionsOption);
  StatusOr<v1::DecisionFile> decisions = parse_decisions(file->second);
  if (!decisions.ok()) return blame(field, decisions.status());
  StatusOr<Chain> decided = with_decisions(plan.chain, *decisions);
  if (!decided.ok()) return blame(field, decided.status());
  plan.chain = *std::move(decided);
  plan.decisions = *std::move(decisions);
  return ok_status();
}

// Plans a job that writes the decisions of its analyses, or the logo among them.
Status plan_decisions(VideoPlan& plan) {
  if (plan.writes_logo && plan.chain.analysis.find(kScanAnalysis) == std::string::npos &&
      logo_of(plan.chain) == nullptr)
    return blame(kOutput,
                 invalid_argument("The first analysis of the filters ({}) is none of logoscan, and {} files "
                                  "contain its logo; write logoscan in front of other filters with analyses, "
                                  "or choose a container of video.",
                                  plan.chain.name, kLogoExtension));
  if (!plan.chain.needs_analysis && plan.chain.decisions.empty())
    return blame(kOutput,
                 invalid_argument("The filters ({}) have no analysis, and {} files contain the "
                                  "decisions of analyses; add a filter such as decimate, or choose a "
                                  "container of video.",
                                  plan.chain.name, kDecisionExtension));
  plan.encoder.encoder = "null";
  StatusOr<media::OutputVideo> output = output_of(plan.info.video, plan.chain);
  if (!output.ok()) return blame(kInput, output.status());
  plan.output = *std::move(output);
  return ok_status();
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

const std::vector<std::byte>* logo_of(const Chain& chain) {
  for (const auto& [name, decision] : chain.decisions)
    if (name.find(kScanAnalysis) != std::string::npos && !decision->bytes.empty()) return &decision->bytes;
  return nullptr;
}

graph::ChromaSiting chroma_siting_of(const media::VideoInfo& video) {
  return graph::ChromaSiting(video.colour.chroma_location - 1);
}

std::string VideoPlan::pace_key() const {
  std::string key = fmt::format("{}, {} {} {} threads {}, {} threads {}", chain.cost_key, info.video.codec,
                                info.video.pixel_format, source.hardware ? "auto" : "software",
                                source.threads, encoder.encoder, encoder.threads);
  if (encoder.pass.mean_rate > 0) key += " passes 2";
  for (const auto& [option, value] : encoder.options) key += fmt::format(" {}={}", option, value);
  return key;
}

StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaInfo& info,
                               std::string_view output_name, ChainInputs option_files) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  v1::VideoJob job = spec.video();
  options::apply_defaults(job);
  VideoPlan plan;
  plan.info = info;
  ASSIGN_OR_RETURN(plan.part, part_of(job, info));
  plan.frames = estimate_frames(plan.part, info.video);
  if (info.bytes > 0) plan.frames = std::min(plan.frames, media::most_frames(info.bytes));
  const StatusOr<Chain> chain = plan_chain(spec.video(), input_of(info.video), std::move(option_files), kJob);
  if (!chain.ok()) return blame(kInput, chain.status());
  plan.chain = *chain;
  RETURN_IF_ERROR(take_decisions(plan));
  plan.notes = plan.chain.notes;
  if (info.video.alpha)
    plan.notes.push_back(fmt::format("The input's transparency ({}) is left out.", info.video.pixel_format));
  plan.source.programme = job.decoding().programme();
  plan.fails_when_short = job.decoding().on_short_input() == v1::SHORT_INPUT_FAIL;
  plan.source.threads = job.decoding().decoder_threads();
  plan.source.on_size_change = size_change_of(job.decoding());
  if (plan.source.on_size_change == media::OnSizeChange::kSplits)
    plan.part.size = {info.video.format.width, info.video.format.height};
  // Frames of other sizes are scaled in host memory, so inputs that may have them are decoded on
  // the CPU, and so are inputs with quantisers that a filter reads.
  plan.source.quantisers = plan.chain.reads_quantisers;
  plan.source.hardware = job.decoding().decoder() == v1::DECODER_AUTO &&
                         plan.source.on_size_change == media::OnSizeChange::kFails && !plan.source.quantisers;
  plan.segment_frames = job.encoding().segment_frames();
  // Every segment must have pictures or records, even if the filters drop most frames.
  if (plan.chain.rate.numerator < plan.chain.rate.denominator)
    plan.segment_frames = std::max(plan.segment_frames, 4 * plan.chain.rate.denominator);
  plan.segment_frames = std::max(plan.segment_frames, plan.chain.analysis_gap);
  const std::filesystem::path extension = std::filesystem::path(output_name).extension();
  plan.writes_logo = extension == kLogoExtension;
  if (plan.source.on_size_change == media::OnSizeChange::kSplits &&
      (plan.decisions || extension == kDecisionExtension || plan.writes_logo))
    return blame("spec.video.decoding.on_size_change",
                 invalid_argument("Decisions are those of one output file, and 'split' makes several; choose "
                                  "'scale' or 'fail'."));
  plan.writes_decisions = plan.writes_logo || extension == kDecisionExtension;
  RETURN_IF_ERROR(plan.writes_decisions ? plan_decisions(plan) : plan_output(job, output_name, plan));
  RETURN_IF_ERROR(check_timecodes(job, plan));
  return plan;
}

Status follow_decisions(VideoPlan& plan) {
  if (plan.writes_decisions || !plan.chain.durations.vary()) return ok_status();
  ASSIGN_OR_RETURN(plan.output, output_of(plan.info.video, plan.chain));
  return plan_rates(plan);
}

Status refuse_late_streams(const VideoPlan& plan, const media::InputFilePtr& input,
                           std::string_view output_name) {
  if (plan.choices.unsupported != media::Unsupported::kRefuse || !plan.part.is_whole()) return ok_status();
  media::MediaInfo info = plan.info;
  ASSIGN_OR_RETURN(info.others, media::probe_streams(input, plan.source.programme, plan.source.alive));
  const Status checked = media::check_output(output_name, plan.encoder.encoder, info, plan.choices).status();
  return checked.ok() ? checked : blame(kOutput, checked);
}

Status check_decisions(const VideoPlan& plan, const internal::v1::InputState& input,
                       const v1::VideoJob& job) {
  if (!plan.decisions) return ok_status();
  const Status checked = check_input(*plan.decisions, decision_input(input, job));
  return checked.ok() ? checked : blame(fmt::format("{}.{}", kJob, kDecisionsOption), checked);
}

std::string summary_of(const media::MediaInfo& info) {
  const media::VideoInfo& video = info.video;
  std::string text = fmt::format("{} {}{}{}", video.codec, text_of(video.format), text_of(video.frame_rate),
                                 text_of(video.field_order));
  if (video.repeats_fields) text += ", soft telecine";
  const auto add = [&](media::StreamKind kind, const char* name) {
    if (const int count = info.count(kind); count > 0) text += fmt::format("; {} {}", count, name);
  };
  add(media::StreamKind::kAudio, "audio");
  add(media::StreamKind::kSubtitle, "subtitle");
  add(media::StreamKind::kAttachment, "attachment");
  return text;
}

std::string summary_of(const VideoPlan& plan) {
  if (plan.writes_logo) return "logo";
  if (plan.writes_decisions) return "decisions of the analyses";
  std::string text = fmt::format("{} {}{}", plan.encoder.encoder, text_of(plan.output.format),
                                 text_of(plan.output.frame_rate));
  if (!plan.container.container.empty()) text += " in " + plan.container.container;
  if (media::is_interlaced(plan.output.field_order)) text += text_of(plan.output.field_order);
  return text;
}

}  // namespace weft::worker
