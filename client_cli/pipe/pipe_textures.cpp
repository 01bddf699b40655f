// SPDX-License-Identifier: Apache-2.0
// Implements `weft pipe upsample`. A stream has textures of one size and format. The program opens
// another stream for the next texture with another size or format.
#include "client_cli/pipe/pipe_textures.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "client_cli/command_line/spec_flags.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"
#include "client_cli/output/text.h"
#include "client_cli/pipe/pipe_ends.h"
#include "options/job_kinds.h"
#include "options/values.h"
#include "options/words.h"
#include "server/media/texture/texture.h"

namespace weft::cli {
namespace {

using media::Texture;
using media::TextureContainer;
using media::TextureInfo;

struct PipeTextures {
  SpecFlags upsampling;
  SpecFlags settings;
  PipePaths paths;
};

// A texture of the input.
struct PipedTexture {
  Texture texture;
  TextureContainer container = TextureContainer::kDds;
};

// The enumerations of streams and of files list the formats in the same order.
constexpr int kFirstBlocks = v1::BLOCK_FORMAT_RGBA8 - int(media::TextureFormat::kRgba8);
static_assert(int(media::TextureFormat::kBc7) + kFirstBlocks == v1::BLOCK_FORMAT_BC7);

// Returns `info` with the transfer function of the command line if the file declares none.
TextureInfo with_transfer(TextureInfo info, const v1::TextureStream& common) {
  const bool is_albedo =
      common.kind() == v1::TEXTURE_KIND_UNSPECIFIED || common.kind() == v1::TEXTURE_KIND_ALBEDO;
  if (info.is_transfer_known || !is_albedo || common.transfer() == v1::TEXTURE_TRANSFER_UNSPECIFIED)
    return info;
  info.is_transfer_known = true;
  info.is_srgb = common.transfer() == v1::TEXTURE_TRANSFER_SRGB && media::has_srgb(info.format);
  return info;
}

// Reads the textures of the input one after another.
class TextureReader {
 public:
  TextureReader(DescriptorReader& bytes, v1::TextureStream upsampling)
      : bytes_(bytes), upsampling_(std::move(upsampling)) {}

  // Returns the next texture, or nothing at the end of the input. Errors are those of read_texture;
  // DATA_LOSS if the input ends within a texture.
  StatusOr<std::optional<PipedTexture>> next() {
    ASSIGN_OR_RETURN(const bool is_over, bytes_.at_end());
    if (is_over) return std::optional<PipedTexture>();
    const std::string name = fmt::format("number {} of the input", ++number_);
    std::string file;
    while (true) {
      ASSIGN_OR_RETURN(const int64_t needed, media::texture_bytes_needed(file, name));
      const size_t there = file.size();
      if (size_t(needed) <= there) break;
      // Memory grows with the bytes read, so that a file with a false size cannot request more.
      file.resize(std::min(size_t(needed), there + kChunkBytes));
      const Status read = bytes_.read(std::as_writable_bytes(std::span(file)).subspan(there));
      if (read.code() == StatusCode::kDataLoss)
        return data_loss("The input ends within a texture ({}, which takes {} bytes or more).", name, needed);
      RETURN_IF_ERROR(read);
    }
    PipedTexture piped;
    piped.container = file.starts_with("DDS ") ? TextureContainer::kDds : TextureContainer::kKtx2;
    ASSIGN_OR_RETURN(piped.texture, media::read_texture(file, name));
    piped.texture.info = with_transfer(piped.texture.info, upsampling_);
    return std::optional(std::move(piped));
  }
  int number() const { return number_; }

 private:
  static constexpr size_t kChunkBytes = size_t{16} << 20;
  DescriptorReader& bytes_;
  const v1::TextureStream upsampling_;
  int number_ = 0;
};

v1::OpenStream request_of(const v1::OpenStream& common, const TextureInfo& info) {
  v1::OpenStream request = common;
  v1::TextureStream& texture = *request.mutable_texture();
  texture.set_transfer(info.is_srgb ? v1::TEXTURE_TRANSFER_SRGB : v1::TEXTURE_TRANSFER_LINEAR);
  texture.set_source(v1::BlockFormat(int(info.format) + kFirstBlocks));
  texture.set_width(info.width);
  texture.set_height(info.height);
  texture.set_is_opaque(info.alpha == media::TextureAlpha::kOpaque);
  if (info.faces > 1) texture.set_border(v1::TEXTURE_BORDER_CLAMP);
  return request;
}

bool same_stream(const v1::OpenStream& one, const v1::OpenStream& other) {
  return one.SerializeAsString() == other.SerializeAsString();
}

// Returns the output for a texture, without its images. write() copies the input's levels into it
// if both have the same format.
StatusOr<Texture> target_of(const Texture& source, const v1::TexturePictures& pictures, bool has_gloss) {
  TextureInfo info = source.info;
  info.format = media::TextureFormat(int(pictures.format()) - kFirstBlocks);
  info.width *= 2;
  info.height *= 2;
  info.is_srgb = info.is_srgb && media::has_srgb(info.format);
  info.levels = pictures.levels_size();
  if (has_gloss) info.alpha = media::TextureAlpha::kCustom;
  ASSIGN_OR_RETURN(Texture target, media::make_texture(info));
  target.key_values = source.key_values;
  return target;
}

int kept_levels(const Texture& source, const Texture& target, bool has_gloss) {
  // the alpha of the input's levels has another meaning than the gloss in the output
  if (has_gloss) return 0;
  return source.info.format == target.info.format ? std::min(source.info.levels, target.info.levels - 1) : 0;
}

// Processes a run of textures with the same size and format in one stream.
class TextureCourse {
 public:
  TextureCourse(TextureReader& reader, int output, const v1::OpenStream& common, client::FrameStream& stream)
      : reader_(reader), output_(output), common_(common), stream_(stream) {}

  // Pushes the images of `first` and of the textures after it, up to the first one with another
  // size or format.
  Status push(PipedTexture first) {
    const v1::OpenStream alike = request_of(common_, first.texture.info);
    std::optional<PipedTexture> texture = std::move(first);
    while (texture && same_stream(alike, request_of(common_, texture->texture.info))) {
      RETURN_IF_ERROR(push_images(*std::move(texture)));
      ASSIGN_OR_RETURN(texture, reader_.next());
    }
    held_ = std::move(texture);
    return stream_.finish();
  }
  Status pull() {
    while (true) {
      ASSIGN_OR_RETURN(const std::optional<client::PulledPicture> picture, stream_.pull());
      if (!picture.has_value()) return ok_status();
      if (!target_) RETURN_IF_ERROR(begin());
      take_image(picture->samples);
      if (++images_ < target_->info.images()) continue;
      RETURN_IF_ERROR(write());
    }
  }
  // Returns the texture that ended the run: the first one of the next run.
  std::optional<PipedTexture> take_held() { return std::move(held_); }
  int64_t textures() const { return textures_; }
  int64_t blocks() const { return blocks_; }

 private:
  Status push_images(PipedTexture piped) {
    const TextureInfo info = piped.texture.info;
    std::string first_level = piped.texture.levels[0];
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(piped));
    }
    const auto bytes = size_t(info.image_bytes(0));
    for (int image = 0; image < info.images(); image++) {
      ASSIGN_OR_RETURN(const std::span<std::byte> frame, stream_.stage());
      if (frame.size() != bytes)
        return internal_error("The daemon requests {} bytes of a texture of {}.", frame.size(), bytes);
      std::memcpy(frame.data(), first_level.data() + size_t(image) * bytes, bytes);
      RETURN_IF_ERROR(stream_.push());
    }
    return ok_status();
  }
  Status begin() {
    {
      const std::lock_guard lock(mutex_);
      source_ = std::move(waiting_.front());
      waiting_.pop_front();
    }
    ASSIGN_OR_RETURN(target_, target_of(source_.texture, stream_.opened().texture(), has_gloss()));
    images_ = 0;
    return ok_status();
  }
  void take_image(std::span<const std::byte> picture) {
    const TextureInfo& info = target_->info;
    for (int level = 0; level < info.levels; level++) {
      const v1::TextureLevel& level_info = stream_.opened().texture().levels(level);
      const std::span<char> target_image =
          target_->writable_image(level, images_ / info.faces, images_ % info.faces);
      std::memcpy(target_image.data(), picture.data() + level_info.offset(), target_image.size());
    }
    blocks_ += int64_t((info.width + 3) / 4) * ((info.height + 3) / 4);
  }
  Status write() {
    for (int level = 0; level < kept_levels(source_.texture, *target_, has_gloss()); level++)
      target_->levels[size_t(level) + 1] = std::move(source_.texture.levels[size_t(level)]);
    ASSIGN_OR_RETURN(const std::string file,
                     media::encode_texture(*target_, {.container = source_.container, .zstd_level = {}}));
    target_.reset();
    textures_++;
    return write_whole(output_, file, {});
  }

  bool has_gloss() const { return common_.texture().gloss(); }

  TextureReader& reader_;
  const int output_;
  const v1::OpenStream& common_;
  client::FrameStream& stream_;
  // first texture of the next run; used only by the pushing thread
  std::optional<PipedTexture> held_;

  std::mutex mutex_;
  std::deque<PipedTexture> waiting_;  // pushed textures without pictures so far; guarded by mutex_

  // Used only by the pulling thread.
  PipedTexture source_;
  std::optional<Texture> target_;
  int images_ = 0;
  int64_t textures_ = 0, blocks_ = 0;
};

void describe_textures(const CommandContext& context, int64_t textures, int64_t blocks, double seconds,
                       const std::string& device) {
  if (context.json)
    return write_error(json_line({{"textures", std::to_string(textures)},
                                  {"blocks", std::to_string(blocks)},
                                  {"wall_time", fmt::format("{}", seconds)},
                                  {"device", json_string(device)}}));
  context.note(fmt::format("{}, {} in {} ({:.0f} blocks/s) on {}.", format_count(textures, "texture"),
                           format_count(blocks, "block"), format_duration(seconds),
                           seconds > 0 ? double(blocks) / seconds : 0, device));
}

int run(const CommandContext& context, const PipeTextures& pipe) {
  std::signal(SIGPIPE, SIG_IGN);
  v1::OpenStream common;
  if (const Status filled = pipe.upsampling.fill(*common.mutable_texture()); !filled.ok())
    return context.fail_usage(filled);
  if (const Status filled = pipe.settings.fill(*common.mutable_settings()); !filled.ok())
    return context.fail_usage(filled);
  const auto output = PipeFile::open_output(pipe.paths.output, pipe.paths.overwrite, "Textures are");
  if (!output.ok()) return context.fail_usage(output.status());
  const auto input = PipeFile::open_input(pipe.paths.input, "DDS or KTX2 files");
  if (!input.ok()) return context.fail_usage(input.status());
  DescriptorReader bytes(input->get());
  TextureReader reader(bytes, common.texture());
  auto next = reader.next();
  if (next.ok() && !next->has_value())
    next = invalid_argument("The input is empty; pipe DDS or KTX2 files into it.");
  if (!next.ok()) {
    context.fail(next.status());
    return kExitJobFailed;
  }
  auto server = StreamServer::find(context);
  if (server.status().code() == StatusCode::kCancelled) return kExitInterrupted;
  if (!server.ok()) return context.fail(server.status());
  int64_t textures = 0, blocks = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::string device;
  for (std::optional<PipedTexture> first = *std::move(next); first.has_value();) {
    const auto stream = server->open(request_of(common, first->texture.info));
    if (stream.status().code() == StatusCode::kCancelled) return kExitInterrupted;
    if (!stream.ok()) return context.fail(stream.status());
    device = (*stream)->opened().device();
    TextureCourse course(reader, output->get(), common, **stream);
    const PipeEnds ends = run_both(
        server->signals(), **stream, bytes, [&] { return course.push(*std::move(first)); },
        [&] { return course.pull(); });
    textures += course.textures();
    blocks += course.blocks();
    const int code = report_pipe_end(context, ends);
    if (code != kExitDone || !ends.root().ok()) return code;
    first = course.take_held();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  describe_textures(context, textures, blocks, seconds.count(), device);
  return kExitDone;
}

// Returns the name of the kind of job that upscales files. It is declared in the same proto as the
// stream.
std::string name_of_kind() {
  const std::vector<options::JobKind> kinds = options::job_kinds();
  const auto* const file = v1::TextureStream::descriptor()->file();
  return std::ranges::find_if(kinds, [&](const auto& kind) { return kind.message()->file() == file; })->name;
}

}  // namespace

void add_pipe_textures(Command& pipe, CommandContext& context) {
  Command& command = pipe.add(
      name_of_kind(), "Upscales a stream of textures: DDS and KTX2 files back to back; needs no daemon.");
  const auto state = std::make_shared<PipeTextures>();
  state->paths.declare(command, "one DDS or KTX2 file, or several concatenated");
  state->upsampling.add(command, v1::TextureStream::descriptor(), "Textures");
  state->settings.add(command, v1::StreamSettings::descriptor(), "Stream", {"class", "deadline"});
  command.examples = fmt::format(
      "{}", fmt::join(v1::TextureStream::descriptor()->options().GetExtension(v1::stream).examples(), "\n"));
  command.run = [&context, state] { return run(context, *state); };
}

}  // namespace weft::cli
