// SPDX-License-Identifier: Apache-2.0
// From a specification and its open inputs to everything that an image job does: which frames, from where, to where, stored how.
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

// An image of the job: a frame of a sequence, or the only one there is.
struct ImageFrame {
  int64_t number = 0;
  std::string name;         // in the sequence's folder; the path of an only image
  std::string output_name;  // without folder
};

struct ImagePlan {
  v1::ImageJob given;
  v1::ImageJob job;  // with defaults filled in
  bool is_sequence = false;
  std::vector<ImageFrame> frames;  // by number, at least one
  std::vector<int64_t> missing;    // that are left out
  media::ImageReading reading;
  media::ImageFormat format = media::ImageFormat::kOpenExr;  // of the output

  // How an image like that is stored, and in which samples the filter's result comes back.
  media::ImageEncoding encoding_of(const media::ImageFacts& source) const;
  media::SampleType result_samples(const media::ImageFacts& source) const;
  // What is done to an image like that. INVALID_ARGUMENT with a violation of the option or filter that is to blame.
  StatusOr<Chain> chain_of(const media::ImageFacts& source, ChainInputs option_files) const;
};

// INVALID_ARGUMENT with a violation for each field that is to blame: frames that are missing, a format that is not written.
StatusOr<ImagePlan> plan_images(const v1::JobSpec& spec, const OpenJobFile& input,
                                std::string_view output_name);

// Any thread. Errors are InputFile::adopt's.
StatusOr<media::InputFilePtr> open_image(const ImagePlan& plan, const OpenJobFile& input,
                                         const ImageFrame& frame);

// What memory is planned for.
struct LargestImage {
  media::ImageFacts facts{};
  int64_t file_bytes = 0;
};
// The image with most pixels, by the headers of all; of a sequence of more than kLookedAtFrames by those of so many, spread over it. Those
// after the first that cannot be read are passed over. `tell` is called after each.
inline constexpr size_t kLookedAtFrames = 1000;
StatusOr<LargestImage> find_largest(const ImagePlan& plan, const OpenJobFile& input,
                                    const std::function<void()>& tell = {});
// INVALID_ARGUMENT: an image, by its header, has more pixels than memory was planned for.
Status check_planned(const media::ImageFacts& image, const LargestImage& largest);

// Threads that read, and as many that store, of so many images.
int image_threads(size_t images);
// Images that wait between two steps, at most.
size_t waiting_images(const media::ImageFacts& facts);

// "OpenEXR 1920x1080 half with alpha", "; 6 frames (1-6)".
std::string summary_of(const media::ImageFacts& facts);
std::string summary_of(const ImagePlan& plan);

// What the job will read and write, by the first frame's header. Errors name the field that is to blame.
StatusOr<v1::JobEstimate> estimate_images(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

}  // namespace weft::worker
