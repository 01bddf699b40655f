// SPDX-License-Identifier: Apache-2.0
// Defines the capabilities of each container. docs/guide/containers.md shows them.
#include "server/media/write/container.h"

namespace weft::media {

const std::vector<ContainerEntry>& container_table() {
  constexpr int kTransportFlags =
      AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_CLEAN_EFFECTS;
  // FFmpeg accepts any codec in a transport stream; these codecs are defined for it.
  static const std::vector<AVCodecID> transport = {
      AV_CODEC_ID_MP1,      AV_CODEC_ID_MP2,   AV_CODEC_ID_MP3,          AV_CODEC_ID_AAC,
      AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3,   AV_CODEC_ID_EAC3,         AV_CODEC_ID_DTS,
      AV_CODEC_ID_OPUS,     AV_CODEC_ID_S302M, AV_CODEC_ID_DVB_SUBTITLE, AV_CODEC_ID_DVB_TELETEXT};
  static const std::vector<AVCodecID> bluray = {
      AV_CODEC_ID_AC3,    AV_CODEC_ID_EAC3,       AV_CODEC_ID_DTS,
      AV_CODEC_ID_TRUEHD, AV_CODEC_ID_PCM_BLURAY, AV_CODEC_ID_HDMV_PGS_SUBTITLE,
      AV_CODEC_ID_MP2,    AV_CODEC_ID_AAC,        AV_CODEC_ID_MP3};
  // Languages of the Macintosh language codes, by FFmpeg's names.
  static const std::vector<std::string_view> macintosh = {
      "alb", "amh", "ara", "arm", "asm", "aym", "aze", "baq", "bel", "ben", "bul", "bur", "cat", "ces",
      "dan", "dut", "dzo", "eng", "epo", "est", "fin", "fra", "geo", "ger", "gre", "grn", "guj", "heb",
      "hin", "hun", "ice", "ind", "ita", "jav", "jpn", "kan", "kas", "kaz", "khm", "kin", "kir", "kor",
      "kur", "lao", "lat", "lav", "lit", "mac", "mal", "mar", "may", "mlg", "mlt", "mon", "nep", "nor",
      "nya", "ori", "orm", "per", "pol", "por", "pus", "que", "ron", "run", "rus", "san", "sin", "slk",
      "slv", "smi", "snd", "som", "spa", "swa", "tam", "tat", "tel", "tgk", "tgl", "tha", "tib", "tir",
      "tuk", "tur", "uig", "ukr", "urd", "uzb", "vie", "wel", "yid"};
  static const auto& table = *new std::vector<ContainerEntry>{
      {.name = "mkv",
       .muxer = "matroska",
       .extensions = {"mkv"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_FFV1},
       .attachments = true,
       .pictures = true,
       .one_audio_format = true,
       .timecode = Timecode::kTag,
       .says_fields = true,
       .says_hdr10 = true,
       .side_data = {AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL},
       .file_tags = {"*"},
       .stream_tags = {"*"},
       .titles = true,
       .languages = {"*"},
       .flags = AV_DISPOSITION_DEFAULT | AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL |
                AV_DISPOSITION_COMMENT | AV_DISPOSITION_FORCED | AV_DISPOSITION_HEARING_IMPAIRED |
                AV_DISPOSITION_VISUAL_IMPAIRED,
       .chapters = true},
      {.name = "mp4",
       .muxer = "mp4",
       .extensions = {"mp4", "m4v"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1},
       .pictures = true,
       .one_audio_format = true,
       .timecode = Timecode::kTrack,
       .says_fields = true,
       .says_hdr10 = true,
       .side_data = {AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL},
       .file_tags = {"album",    "album_artist",  "artist",        "comment",  "compilation",
                     "composer", "copyright",     "creation_time", "date",     "description",
                     "disc",     "episode_id",    "episode_sort",  "genre",    "grouping",
                     "hd_video", "keywords",      "location",      "lyrics",   "media_type",
                     "network",  "season_number", "show",          "synopsis", "title",
                     "track"},
       .titles = true,
       .languages = {"*"},
       .flags = AV_DISPOSITION_DEFAULT | AV_DISPOSITION_DUB | AV_DISPOSITION_COMMENT | AV_DISPOSITION_FORCED |
                AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_CAPTIONS |
                AV_DISPOSITION_DESCRIPTIONS,
       .chapters = true},
      {.name = "mov",
       .muxer = "mov",
       .extensions = {"mov"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC},
       .one_audio_format = true,
       .timecode = Timecode::kTrack,
       .says_fields = true,
       .says_hdr10 = true,
       .side_data = {AV_PKT_DATA_DISPLAYMATRIX},
       .file_tags = {"album", "artist", "comment", "copyright", "creation_time", "date", "genre", "location",
                     "make", "model", "title"},
       .apple_keys = true,
       .titles = true,
       .languages = macintosh,
       .flags = AV_DISPOSITION_DEFAULT,
       .chapters = true},
      {.name = "ts",
       .muxer = "mpegts",
       .extensions = {"ts"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC},
       .others = transport,
       .languages = {"*"},
       .only_audio_languages = true,
       .flags = kTransportFlags},
      {.name = "m2ts",
       .muxer = "mpegts",
       .extensions = {"m2ts", "mts"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC},
       .others = bluray,
       .languages = {"*"},
       .only_audio_languages = true,
       .flags = kTransportFlags},
      {.name = "webm",
       .muxer = "webm",
       .extensions = {"webm"},
       .video = {AV_CODEC_ID_AV1},
       .timecode = Timecode::kTag,
       .says_hdr10 = true,
       .side_data = {AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL},
       .file_tags = {"*"},
       .stream_tags = {"*"},
       .titles = true,
       .languages = {"*"},
       .flags = AV_DISPOSITION_DEFAULT | AV_DISPOSITION_FORCED,
       .chapters = true},
      {.name = "avi",
       .muxer = "avi",
       .extensions = {"avi"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_FFV1},
       .file_tags = {"artist", "comment", "copyright", "date", "encoded_by", "genre", "language", "title",
                     "track"},
       .titles = true},
      {.name = "nut",
       .muxer = "nut",
       .extensions = {"nut"},
       .video = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_FFV1},
       .timecode = Timecode::kTag,
       .file_tags = {"*"},
       .stream_tags = {"*"},
       .titles = true,
       .languages = {"*"},
       .flags = AV_DISPOSITION_DEFAULT | AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL |
                AV_DISPOSITION_COMMENT | AV_DISPOSITION_LYRICS | AV_DISPOSITION_KARAOKE,
       .chapters = true},
      {.name = "y4m",
       .muxer = "yuv4mpegpipe",
       .extensions = {"y4m"},
       .video = {AV_CODEC_ID_RAWVIDEO},
       .only_video = true,
       .says_fields = true},
  };
  return table;
}

}  // namespace weft::media
