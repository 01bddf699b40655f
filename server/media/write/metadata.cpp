// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/metadata.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "server/media/read/probe/stream_info.h"
#include "server/media/write/encoder_table.h"
#include "server/media/write/output_check.h"

namespace weft::media {

namespace {

constexpr std::string_view kAppleKeys = "com.apple.quicktime.";
constexpr std::string_view kAll = "*";

// Tags that describe the source file, or the coding of a source stream.
constexpr std::string_view kStaleKeys[] = {"encoder", "major_brand", "minor_version", "compatible_brands",
                                           "duration"};
constexpr std::string_view kStaleStreamKeys[] = {
    "bps", "number_of_frames", "number_of_bytes", "encoder_options", "encoder", "duration", "vendor_id"};
// Stream tags that have notes of their own or are copied with their streams.
constexpr std::string_view kOtherStreamKeys[] = {"title",    "language", "handler_name",  "timecode",
                                                 "filename", "mimetype", "creation_time", "rotate"};
// Pairs of a bibliographic and a terminological code of ISO 639-2 for one language.
constexpr std::pair<std::string_view, std::string_view> kTwoCodes[] = {
    {"alb", "sqi"}, {"arm", "hye"}, {"baq", "eus"}, {"bur", "mya"}, {"chi", "zho"},
    {"cze", "ces"}, {"dut", "nld"}, {"fre", "fra"}, {"geo", "kat"}, {"ger", "deu"},
    {"gre", "ell"}, {"ice", "isl"}, {"mac", "mkd"}, {"mao", "mri"}, {"may", "msa"},
    {"per", "fas"}, {"rum", "ron"}, {"slo", "slk"}, {"tib", "bod"}, {"wel", "cym"}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

bool is_in(std::string_view key, std::span<const std::string_view> names) {
  const std::string name = lower(key);
  if (name.starts_with("_statistics_")) return true;
  // Matroska names tags NAME or NAME-eng.
  return std::ranges::any_of(names, [&](std::string_view each) {
    return name == each ||
           (name.starts_with(each) && name.size() == each.size() + 4 && name[each.size()] == '-');
  });
}

bool holds_tag(const std::vector<std::string_view>& held, std::string_view key) {
  return std::ranges::count(held, kAll) > 0 || is_in(key, held);
}

// Returns MP4's name for one of Apple's keys, or an empty string for another key.
std::string plain_name(std::string_view key) {
  std::string name = lower(key);
  if (!name.starts_with(kAppleKeys)) return "";
  name.erase(0, kAppleKeys.size());
  if (name == "creationdate") return "date";
  return name == "location.iso6709" ? "location" : name;
}

// Returns the code of the language in the container, or an empty string if it has none.
std::string language_for(const ContainerEntry& container, std::string_view language) {
  if (container.languages.empty()) return "";
  const auto& held = container.languages;
  if (std::ranges::count(held, kAll) > 0 || std::ranges::count(held, language) > 0)
    return std::string(language);
  for (const auto& [one, other] : kTwoCodes) {
    if (language == one && std::ranges::count(held, other) > 0) return std::string(other);
    if (language == other && std::ranges::count(held, one) > 0) return std::string(one);
  }
  return "";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); i++) {
    const char* const between = i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += between + parts[i];
  }
  return text;
}

// Returns the tags that a stream loses. `is_first`: the stream is the first of its kind.
std::vector<std::string> lost_of(const ContainerEntry& container, const StreamInfo& stream, bool is_first) {
  std::vector<std::string> lost, tags;
  if (!stream.title.empty() && !container.titles) lost.push_back(fmt::format("title ({})", stream.title));
  const bool has_language = !stream.language.empty() && stream.language != "und";
  const bool may_have = stream.kind != StreamKind::kVideo || !container.only_audio_languages;
  if (has_language && (!may_have || language_for(container, stream.language).empty()))
    lost.push_back(fmt::format("language ({})", stream.language));
  // Players choose the first stream of a kind without a flag.
  const int flags = stream.flags & ~container.flags & ~(is_first ? AV_DISPOSITION_DEFAULT : 0);
  if (const std::string names = names_of_flags(flags); !names.empty())
    lost.push_back(fmt::format("flags ({})", names));
  for (const std::string& key : stream.tags)
    if (!is_stale_stream_tag(key) && !is_in(key, kOtherStreamKeys) && !holds_tag(container.stream_tags, key))
      tags.push_back(key);
  if (!tags.empty()) lost.push_back(fmt::format("tags ({})", fmt::join(tags, ", ")));
  return lost;
}

std::string others(const ContainerEntry& container, AVCodecID video,
                   const std::function<bool(const ContainerEntry&)>& holds) {
  std::string names;
  for (const ContainerEntry& entry : container_table())
    if (&entry != &container && std::ranges::count(entry.video, video) > 0 && holds(entry))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names.empty() ? "" : fmt::format("; {} keep them", names);
}

std::vector<std::string> lost_file_tags(const ContainerEntry& container,
                                        const std::vector<std::string>& tags) {
  std::vector<std::string> lost;
  const bool has_apple_keys = container.apple_keys && std::ranges::any_of(tags, [](const std::string& key) {
                                return !plain_name(key).empty();
                              });
  for (const std::string& key : tags) {
    const bool is_held = has_apple_keys || holds_tag(container.file_tags, key) ||
                         (!plain_name(key).empty() && holds_tag(container.file_tags, plain_name(key)));
    if (!is_stale_file_tag(key) && lower(key) != "timecode" && !is_held) lost.push_back(key);
  }
  return lost;
}

}  // namespace

bool is_stale_file_tag(std::string_view key) { return is_in(key, kStaleKeys); }

bool is_stale_stream_tag(std::string_view key) { return is_in(key, kStaleStreamKeys); }

bool needs_apple_keys(const ContainerEntry& container, const AVDictionary* tags) {
  return container.apple_keys &&
         av_dict_get(tags, std::string(kAppleKeys).c_str(), nullptr, AV_DICT_IGNORE_SUFFIX) != nullptr;
}

void translate_file_tags(const ContainerEntry& container, AVDictionary** tags) {
  if (container.apple_keys || holds_tag(container.file_tags, kAll)) return;
  Dictionary translated;
  for (const AVDictionaryEntry* tag = nullptr;
       (tag = av_dict_get(*tags, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr;)
    if (const std::string name = plain_name(tag->key); !name.empty()) translated.set(name, tag->value);
  av_dict_copy(tags, *translated.address(), AV_DICT_DONT_OVERWRITE);
}

void translate_stream_tags(const ContainerEntry& container, AVDictionary** tags) {
  const std::string title = title_of(*tags);
  // MP4 and MOV store a track's name in two places: Apple's players read the handler, most others
  // the title.
  const bool has_handlers = container.name == "mp4" || container.name == "mov";
  av_dict_set(tags, "handler_name", has_handlers && !title.empty() ? title.c_str() : nullptr, 0);
  if (!title.empty()) av_dict_set(tags, "title", title.c_str(), 0);
  const AVDictionaryEntry* const language = av_dict_get(*tags, "language", nullptr, 0);
  if (language == nullptr) return;
  const std::string code = language_for(container, language->value);
  if (!code.empty()) av_dict_set(tags, "language", code.c_str(), 0);
}

std::string names_of_flags(int dispositions) {
  std::vector<std::string> names;
  for (int bit = 0; bit < 31; bit++)
    if (const char* const name =
            (dispositions >> bit & 1) != 0 ? av_disposition_to_string(1 << bit) : nullptr)
      names.emplace_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> metadata_notes(std::string_view name, std::string_view encoder,
                                        const MediaInfo& info, const OutputPlan& plan) {
  std::vector<std::string> notes;
  const auto entry = find_encoder(encoder);
  const auto found = find_container(name);
  if (!entry.ok() || !found.ok() || (*entry)->codec == AV_CODEC_ID_NONE) return notes;
  const ContainerEntry& container = **found;
  const AVCodecID video = (*entry)->codec;
  const auto note = [&](std::string_view what, const std::function<bool(const ContainerEntry&)>& holds) {
    notes.push_back(fmt::format("{} in {}{}.", what, container.name, others(container, video, holds)));
  };
  if (const auto lost = lost_file_tags(container, info.tags); !lost.empty())
    note(fmt::format("The file loses its tags ({})", fmt::join(lost, ", ")),
         [&](const ContainerEntry& other) { return lost_file_tags(other, info.tags).empty(); });
  if (info.chapters > 0 && !container.chapters)
    note(fmt::format("The file loses its chapters ({})", info.chapters),
         [](const ContainerEntry& other) { return other.chapters; });
  std::vector<StreamInfo> streams = {info.video_words};
  for (const StreamInfo& other : info.others)
    if (std::ranges::count(plan.copied, other.stream) > 0) streams.push_back(other);
  std::vector<StreamKind> kinds;
  for (const StreamInfo& stream : streams) {
    const bool is_first = std::ranges::count(kinds, stream.kind) == 0;
    kinds.push_back(stream.kind);
    const std::vector<std::string> lost = lost_of(container, stream, is_first);
    const std::string_view kind =
        stream.kind == StreamKind::kVideo && !stream.picture ? "video" : kind_name(stream);
    if (!lost.empty())
      note(fmt::format("The {} stream {} loses its {}", kind, stream.stream, joined(lost)),
           [&](const ContainerEntry& other) { return lost_of(other, stream, is_first).empty(); });
  }
  return notes;
}

}  // namespace weft::media
