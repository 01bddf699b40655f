// SPDX-License-Identifier: Apache-2.0
#include "server/worker/image/image_plan.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "options/job_files.h"
#include "options/option.h"
#include "options/validate.h"
#include "options/values.h"
#include "options/words.h"
#include "server/channel/status_message.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/image/image_file.h"
#include "server/worker/image/image_stage.h"

namespace weft::worker {
namespace {

constexpr const char* kJob = "spec.image";
constexpr const char* kInput = "spec.image.input";
constexpr const char* kOutput = "spec.image.output";

graph::PixelType pixel_type(media::SampleType samples) {
  return samples == media::SampleType::kHalf ? graph::PixelType::kHalf : graph::PixelType::kFloat;
}

// Returns the folder of a path with its trailing slash.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

Status plan_frames(const v1::JobSpec& spec, const OpenJobFile& input, std::string_view output_name,
                   ImagePlan& plan) {
  plan.is_sequence = input.declared.is_sequence;
  if (!plan.is_sequence) {
    plan.frames.push_back({0, input.declared.path, std::string(output_name)});
    return ok_status();
  }
  ASSIGN_OR_RETURN(const options::FramePattern source, options::FramePattern::parse(input.declared.path));
  ASSIGN_OR_RETURN(const options::FramePattern target, options::FramePattern::parse(output_name));
  ASSIGN_OR_RETURN(const options::FrameChoice choice, options::frame_choice_of(spec));
  const media::FileCall call("listed", folder_of(input.declared.path));
  ASSIGN_OR_RETURN(std::vector<std::string> names, media::list_in(input.descriptor.get(), "."));
  std::erase_if(names, [&](const std::string& name) { return !source.frame_of(name); });
  ASSIGN_OR_RETURN(options::FrameList list, options::list_frames(source, names, choice.range));
  if (!choice.skips_missing) RETURN_IF_ERROR(options::check_complete(source, list));
  for (auto& [number, name] : list.files) {
    std::string output = target.name_like(source, name);
    plan.frames.push_back({number, std::move(name), std::move(output)});
  }
  plan.missing = std::move(list.missing);
  return ok_status();
}

Status check_preview(const std::string& path) {
  if (path.empty()) return ok_status();
  const StatusOr<media::ImageFormat> format = media::image_format_of(path);
  if (format.ok() && *format == media::ImageFormat::kPng) return ok_status();
  return invalid_argument(
      "The preview is a PNG, and its name ends otherwise ({}); name a file such as look.png.", path);
}

// Returns the bytes of an uncompressed output image, which bound the space that it needs.
int64_t stored_bytes(const ImagePlan& plan, const media::ImageInfo& source, int64_t source_bytes) {
  const bool is_float = plan.result_samples(source) == media::SampleType::kFloat;
  const bool may_be_float =
      plan.format == media::ImageFormat::kOpenExr || plan.format == media::ImageFormat::kTiff;
  const int sample_bytes = may_be_float && is_float ? 4 : 2;
  const int64_t pixels = source.data.pixels() * (source.has_alpha ? 4 : 3) * sample_bytes;
  // Other channels and parts are copied to the output.
  return pixels + (source.format == plan.format ? source_bytes / 4 : 0);
}

// Memory of an image job in bytes without its images: code and tables of libraries, stacks.
constexpr int64_t kImageJobBytes = int64_t{48} << 20;

int64_t sample_bytes(const media::ImageInfo& info, media::SampleType samples) {
  return info.data.pixels() * 4 * (samples == media::SampleType::kHalf ? 2 : 4);
}

// Returns the memory of the job. An image that was read is held with its file, from which its other
// channels are copied later; an image that is being stored is held with its encoded file.
StatusOr<ChainMemory> memory_of_images(const ImagePlan& plan, const media::ImageInfo& source,
                                       const Chain& chain, int64_t file_bytes) {
  const auto images = int64_t(plan.frames.size());
  ASSIGN_OR_RETURN(ChainMemory memory, memory_of(chain, plan_options(images), kStageBytes));
  const double scale =
      double(chain.target.width) * double(chain.target.height) / double(source.data.pixels());
  const int64_t read = sample_bytes(source, source.samples) + file_bytes;
  const auto made = int64_t(scale * double(sample_bytes(source, plan.result_samples(source))));
  const auto stored = int64_t(scale * double(stored_bytes(plan, source, file_bytes)));
  const int64_t threads = image_threads(size_t(images)), waiting = int64_t(waiting_images(source));
  const int64_t sources = std::min(images, threads + waiting + 2 * memory.batch + 1);
  const int64_t results = std::min(images, threads + waiting);
  const int64_t more = kImageJobBytes + sources * read + results * made +
                       std::min(images, threads) * (file_bytes + 2 * stored);
  memory.host_bytes += more;
  memory.shared_bytes += more;
  return memory;
}

}  // namespace

int image_threads(size_t images) {
  constexpr size_t kMostThreads = 8;
  const size_t machine = std::max(1u, std::thread::hardware_concurrency() / 2);
  return int(std::min({machine, kMostThreads, images}));
}

size_t waiting_images(const media::ImageInfo& info) {
  // bytes of the waiting images besides the first
  constexpr int64_t kWaitingBytes = int64_t{512} << 20;
  constexpr int64_t kMostWaiting = 16;
  const int64_t bytes = std::max<int64_t>(info.data.pixels() * 16, 1);
  return size_t(std::clamp<int64_t>(kWaitingBytes / bytes, 1, kMostWaiting));
}

media::ImageEncoding ImagePlan::encoding_of(const media::ImageInfo& source) const {
  media::ImageEncoding encoding;
  encoding.format = format;
  encoding.jpeg_quality = job.jpeg_quality();
  if (job.output_depth() == v1::OUTPUT_DEPTH_HALF) encoding.depth = media::SampleType::kHalf;
  if (job.output_depth() == v1::OUTPUT_DEPTH_FLOAT) encoding.depth = media::SampleType::kFloat;
  if (!encoding.depth && format == media::ImageFormat::kOpenExr && source.format != format) {
    // Values of Radiance files exceed the largest half, and a half keeps only 11 of 16 bits.
    const bool is_half = source.is_float && source.bit_depth == 16;
    const bool fits_half =
        (source.bit_depth <= 8 && source.format != media::ImageFormat::kRadiance) || is_half;
    encoding.depth = fits_half ? media::SampleType::kHalf : media::SampleType::kFloat;
  }
  return encoding;
}

media::SampleType ImagePlan::result_samples(const media::ImageInfo& source) const {
  const bool stores_half = format == media::ImageFormat::kOpenExr &&
                           encoding_of(source).depth.value_or(source.samples) == media::SampleType::kHalf;
  return stores_half ? media::SampleType::kHalf : media::SampleType::kFloat;
}

StatusOr<Chain> ImagePlan::chain_of(const media::ImageInfo& source, ChainInputs option_files) const {
  ChainInput input;
  input.format = graph::PortFormat::image(source.data.width, source.data.height, pixel_type(source.samples));
  input.properties.gray = source.is_gray;
  input.result_pixels = pixel_type(result_samples(source));
  StatusOr<Chain> chain = plan_chain(given, std::move(input), std::move(option_files), kJob);
  return chain.ok() ? std::move(chain) : blame(kInput, chain.status());
}

StatusOr<ImagePlan> plan_images(const v1::JobSpec& spec, const OpenJobFile& input,
                                std::string_view output_name) {
  RETURN_IF_ERROR(options::to_status(options::validate(spec, "spec")));
  ImagePlan plan;
  plan.given = plan.job = spec.image();
  options::apply_defaults(plan.job);
  plan.reading.layer = plan.job.layer();
  const StatusOr<media::ImageFormat> format = media::image_format_of(output_name);
  if (!format.ok()) return blame(kOutput, format.status());
  plan.format = *format;
  RETURN_IF_ERROR(blame("spec.image.preview", check_preview(plan.job.preview())));
  if (!input.declared.is_sequence && !plan.job.frames().empty())
    return options::to_status(
        {{"spec.image.frames",
          fmt::format(
              "Frames are chosen of a sequence, and the input is one image ({}); leave 'frames' out, or "
              "name a sequence, such as frame.%04d.exr.",
              input.declared.path)}});
  if (const Status frames = plan_frames(spec, input, output_name, plan); !frames.ok())
    return blame(kInput, frames);
  return plan;
}

StatusOr<media::InputFilePtr> open_image(const ImagePlan& plan, const OpenJobFile& input,
                                         const ImageFrame& frame) {
  return plan.is_sequence ? open_file_of(input, frame.name) : open_input_file(input);
}

StatusOr<LargestImage> find_largest(const ImagePlan& plan, const OpenJobFile& input,
                                    const std::function<void()>& report) {
  const size_t frames = plan.frames.size(), sampled = std::min(frames, kSampledFrames);
  LargestImage largest;
  for (size_t i = 0; i < sampled; i++) {
    const size_t frame = sampled == 1 ? 0 : i * (frames - 1) / (sampled - 1);
    const auto inspect = [&]() -> StatusOr<LargestImage> {
      ASSIGN_OR_RETURN(const media::InputFilePtr file, open_image(plan, input, plan.frames[frame]));
      ASSIGN_OR_RETURN(media::ImageInfo info, media::probe_image(*file, plan.reading));
      return LargestImage{std::move(info), file->bytes()};
    };
    StatusOr<LargestImage> image = inspect();
    if (report) report();
    if (i == 0) RETURN_IF_ERROR(image.status());
    if (image.ok() && (i == 0 || image->info.data.pixels() > largest.info.data.pixels()))
      largest = *std::move(image);
  }
  return largest;
}

Status check_planned(const media::ImageInfo& image, const LargestImage& largest) {
  if (image.data.pixels() <= largest.info.data.pixels()) return ok_status();
  return invalid_argument(
      "It has {}x{} pixels, and memory was planned for {}x{}, the largest that was seen when the job "
      "began; make a job of its own of the larger frames.",
      image.data.width, image.data.height, largest.info.data.width, largest.info.data.height);
}

std::string summary_of(const media::ImageInfo& info) {
  std::string text = fmt::format("{} {}x{} ", media::name_of(info.format), info.data.width, info.data.height);
  const bool is_half = info.is_float && info.bit_depth == 16;
  text += is_half         ? "half"
          : info.is_float ? (info.bit_depth == 32 ? "float" : fmt::format("float of {} bit", info.bit_depth))
                          : fmt::format("{} bit", info.bit_depth);
  if (info.is_gray) text += " gray";
  if (info.has_alpha) text += " with alpha";
  if (!info.layer.empty()) text += fmt::format(", layer {}", info.layer);
  if (info.data != info.display)
    text += fmt::format(", of a frame of {}x{}", info.display.width, info.display.height);
  return text;
}

std::string summary_of(const ImagePlan& plan) {
  if (!plan.is_sequence) return media::name_of(plan.format);
  std::string text = fmt::format("{}, {} ({}-{})", media::name_of(plan.format),
                                 options::format_count(int64_t(plan.frames.size()), "frame"),
                                 plan.frames.front().number, plan.frames.back().number);
  if (!plan.missing.empty())
    text += fmt::format("; left out, as they are missing: {}", options::describe_frames(plan.missing));
  return text;
}

StatusOr<v1::JobEstimate> estimate_images(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  const options::JobFiles files = options::files_of_job(spec);
  ASSIGN_OR_RETURN(const ImagePlan plan, plan_images(spec, inputs[0], files.outputs[0].name()));
  const StatusOr<media::InputFilePtr> file = open_image(plan, inputs[0], plan.frames[0]);
  if (!file.ok()) return blame(files.inputs[0].field, file.status());
  const StatusOr<media::ImageInfo> info = media::probe_image(**file, plan.reading);
  if (!info.ok()) return blame(files.inputs[0].field, info.status());
  ASSIGN_OR_RETURN(ChainInputs option_files, read_option_files(inputs, kJob));
  ASSIGN_OR_RETURN(const Chain chain, plan.chain_of(*info, std::move(option_files)));
  v1::JobEstimate estimate;
  const int64_t frames = int64_t(plan.frames.size());
  estimate.set_media(v1::MEDIA_KIND_IMAGE);
  estimate.set_input_summary(channel::as_utf8(summary_of(*info)));
  estimate.set_output_summary(channel::as_utf8(summary_of(plan)));
  estimate.set_units_in(frames);
  estimate.set_units_out(frames);
  const double scale = double(chain.target.width) * double(chain.target.height) / double(info->data.pixels());
  estimate.set_output_bytes(
      int64_t(double(frames) * double(stored_bytes(plan, *info, (*file)->bytes())) * scale));
  estimate.set_cost_key(chain.cost_key);
  estimate.set_pace_key(fmt::format("{}, {} {} to {}", estimate.cost_key(), media::name_of(info->format),
                                    info->bit_depth, media::name_of(plan.format)));
  *estimate.mutable_unit_work() = to_message(chain.work);
  const StatusOr<LargestImage> largest = find_largest(plan, inputs[0]);
  if (!largest.ok()) return blame(files.inputs[0].field, largest.status());
  ASSIGN_OR_RETURN(ChainInputs same_files, read_option_files(inputs, kJob));
  ASSIGN_OR_RETURN(const Chain largest_chain, plan.chain_of(largest->info, std::move(same_files)));
  ASSIGN_OR_RETURN(const ChainMemory memory,
                   memory_of_images(plan, largest->info, largest_chain, largest->file_bytes));
  // threads that read, and those that store
  estimate.set_cpu_slots(2 * image_threads(plan.frames.size()) + 1);
  estimate.set_host_bytes(memory.host_bytes);
  estimate.set_shared_bytes(memory.shared_bytes);
  estimate.mutable_device_bytes()->Assign(memory.device_bytes.begin(), memory.device_bytes.end());
  estimate.set_plan_graph(channel::as_utf8(memory.plan_graph));
  return estimate;
}

}  // namespace weft::worker
