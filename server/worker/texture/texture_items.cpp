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
#include "server/media/image/image_codes.h"
#include "server/media/image/image_file.h"
#include "server/media/read/pictures/tga.h"
#include "server/worker/texture/exception_table.h"

namespace weft::worker {
namespace {

struct KindWord {
  std::string_view word;
  v1::TextureKind kind;
};
constexpr size_t kLeastWord = 3;  // least number of letters of a word that digits may follow
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

// Returns true for words without a meaning for the kind: "2k", "1024", "v2", "map", "tex", "gl" ...
bool is_passed_over(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"map", "tex",    "texture", "gl",
                                                      "dx",  "opengl", "directx"};
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end() || word.empty()) return true;
  if (word.back() == 'k') word.remove_suffix(1);
  if (!word.empty() && word.front() == 'v') word.remove_prefix(1);
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Finds the entry of a word, or of a word with digits ("height16") if it has at least three
// letters. Returns null if there is none.
const KindWord* find_kind_word(std::string_view word) {
  const size_t letters = word.find_last_not_of("0123456789") + 1;
  if (letters >= kLeastWord) word = word.substr(0, letters);
  const auto* known = std::find_if(kKindWords.begin(), kKindWords.end(),
                                   [&](const KindWord& each) { return each.word == word; });
  return known == kKindWords.end() ? nullptr : known;
}

// Returns true if a name that consists of this word determines the kind: "normal.png" does, but
// "metal.png" is an albedo of metal.
bool says_kind_alone(std::string_view word) {
  return word.size() >= kLeastWord && word != "metal" && word != "arm";
}

TextureInput input_of_tga(const media::TgaPicture& picture, v1::TextureKind kind) {
  TextureInput input;
  input.is_image = true;
  input.info.is_srgb = kind == v1::TEXTURE_KIND_ALBEDO;
  input.info.alpha = !picture.has_alpha         ? media::TextureAlpha::kOpaque
                     : picture.is_premultiplied ? media::TextureAlpha::kPremultiplied
                                                : media::TextureAlpha::kStraight;
  input.info.width = picture.width;
  input.info.height = picture.height;
  if (!picture.others.empty())
    input.notes.push_back(
        fmt::format("Left out, as a texture does not hold it here: {}.", fmt::join(picture.others, ", ")));
  return input;
}

int primaries_of(media::CodeValueInfo::Primaries primaries) {
  switch (primaries) {
    case media::CodeValueInfo::Primaries::kBt2020:
      return media::kPrimariesBt2020;
    case media::CodeValueInfo::Primaries::kDisplayP3:
      return media::kPrimariesDisplayP3;
    case media::CodeValueInfo::Primaries::kAdobeRgb:
      return media::kPrimariesAdobeRgb;
    case media::CodeValueInfo::Primaries::kOther:
      return media::kPrimariesNotSaid;
    default:
      return media::kPrimariesBt709;
  }
}

TextureInput input_of_image(const media::CodeValueInfo& image, v1::TextureKind kind) {
  TextureInput input;
  input.is_image = true;
  input.info.is_srgb = kind == v1::TEXTURE_KIND_ALBEDO && !image.is_linear;
  input.info.alpha = !image.has_alpha         ? media::TextureAlpha::kOpaque
                     : image.is_premultiplied ? media::TextureAlpha::kPremultiplied
                                              : media::TextureAlpha::kStraight;
  input.info.primaries = primaries_of(image.primaries);
  input.info.width = image.width;
  input.info.height = image.height;
  input.notes = image.notes;
  return input;
}

}  // namespace

v1::TextureKind kind_of_name(std::string_view file_name) {
  std::string stem(file_name.substr(file_name.rfind('/') + 1));
  if (const size_t dot = stem.rfind('.'); dot != std::string::npos && dot > 0) stem.resize(dot);
  for (char& c : stem) c = char(std::tolower(static_cast<unsigned char>(c)));
  for (size_t end = stem.size(); end != std::string::npos;) {
    const size_t before = end == 0 ? std::string::npos : stem.find_last_of("_-. ", end - 1);
    const bool is_first = before == std::string::npos;
    const size_t begin = is_first ? 0 : before + 1;
    const std::string_view word = std::string_view(stem).substr(begin, end - begin);
    const KindWord* const known = find_kind_word(word);
    if (known != nullptr && (!is_first || says_kind_alone(word))) return known->kind;
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

StatusOr<TextureInput> inspect_texture(const media::InputFile& file, v1::TextureKind kind) {
  TextureInput found;
  ASSIGN_OR_RETURN(const bool is_image, media::is_image(file));
  if (media::is_tga(file)) {
    ASSIGN_OR_RETURN(const media::TgaPicture picture, media::probe_tga(file));
    found = input_of_tga(picture, kind);
  } else if (is_image) {
    ASSIGN_OR_RETURN(const media::ImageInfo image, media::probe_image(file, {}));
    RETURN_IF_ERROR(media::check_has_codes(image, file.name()));
    found = input_of_image(media::code_value_info_of(image), kind);
  } else {
    ASSIGN_OR_RETURN(found.info, media::probe_texture(file));
  }
  found.file_bytes = file.bytes();
  return found;
}

StatusOr<SourceTexture> read_texture_input(const media::InputFile& file, v1::TextureKind kind) {
  SourceTexture source;
  ASSIGN_OR_RETURN(const bool is_image, media::is_image(file));
  if (media::is_tga(file)) {
    ASSIGN_OR_RETURN(media::TgaPicture picture, media::read_tga(file));
    source.input = input_of_tga(picture, kind);
    source.texture.levels.push_back(std::move(picture.rgba));
  } else if (is_image) {
    ASSIGN_OR_RETURN(media::ImageCodes image, media::read_image_codes(file));
    source.input = input_of_image(image.info, kind);
    source.texture.levels.push_back(std::move(image.rgba));
  } else {
    ASSIGN_OR_RETURN(source.texture, media::read_texture(file));
    source.input.info = source.texture.info;
  }
  source.input.file_bytes = file.bytes();
  source.texture.info = source.input.info;
  RETURN_IF_ERROR(media::check_info(source.texture.info, file.name()));
  return source;
}

int64_t blocks_of_image(const media::TextureInfo& source) {
  return int64_t((source.width + 1) / 2) * ((source.height + 1) / 2);  // blocks at twice the size
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
