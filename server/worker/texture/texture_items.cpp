// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_items.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "options/file_set.h"
#include "options/values.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/image/image.h"
#include "server/media/image/image_codes.h"
#include "server/media/read/tga.h"
#include "server/worker/texture/exception_table.h"

namespace weft::worker {
namespace {

struct KindWord {
  std::string_view word;
  v1::TextureKind kind;
};
constexpr std::array kKindWords = {
    KindWord{"n", v1::TEXTURE_KIND_NORMAL},          KindWord{"nm", v1::TEXTURE_KIND_NORMAL},
    KindWord{"nor", v1::TEXTURE_KIND_NORMAL},        KindWord{"nrm", v1::TEXTURE_KIND_NORMAL},
    KindWord{"norm", v1::TEXTURE_KIND_NORMAL},       KindWord{"normal", v1::TEXTURE_KIND_NORMAL},
    KindWord{"normals", v1::TEXTURE_KIND_NORMAL},    KindWord{"normaldx", v1::TEXTURE_KIND_NORMAL},
    KindWord{"normalgl", v1::TEXTURE_KIND_NORMAL},   KindWord{"normalmap", v1::TEXTURE_KIND_NORMAL},
    KindWord{"ao", v1::TEXTURE_KIND_MASK},           KindWord{"arm", v1::TEXTURE_KIND_MASK},
    KindWord{"bump", v1::TEXTURE_KIND_MASK},         KindWord{"disp", v1::TEXTURE_KIND_MASK},
    KindWord{"displacement", v1::TEXTURE_KIND_MASK}, KindWord{"gloss", v1::TEXTURE_KIND_MASK},
    KindWord{"height", v1::TEXTURE_KIND_MASK},       KindWord{"m", v1::TEXTURE_KIND_MASK},
    KindWord{"mask", v1::TEXTURE_KIND_MASK},         KindWord{"metal", v1::TEXTURE_KIND_MASK},
    KindWord{"metallic", v1::TEXTURE_KIND_MASK},     KindWord{"metalness", v1::TEXTURE_KIND_MASK},
    KindWord{"occlusion", v1::TEXTURE_KIND_MASK},    KindWord{"opacity", v1::TEXTURE_KIND_MASK},
    KindWord{"orm", v1::TEXTURE_KIND_MASK},          KindWord{"rma", v1::TEXTURE_KIND_MASK},
    KindWord{"rough", v1::TEXTURE_KIND_MASK},        KindWord{"roughness", v1::TEXTURE_KIND_MASK},
    KindWord{"spec", v1::TEXTURE_KIND_MASK},         KindWord{"specular", v1::TEXTURE_KIND_MASK},
};

// "2k", "1024", "v2", "map", "tex", "gl" ...: says nothing of the kind.
bool is_passed_over(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"map", "tex",    "texture", "gl",
                                                      "dx",  "opengl", "directx"};
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end() || word.empty()) return true;
  if (word.back() == 'k') word.remove_suffix(1);
  if (!word.empty() && word.front() == 'v') word.remove_prefix(1);
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

media::TextureFacts facts_of_tga(const media::TgaPicture& picture, v1::TextureKind kind) {
  media::TextureFacts facts;
  facts.is_srgb = kind == v1::TEXTURE_KIND_ALBEDO;
  facts.alpha = picture.has_alpha ? media::TextureAlpha::kStraight : media::TextureAlpha::kOpaque;
  facts.width = picture.width;
  facts.height = picture.height;
  return facts;
}

media::TextureFacts facts_of_image(const media::ImageFacts& image, v1::TextureKind kind) {
  media::TextureFacts facts;
  facts.is_srgb = kind == v1::TEXTURE_KIND_ALBEDO;
  facts.alpha = image.has_alpha ? media::TextureAlpha::kStraight : media::TextureAlpha::kOpaque;
  facts.width = image.data.width;
  facts.height = image.data.height;
  return facts;
}

}  // namespace

v1::TextureKind kind_of_name(std::string_view file_name) {
  std::string stem(file_name.substr(file_name.rfind('/') + 1));
  if (const size_t dot = stem.rfind('.'); dot != std::string::npos && dot > 0) stem.resize(dot);
  for (char& c : stem) c = char(std::tolower(static_cast<unsigned char>(c)));
  for (size_t end = stem.size(); end != std::string::npos;) {
    const size_t before = end == 0 ? std::string::npos : stem.find_last_of("_-. ", end - 1);
    if (before == std::string::npos) break;  // the first word is the material's name
    const std::string_view word = std::string_view(stem).substr(before + 1, end - before - 1);
    const auto* known = std::find_if(kKindWords.begin(), kKindWords.end(),
                                     [&](const KindWord& each) { return each.word == word; });
    if (known != kKindWords.end()) return known->kind;
    if (!is_passed_over(word)) break;
    end = before;
  }
  return v1::TEXTURE_KIND_ALBEDO;
}

StatusOr<std::vector<TextureItem>> list_textures(const v1::JobSpec& spec,
                                                 const std::vector<OpenJobFile>& inputs,
                                                 std::string_view output_name) {
  const OpenJobFile& input = inputs[0];
  ASSIGN_OR_RETURN(const ExceptionTable exceptions, ExceptionTable::of(inputs));
  v1::TextureJob job = spec.texture();
  options::apply_defaults(job);
  const auto kind_of = [&](const std::string& name) {
    return job.kind() == v1::TEXTURE_KIND_AUTO ? kind_of_name(name) : job.kind();
  };
  std::vector<TextureItem> items;
  if (!input.declared.is_set) {
    items.push_back({input.declared.path, std::string(output_name), kind_of(input.declared.path), 0,
                     exceptions.reason_of(input.declared.name()) != nullptr});
    return items;
  }
  ASSIGN_OR_RETURN(const options::FileSet set, options::file_set_of(spec));
  const media::FileCall call("listed", input.declared.folder());
  ASSIGN_OR_RETURN(const std::vector<std::string> names, media::list_in(input.descriptor.get(), "."));
  ASSIGN_OR_RETURN(const std::vector<options::SetFile> files, set.list(names));
  for (const options::SetFile& file : files)
    items.push_back(
        {file.name, file.output_name, kind_of(file.name), 0, exceptions.reason_of(file.name) != nullptr});
  return items;
}

StatusOr<media::InputFilePtr> open_texture(const OpenJobFile& input, const TextureItem& item) {
  return input.declared.is_set ? open_file_of(input, item.name) : open_input_file(input);
}

StatusOr<TextureInput> look_at_texture(const media::InputFile& file, v1::TextureKind kind) {
  TextureInput found;
  found.file_bytes = file.bytes();
  if (media::is_tga(file)) {
    ASSIGN_OR_RETURN(const media::TgaPicture picture, media::probe_tga(file));
    found.is_image = true;
    found.facts = facts_of_tga(picture, kind);
    return found;
  }
  ASSIGN_OR_RETURN(found.is_image, media::is_image(file));
  if (found.is_image) {
    ASSIGN_OR_RETURN(const media::ImageFacts image, media::probe_image(file, {}));
    RETURN_IF_ERROR(media::check_has_codes(image, file.name()));
    found.facts = facts_of_image(image, kind);
    return found;
  }
  ASSIGN_OR_RETURN(found.facts, media::probe_texture(file));
  return found;
}

StatusOr<SourceTexture> read_texture_input(const media::InputFile& file, v1::TextureKind kind) {
  SourceTexture source;
  source.input.file_bytes = file.bytes();
  ASSIGN_OR_RETURN(source.input.is_image, media::is_image(file));
  if (media::is_tga(file)) {
    ASSIGN_OR_RETURN(media::TgaPicture picture, media::read_tga(file));
    source.input.is_image = true;
    source.texture.facts = facts_of_tga(picture, kind);
    source.texture.levels.push_back(std::move(picture.rgba));
  } else if (source.input.is_image) {
    ASSIGN_OR_RETURN(media::ImageCodes image, media::read_image_codes(file));
    source.texture.facts = facts_of_image(image.facts, kind);
    RETURN_IF_ERROR(media::check_facts(source.texture.facts, file.name()));
    source.texture.levels.push_back(std::move(image.rgba));
  } else {
    ASSIGN_OR_RETURN(source.texture, media::read_texture(file));
  }
  source.input.facts = source.texture.facts;
  return source;
}

int64_t blocks_of_image(const media::TextureFacts& source) {
  return int64_t((source.width + 1) / 2) * ((source.height + 1) / 2);  // of twice the size
}

bool is_fault_of_input(const Status& status) {
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kDataLoss:
    case StatusCode::kNotFound:
    case StatusCode::kPermissionDenied:
    case StatusCode::kOutOfRange:
      return true;
    default:
      return false;
  }
}

}  // namespace weft::worker
