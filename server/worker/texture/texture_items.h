// SPDX-License-Identifier: Apache-2.0
// Lists the textures of a job, one file or a set, and determines the kind of each.
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
  std::string name;         // name in the folder of a set, or the path of a single texture
  std::string output_name;  // name without the folder
  v1::TextureKind kind = v1::TEXTURE_KIND_ALBEDO;
  int64_t blocks = 0;  // blocks by its header; 0 until the header is read
  // whether the job's table of exceptions contains it, so that no network processes it
  bool is_exception = false;
};

// Returns the textures of a job in order of their names. The textures are the first of `inputs`; a
// table of exceptions may follow. Errors are those of FileSet::list(), of the folder and of the
// table.
StatusOr<std::vector<TextureItem>> list_textures(const v1::JobSpec& spec,
                                                 const std::vector<OpenJobFile>& inputs,
                                                 std::string_view output_name);
StatusOr<media::InputFilePtr> open_texture(const OpenJobFile& input, const TextureItem& item);

// Returns the kind that a name implies, by its last word that is not a size, as in
// "rock_normal_2k.dds". The default is albedo.
v1::TextureKind kind_of_name(std::string_view file_name);

// The properties of an input by its header. For an image they are those of the texture made from
// it.
struct TextureInput {
  media::TextureInfo info{};
  bool is_image = false;
  std::vector<std::string> notes{};  // properties of an image that the texture does not store
  int64_t file_bytes = 0;
};
StatusOr<TextureInput> inspect_texture(const media::InputFile& file, v1::TextureKind kind);

// A texture with its data.
struct SourceTexture {
  TextureInput input{};
  media::Texture texture{};
};
StatusOr<SourceTexture> read_texture_input(const media::InputFile& file, v1::TextureKind kind);

// Return the units of progress, for one image and for all images: blocks of 4x4 texels of the new
// level.
int64_t blocks_of_image(const media::TextureInfo& source);
inline int64_t blocks_of(const media::TextureInfo& source) {
  return blocks_of_image(source) * source.images();
}

// Returns true if the input file caused the error, rather than the device, the disk or the job.
bool is_fault_of_input(const Status& status);

}  // namespace weft::worker
