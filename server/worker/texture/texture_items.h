// SPDX-License-Identifier: Apache-2.0
// The textures of a job: one file, or those of a set, and what each holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/texture/texture.h"
#include "server/worker/job/open_input.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

struct TextureItem {
  std::string name;         // in the folder of a set; of an only texture its path
  std::string output_name;  // without folder
  v1::TextureKind kind = v1::TEXTURE_KIND_ALBEDO;
  int64_t blocks = 0;         // by its header, once that was looked at
  bool is_exception = false;  // no network makes it, as the job's table says
};

// By name, of a job's inputs: the textures come first, and there may be a table of exceptions. Errors are FileSet::list's, the folder's or the table's.
StatusOr<std::vector<TextureItem>> list_textures(const v1::JobSpec& spec,
                                                 const std::vector<OpenJobFile>& inputs,
                                                 std::string_view output_name);
StatusOr<media::InputFilePtr> open_texture(const OpenJobFile& input, const TextureItem& item);

// What a name says of a texture: the last word of "rock_normal_2k.dds" that is no size. Albedo where it says nothing.
v1::TextureKind kind_of_name(std::string_view file_name);

// What the input is, by its header; an image as the texture that it becomes.
struct TextureInput {
  media::TextureFacts facts{};
  bool is_image = false;
  std::vector<std::string> notes{};  // of an image: what the texture does not say of it
  int64_t file_bytes = 0;
};
StatusOr<TextureInput> look_at_texture(const media::InputFile& file, v1::TextureKind kind);

// All of it.
struct SourceTexture {
  TextureInput input{};
  media::Texture texture{};
};
StatusOr<SourceTexture> read_texture_input(const media::InputFile& file, v1::TextureKind kind);

// What progress counts: blocks of 4x4 texels of the new level, of one image and of all.
int64_t blocks_of_image(const media::TextureFacts& source);
inline int64_t blocks_of(const media::TextureFacts& source) {
  return blocks_of_image(source) * source.images();
}

// Whether a file is at fault, rather than the device, the disk or the job.
bool is_fault_of_input(const Status& status);

}  // namespace weft::worker
