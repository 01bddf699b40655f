// SPDX-License-Identifier: Apache-2.0
#include "server/worker/picture_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <sys/stat.h>
#include <unistd.h>

#include "server/channel/status_message.h"
#include "server/media/image/image_file.h"
#include "server/media/read/pictures/picture_rgb.h"

namespace weft::worker {
namespace {

using internal::v1::ReadPicture;

// Resizes the shared memory to `bytes` and fills it.
Status store(int memory, std::span<const uint8_t> bytes) {
  if (::ftruncate(memory, off_t(bytes.size())) != 0)
    return resource_exhausted("There is no memory for the picture ({} bytes): {}.", bytes.size(),
                              std::strerror(errno));
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::pwrite(memory, bytes.data() + done, bytes.size() - done, off_t(done));
    if (written < 0 && errno != EINTR)
      return resource_exhausted("The picture cannot be handed over: {}.", std::strerror(errno));
    if (written > 0) done += size_t(written);
  }
  return ok_status();
}

Status check_size(const ReadPicture& request, int64_t bytes) {
  if (bytes <= request.most_bytes()) return ok_status();
  return resource_exhausted("The picture is too large to be shown ({} bytes, at most {}).", bytes,
                            request.most_bytes());
}

// Returns the colours of the display window with samples of `size` bytes; pixels outside the data
// are black.
std::vector<uint8_t> displayed_colours(const media::Image& image, size_t size) {
  const media::ImageWindow& display = image.info.display;
  const media::ImageWindow& data = image.info.data;
  std::vector<uint8_t> colours(size_t(display.pixels()) * 3 * size);
  const int left = std::max(display.x, data.x);
  const int right = std::min(display.x + display.width, data.x + data.width);
  const int bottom = std::min(display.y + display.height, data.y + data.height);
  const auto* samples = reinterpret_cast<const uint8_t*>(image.samples.get());
  for (int y = std::max(display.y, data.y); y < bottom; y++) {
    const uint8_t* from = samples + (int64_t(y - data.y) * data.width + (left - data.x)) * 4 * int64_t(size);
    uint8_t* to =
        colours.data() + (int64_t(y - display.y) * display.width + (left - display.x)) * 3 * int64_t(size);
    for (int x = left; x < right; x++, from += 4 * size, to += 3 * size) std::memcpy(to, from, 3 * size);
  }
  return colours;
}

template <class Sample>
Status store_colours(const ReadPicture& request, const media::SourceFrame& frame,
                     const media::VideoInfo& info, int memory) {
  const VideoFormat& format = frame.picture.format;
  const auto count = size_t(3) * size_t(format.width) * size_t(format.height);
  RETURN_IF_ERROR(check_size(request, int64_t(count * sizeof(Sample))));
  std::vector<Sample> rgb(count);
  RETURN_IF_ERROR(media::to_rgb(frame.picture, info.colour, frame.interlaced, std::span<Sample>(rgb)));
  return store(memory, {reinterpret_cast<const uint8_t*>(rgb.data()), count * sizeof(Sample)});
}

StatusOr<v1::PictureDescription> read_still(const ReadPicture& request, const media::InputFile& file,
                                            int memory) {
  if (request.index() != 0)
    return out_of_range("The file ({}) has one picture only (asked for: {}).", request.file(),
                        request.index());
  // The requested layer is one of the input. An output of another format than OpenEXR has no
  // layers.
  const StatusOr<media::ImageFormat> format = media::image_format_of(request.file());
  const bool has_layers = !format.ok() || *format == media::ImageFormat::kOpenExr;
  const media::ImageReading reading{has_layers ? request.layer() : ""};
  ASSIGN_OR_RETURN(media::ImageInfo info, media::probe_image(file, reading));
  const size_t size = info.samples == media::SampleType::kHalf ? 2 : 4;
  RETURN_IF_ERROR(check_size(request, info.display.pixels() * 3 * int64_t(size)));
  ASSIGN_OR_RETURN(media::Image image, media::read_image(file, reading));
  ASSIGN_OR_RETURN(image, media::upright(std::move(image)));
  info = image.info;
  RETURN_IF_ERROR(store(memory, displayed_colours(image, size)));
  v1::PictureDescription description;
  description.set_samples(size == 2 ? v1::PICTURE_SAMPLES_HALF : v1::PICTURE_SAMPLES_FLOAT);
  description.set_width(info.display.width);
  description.set_height(info.display.height);
  description.set_pixel_aspect(info.pixel_aspect);
  description.set_pictures(1);
  return description;
}

}  // namespace

// An open file and the state of its decoding.
struct PictureReader::Video {
  media::InputFilePtr file;
  struct stat info {};
  std::unique_ptr<media::VideoSource> source;
  int64_t next = 0;  // index of the next frame of `source`
  std::optional<media::SourceFrame> last;
  std::map<int64_t, media::SourceCheckpoint> checkpoints;  // by the index of the frame that follows
  // 0: unknown, because the end was not reached yet
  int64_t frames = 0;
  // whether frames can be counted, as far as is known
  bool is_countable = true;
  std::optional<media::FrameTimes> times;

  bool is(const struct stat& other) const {
    return info.st_dev == other.st_dev && info.st_ino == other.st_ino && info.st_size == other.st_size &&
           info.st_mtim.tv_sec == other.st_mtim.tv_sec && info.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
  }
  Status begin(int64_t index);
  Status open();
  StatusOr<bool> skip(int64_t index);
  StatusOr<const media::SourceFrame*> frame(int64_t index);
};

// Positions the source before frame `index`: continues from its current position or from the
// nearest earlier checkpoint. If both are far away, counts frames instead (skip()).
Status PictureReader::Video::begin(int64_t index) {
  const auto after = checkpoints.upper_bound(index);
  const int64_t resume_index = after == checkpoints.begin() ? 0 : std::prev(after)->first;
  const bool goes_on = source != nullptr && next <= index && next >= resume_index;
  if (index - std::max(resume_index, goes_on ? next : 0) > kFarFrames && is_countable) {
    ASSIGN_OR_RETURN(const bool is_there, skip(index));
    if (is_there) return ok_status();
  } else if (goes_on) {
    return ok_status();
  }
  RETURN_IF_ERROR(open());
  next = resume_index;
  return resume_index == 0 ? ok_status() : source->resume(std::prev(after)->second);
}

Status PictureReader::Video::open() {
  media::SourceOptions options;
  options.hardware = false;
  options.on_size_change = media::OnSizeChange::kPasses;
  last.reset();
  source.reset();
  ASSIGN_OR_RETURN(source, media::VideoSource::open(file, options));
  return ok_status();
}

// Positions the source at frame `index` without decoding the frames before it. Returns false if the
// file does not permit that.
StatusOr<bool> PictureReader::Video::skip(int64_t index) {
  RETURN_IF_ERROR(open());
  next = 0;
  if (!times || (index >= int64_t(times->pts.size()) && !times->is_whole)) {
    ASSIGN_OR_RETURN(times, source->frame_times({.frames = index + 1}));
    is_countable = times.has_value();
  }
  if (!times) return false;
  const int64_t there = std::min(index, int64_t(times->pts.size()) - 1);
  ASSIGN_OR_RETURN(const bool is_there, source->skip_to(there, *times));
  if (is_there) next = there;
  return is_there;
}

StatusOr<const media::SourceFrame*> PictureReader::Video::frame(int64_t index) {
  if (last && last->index == index) return &*last;
  const auto none = [&] {
    return out_of_range("The file has no picture {}; it has {}, counted from 0.", index, frames);
  };
  if (index < 0 || (frames > 0 && index >= frames)) return none();
  RETURN_IF_ERROR(begin(index));
  while (next <= index) {
    if (next % kFramesBetweenCheckpoints == 0 && next > 0 && checkpoints.size() < kMostCheckpoints)
      checkpoints.try_emplace(next, source->checkpoint());
    ASSIGN_OR_RETURN(last, source->next());
    if (!last) {
      frames = next;
      return none();
    }
    next++;
  }
  return &*last;
}

PictureReader::PictureReader() = default;
PictureReader::~PictureReader() = default;

StatusOr<PictureReader::Video*> PictureReader::open(const media::InputFilePtr& file) {
  struct stat info {};
  if (::fstat(file->descriptor(), &info) != 0) return media::system_error(errno, "looked at", file->name());
  const auto known =
      std::find_if(videos_.begin(), videos_.end(), [&](const Video& each) { return each.is(info); });
  if (known != videos_.end()) {
    videos_.splice(videos_.begin(), videos_, known);
    return &videos_.front();
  }
  videos_.emplace_front();
  videos_.front().file = file;
  videos_.front().info = info;
  if (videos_.size() > kOpenPictureFiles) videos_.pop_back();
  return &videos_.front();
}

StatusOr<v1::PictureDescription> PictureReader::read_frame(const ReadPicture& request,
                                                           const media::InputFilePtr& file, int memory) {
  ASSIGN_OR_RETURN(Video * video, open(file));
  const StatusOr<const media::SourceFrame*> frame = video->frame(request.index());
  if (!frame.ok()) {
    if (frame.status().code() != StatusCode::kOutOfRange) videos_.pop_front();
    return frame.status();
  }
  const VideoFormat& format = (*frame)->picture.format;
  const media::VideoInfo& info = video->source->info().video;
  const bool is_deep = format.bit_depth > 8;
  RETURN_IF_ERROR(is_deep ? store_colours<uint16_t>(request, **frame, info, memory)
                          : store_colours<uint8_t>(request, **frame, info, memory));
  v1::PictureDescription description;
  description.set_samples(is_deep ? v1::PICTURE_SAMPLES_SHORT : v1::PICTURE_SAMPLES_BYTE);
  description.set_width(format.width);
  description.set_height(format.height);
  if (info.sample_aspect_ratio.known()) description.set_pixel_aspect(info.sample_aspect_ratio.value());
  description.set_interlaced((*frame)->interlaced);
  description.set_top_field_first((*frame)->top_field_first);
  description.set_pictures(video->frames > 0 ? video->frames : info.frames);
  return description;
}

StatusOr<v1::PictureDescription> PictureReader::read_texture(const ReadPicture& request,
                                                             const media::InputFile& file, int memory) {
  ASSIGN_OR_RETURN(TexturePicture picture,
                   textures_.read(file, request.index(), request.longest_side(), request.most_bytes()));
  const bool has_modes = !picture.modes.empty();
  picture.rgb.insert(picture.rgb.end(), picture.modes.begin(), picture.modes.end());
  RETURN_IF_ERROR(check_size(request, int64_t(picture.rgb.size())));
  RETURN_IF_ERROR(store(memory, picture.rgb));
  v1::PictureDescription description;
  description.set_samples(v1::PICTURE_SAMPLES_BYTE);
  description.set_width(picture.width);
  description.set_height(picture.height);
  description.set_pictures(picture.pictures);
  description.set_has_block_modes(has_modes);
  return description;
}

StatusOr<v1::PictureDescription> PictureReader::read(const ReadPicture& request,
                                                     const media::InputFilePtr& file, int memory) {
  ASSIGN_OR_RETURN(const bool is_texture, TexturePictureReader::takes(*file));
  if (is_texture) return read_texture(request, *file, memory);
  ASSIGN_OR_RETURN(const bool is_image, media::is_image(*file));
  return is_image ? read_still(request, *file, memory) : read_frame(request, file, memory);
}

internal::v1::FromWorker PictureReader::answer(const ReadPicture& request,
                                               std::vector<channel::FileDescriptor> descriptors) {
  internal::v1::FromWorker message;
  internal::v1::PictureAnswer& answer = *message.mutable_picture_answer();
  answer.set_request(request.request());
  const auto result = [&]() -> StatusOr<v1::PictureDescription> {
    if (descriptors.size() < 2) return internal_error("A picture is asked for without a file and memory.");
    ASSIGN_OR_RETURN(const media::InputFilePtr file,
                     media::InputFile::adopt(media::Descriptor(descriptors[0].release()), request.file()));
    return read(request, file, descriptors[1].get());
  }();
  if (result.ok())
    *answer.mutable_description() = *result;
  else
    *answer.mutable_error() = channel::to_message(result.status());
  return message;
}

}  // namespace weft::worker
