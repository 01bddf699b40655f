// SPDX-License-Identifier: Apache-2.0
// Plans an image job from its specification and its open inputs: the frames to process, their
// sources and outputs, and the format of the output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/image/image.h"
#include "server/worker/job/chain.h"
#include "server/worker/job/open_input.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// An image of the job: a frame of a sequence, or the only image.
struct ImageFrame {
  int64_t number = 0;
  std::string name;         // name in the sequence's folder, or the path of a single image
  std::string output_name;  // name without the folder
};

struct ImagePlan {
  v1::ImageJob given;
  v1::ImageJob job;  // with defaults filled in
  bool is_sequence = false;
  std::vector<ImageFrame> frames;  // in order of their numbers; at least one
  std::vector<int64_t> missing;    // numbers of the missing frames, which are omitted
  media::ImageReading reading;
  media::ImageFormat format = media::ImageFormat::kOpenExr;  // format of the output

  // Return the encoding of an output made from `source`, and the sample type of the filter's
  // result.
  media::ImageEncoding encoding_of(const media::ImageInfo& source) const;
  media::SampleType result_samples(const media::ImageInfo& source) const;
  // Returns the chain for `source`. INVALID_ARGUMENT, with a violation of the option or filter at
  // fault: the chain does not accept the image.
  StatusOr<Chain> chain_of(const media::ImageInfo& source, ChainInputs option_files) const;
};

// Plans the job. INVALID_ARGUMENT, with a violation for each field at fault: for example, frames
// are missing, or Weft cannot write the format.
StatusOr<ImagePlan> plan_images(const v1::JobSpec& spec, const OpenJobFile& input,
                                std::string_view output_name);

// Opens the file of a frame. Any thread may call it. Errors are those of InputFile::adopt().
StatusOr<media::InputFilePtr> open_image(const ImagePlan& plan, const OpenJobFile& input,
                                         const ImageFrame& frame);

// The image that determines planned memory.
struct LargestImage {
  media::ImageInfo info{};
  int64_t file_bytes = 0;
};
// Returns the image with the most pixels, by the headers of all images, or by those of
// kSampledFrames images spread over a longer sequence. Unreadable images after the first are
// skipped. `report` is called after each image.
inline constexpr size_t kSampledFrames = 1000;
StatusOr<LargestImage> find_largest(const ImagePlan& plan, const OpenJobFile& input,
                                    const std::function<void()>& report = {});
// Returns INVALID_ARGUMENT if the image, by its header, has more pixels than memory was planned
// for.
Status check_planned(const media::ImageInfo& image, const LargestImage& largest);

// Returns the number of reading threads, and of storing threads, for a number of images.
int image_threads(size_t images);
// Returns the maximum number of images that wait between two steps.
size_t waiting_images(const media::ImageInfo& info);

// Returns a summary such as "OpenEXR 1920x1080 half with alpha", or "; 6 frames (1-6)" for a plan.
std::string summary_of(const media::ImageInfo& info);
std::string summary_of(const ImagePlan& plan);

// Estimates the job from the header of the first frame. Errors name the field at fault.
StatusOr<v1::JobEstimate> estimate_images(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

}  // namespace weft::worker
