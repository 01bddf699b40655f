// SPDX-License-Identifier: Apache-2.0
// Tests the table of containers for tags, titles, languages, flags and chapters against the ffmpeg
// program's reading of files.
#include "server/media/write/metadata.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::map<std::string, std::string> kTags = {{"title", "A title"},
                                                  {"artist", "An artist"},
                                                  {"album", "An album"},
                                                  {"album_artist", "Another"},
                                                  {"composer", "Composer"},
                                                  {"comment", "Comment"},
                                                  {"date", "2024-05-06"},
                                                  {"genre", "Genre"},
                                                  {"copyright", "Nobody"},
                                                  {"description", "Words"},
                                                  {"synopsis", "Story"},
                                                  {"show", "Show"},
                                                  {"episode_id", "E1"},
                                                  {"network", "Network"},
                                                  {"grouping", "Group"},
                                                  {"lyrics", "La la"},
                                                  {"make", "Acme"},
                                                  {"model", "Cam 1"},
                                                  {"director", "Somebody"},
                                                  {"encoded_by", "Someone"},
                                                  {"track", "3"},
                                                  {"disc", "2"},
                                                  {"location", "+48.0000+011.0000/"},
                                                  {"creation_time", "2024-05-06T07:08:09.000000Z"}};
const std::map<std::string, int> kFlags = {{"default", AV_DISPOSITION_DEFAULT},
                                           {"dub", AV_DISPOSITION_DUB},
                                           {"original", AV_DISPOSITION_ORIGINAL},
                                           {"comment", AV_DISPOSITION_COMMENT},
                                           {"forced", AV_DISPOSITION_FORCED},
                                           {"hearing_impaired", AV_DISPOSITION_HEARING_IMPAIRED},
                                           {"visual_impaired", AV_DISPOSITION_VISUAL_IMPAIRED}};

std::string lower(std::string text) {
  for (char& letter : text) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

// Returns the tags or flags of the file or of a stream as "key=value", keys in lower case.
std::map<std::string, std::string> said(const std::string& path, const std::string& entries) {
  std::map<std::string, std::string> result;
  const std::string text = run(fmt::format("ffprobe -v error -of default=nw=1 {} '{}'", entries, path));
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t equal = line.find('='), colon = line.find(':');
    if (equal == std::string::npos) continue;
    const size_t begin = colon < equal ? colon + 1 : 0;
    result[lower(line.substr(begin, equal - begin))] = line.substr(equal + 1);
  }
  return result;
}

// Returns true if a list such as "(a, b)" in the text contains the key.
bool is_listed(const std::string& text, const std::string& key) {
  for (const char* before : {"(", ", "})
    for (const char* after : {")", ", "})
      if (text.find(before + key + after) != std::string::npos) return true;
  return false;
}

class Words : public testing::Test {
 protected:
  // Makes a file with audio for each flag (with title, language and a tag), chapters, and tags.
  std::string rich() {
    write_file(folder_.path("c.txt"),
               ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n");
    std::string words =
        "-f lavfi -i testsrc2=size=64x64:rate=25:duration=0.4 -f lavfi -i "
        "sine=duration=0.4:sample_rate=48000 -i " +
        folder_.path("c.txt") + " -map 0:v -map_chapters 2 ";
    for (size_t i = 0; i < kFlags.size(); i++) words += "-map 1:a ";
    for (const auto& [key, value] : kTags) words += fmt::format("-metadata {}='{}' ", key, value);
    words += "-metadata:s:v title=Picture -metadata:s:v language=fra -metadata:s:v mood=good ";
    size_t stream = 0;
    for (const auto& [name, flag] : kFlags)
      words += fmt::format(
          "-metadata:s:a:{0} title='Audio {1}' -metadata:s:a:{0} language=ger -disposition:a:{0} {1} ",
          stream++, name);
    return make_clip(folder_, "rich.mkv", words + "-c:v ffv1 -c:a " + audio_);
  }
  // Writes `name` and returns the notes about the input.
  std::vector<std::string> write(const std::string& input, const std::string& name) {
    const bool is_webm = name.ends_with("webm");
    EncoderSettings settings{.encoder = is_webm ? "svt-av1" : "x264"};
    if (is_webm) settings.options = {{"preset", "12"}};
    const auto segments = encode_segments(input, settings, 0, folder_.path("segment-" + name));
    EXPECT_THAT(segments, IsOk());
    EXPECT_THAT(finish_file(input, *segments, folder_.path(name), (*segments).empty() ? 0 : 10), IsOk())
        << name;
    const MediaInfo info = *probe(input);
    return metadata_notes(name, settings.encoder, info, *check_output(name, settings.encoder, info));
  }

  TestFolder folder_;
  std::string audio_ = "aac";
};

TEST_F(Words, AreCarriedAsTheTableSays) {
  const std::string aac = rich();
  audio_ = "libopus";
  const std::string opus = folder_.path("opus.mkv");
  std::filesystem::rename(rich(), opus);
  audio_ = "ac3";
  const std::string ac3 = folder_.path("ac3.mkv");
  std::filesystem::rename(rich(), ac3);
  audio_ = "aac";
  rich();
  for (const ContainerEntry& container : container_table()) {
    if (container.only_video) continue;
    const std::string name = fmt::format("out.{}", container.name), path = folder_.path(name);
    const std::vector<std::string> notes = write(container.name == "webm"   ? opus
                                                 : container.name == "m2ts" ? ac3
                                                                            : aac,
                                                 name);
    const std::string all = fmt::format("{}", fmt::join(notes, "\n"));
    const auto tags = said(path, "-show_entries format_tags");
    for (const auto& [key, value] : kTags) {
      const bool is_held = std::ranges::count(container.file_tags, "*") > 0 ||
                           std::ranges::count(container.file_tags, key) > 0;
      EXPECT_EQ(tags.contains(key) && tags.at(key) == value, is_held) << name << " " << key;
      const std::string named = all.substr(0, all.find('\n'));
      EXPECT_EQ(named.starts_with("The file loses its tags") && is_listed(lower(named), key), !is_held)
          << name << " " << key << ": " << named;
    }
    EXPECT_EQ(ffprobe(path, "-show_entries chapter=id").empty(), !container.chapters) << name;
    EXPECT_EQ(all.find("The file loses its chapters (1)") != std::string::npos, !container.chapters) << name;
    size_t stream = 0;
    for (const auto& [flag, bit] : kFlags) {
      const std::string select = fmt::format("-select_streams a:{} -show_entries ", stream++);
      const auto words = said(path, select + "stream_tags");
      const auto flags = said(path, select + "stream_disposition");
      EXPECT_EQ(flags.at(flag) == "1", (container.flags & bit) != 0) << name << " " << flag;
      const bool has_title =
          std::ranges::any_of(words, [&](const auto& each) { return each.second == "Audio " + flag; });
      EXPECT_EQ(has_title, container.titles) << name;
      EXPECT_EQ(words.contains("language") && words.at("language") == "ger", !container.languages.empty())
          << name;
    }
    const auto video = said(path, "-select_streams v:0 -show_entries stream_tags");
    EXPECT_EQ(video.contains("language") && video.at("language") == "fra",
              !container.languages.empty() && !container.only_audio_languages)
        << name;
    EXPECT_EQ(video.contains("mood"), !container.stream_tags.empty()) << name;
  }
}

TEST_F(Words, TheLanguagesOfMovAreThoseOfItsTable) {
  const ContainerEntry& mov = **find_container("a.mov");
  const std::vector<std::string> codes(mov.languages.begin(), mov.languages.end());
  constexpr size_t kTracks = 30;
  for (size_t begin = 0; begin < codes.size(); begin += kTracks) {
    const size_t end = std::min(begin + kTracks, codes.size());
    std::string words = "-f lavfi -i sine=duration=0.1 ";
    for (size_t i = begin; i < end; i++)
      words += fmt::format("-map 0:a -metadata:s:a:{} language={} ", i - begin, codes[i]);
    const std::string path = make_clip(folder_, "languages.mov", words + "-c:a pcm_s16le");
    EXPECT_EQ(ffprobe(path, "-show_entries stream_tags=language"),
              std::vector<std::string>(codes.begin() + ptrdiff_t(begin), codes.begin() + ptrdiff_t(end)));
  }
}

std::string with_languages(const TestFolder& folder) {
  return make_clip(folder, "in.mkv",
                   "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 -map "
                   "0 -map 1 -map 1 -map 1 "
                   "-c:v ffv1 -c:a aac -metadata:s:a:0 language=deu -metadata:s:a:1 language=fre "
                   "-metadata:s:a:2 language=hrv");
}

TEST_F(Words, ALanguageHasTheCodeThatTheContainerKnows) {
  const std::string input = with_languages(folder_);
  EXPECT_THAT(
      write(input, "a.mov"),
      ElementsAre("The audio stream 3 loses its language (hrv) in mov; mkv, mp4, ts, m2ts, nut keep them."));
  EXPECT_THAT(ffprobe(folder_.path("a.mov"), "-select_streams a -show_entries stream_tags=language"),
              ElementsAre("ger", "fra"));
  EXPECT_THAT(write(input, "a.mp4"), IsEmpty());
  EXPECT_THAT(ffprobe(folder_.path("a.mp4"), "-select_streams a -show_entries stream_tags=language"),
              ElementsAre("deu", "fre", "hrv"));
}

TEST_F(Words, ApplesKeysStayInMovAndHaveOtherNamesInMp4) {
  const std::string input =
      make_clip(folder_, "in.mov",
                "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -c:v libx264 -pix_fmt yuv420p "
                "-movflags use_metadata_tags "
                "-metadata com.apple.quicktime.make=Acme -metadata "
                "com.apple.quicktime.creationdate=2024-05-06T07:08:09+0200 "
                "-metadata com.apple.quicktime.location.ISO6709=+48.0000+011.0000/ -metadata odd=even");
  EXPECT_THAT(write(input, "a.mov"), IsEmpty());
  const auto before = said(input, "-show_entries format_tags"),
             after = said(folder_.path("a.mov"), "-show_entries format_tags");
  for (const char* key : {"com.apple.quicktime.make", "com.apple.quicktime.creationdate",
                          "com.apple.quicktime.location.iso6709", "odd"})
    EXPECT_EQ(after.contains(key) ? after.at(key) : "", before.at(key)) << key;
  EXPECT_THAT(
      write(input, "a.mp4"),
      ElementsAre(
          "The file loses its tags (com.apple.quicktime.make, odd) in mp4; mkv, mov, nut keep them."));
  const auto mp4 = said(folder_.path("a.mp4"), "-show_entries format_tags");
  EXPECT_EQ(mp4.at("date"), "2024-05-06T07:08:09+0200");
  EXPECT_EQ(mp4.at("location"), "+48.0000+011.0000/");
}

// A player selects the first audio stream anyway, so its flag is no loss.
TEST_F(Words, TheFlagOfTheFirstAudioIsNoLoss) {
  const std::string input =
      make_clip(folder_, "in.mkv",
                "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 -map 0 "
                "-map 1 -map 1 -c:v ffv1 -c:a aac -disposition:a:0 default -disposition:a:1 0");
  EXPECT_THAT(write(input, "a.ts"), IsEmpty());
  const std::string second =
      make_clip(folder_, "in.mkv",
                "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 -map 0 "
                "-map 1 -map 1 -c:v ffv1 -c:a aac -disposition:a:0 0 -disposition:a:1 default");
  EXPECT_THAT(write(second, "a.ts"),
              ElementsAre(HasSubstr("The audio stream 2 loses its flags (default) in ts")));
}

std::string cell(const std::vector<std::string_view>& names, std::string_view all) {
  if (names.empty()) return "-";
  return std::ranges::count(names, "*") > 0 ? std::string(all) : fmt::format("{}", fmt::join(names, ", "));
}

std::string codecs(const std::vector<AVCodecID>& ids) {
  std::vector<std::string> names;
  for (const AVCodecID id : ids) names.emplace_back(avcodec_get_name(id));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the rows of docs/guide/containers.md.
std::string documented() {
  const auto yes = [](bool is) { return is ? "yes" : "-"; };
  std::string text =
      "| container | video | attachments | covers | chapters | timecode | field order | HDR10 "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const ContainerEntry& each : container_table()) {
    const char* const timecode = each.timecode == Timecode::kTrack ? "track"
                                 : each.timecode == Timecode::kTag ? "tag"
                                                                   : "-";
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", each.name, codecs(each.video),
                        yes(each.attachments), yes(each.pictures), yes(each.chapters), timecode,
                        yes(each.says_fields), yes(each.says_hdr10));
  }
  text +=
      "\n| container | tags of the file | titles of streams | other tags of streams | languages | flags "
      "|\n|---|---|---|---|---|---|\n";
  for (const ContainerEntry& each : container_table()) {
    const std::string languages = each.languages.empty()      ? "-"
                                  : each.only_audio_languages ? "of audio and subtitles"
                                  : each.languages.size() == 1u
                                      ? "all"
                                      : fmt::format("{} of QuickTime's", each.languages.size());
    const std::string tags =
        cell(each.file_tags, "all") + (each.apple_keys ? "; with `com.apple.quicktime.` keys all" : "");
    const std::string flags = names_of_flags(each.flags);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", each.name, tags, yes(each.titles),
                        cell(each.stream_tags, "all"), languages, flags.empty() ? "-" : flags);
  }
  return text;
}

TEST(ContainerTable, IsDocumented) {
  const std::string page = read_file(std::string(WEFT_SOURCE_FOLDER) + "/docs/guide/containers.md");
  EXPECT_NE(page.find(documented()), std::string::npos) << "The tables are:\n" << documented();
}

}  // namespace
}  // namespace weft::media
