// SPDX-License-Identifier: Apache-2.0
// Translates metadata of a file and its streams: tags, titles, languages, flags, chapters. A
// container holds some of it (ContainerEntry); notes name the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/write/container.h"

namespace weft::media {

// These return true if a tag describes the source file, or the coding of a source stream, and is
// false for the output.
bool is_stale_file_tag(std::string_view key);
bool is_stale_stream_tag(std::string_view key);

// Renames the source's tags for the container. MOV holds Apple's keys (com.apple.quicktime.make),
// and then all other tags, with an option of its muxer (needs_apple_keys). MP4 has its own names
// for some of Apple's keys.
void translate_file_tags(const ContainerEntry& container, AVDictionary** tags);
bool needs_apple_keys(const ContainerEntry& container, const AVDictionary* tags);
// Renames the tags of a stream for the container.
void translate_stream_tags(const ContainerEntry& container, AVDictionary** tags);

// Returns FFmpeg's names of dispositions, separated by commas.
std::string names_of_flags(int dispositions);

}  // namespace weft::media
