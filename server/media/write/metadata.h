// SPDX-License-Identifier: Apache-2.0
// What a file and its streams say in words: tags, titles, languages, flags, chapters. Containers hold some of it (ContainerEntry); the
// rest is noted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/write/container.h"

namespace weft::media {

// Whether a tag is a fact of the source's file, or of a stream as it was encoded there, and no longer true.
bool is_stale_file_tag(std::string_view key);
bool is_stale_stream_tag(std::string_view key);

// The source's tags as the container names them. MOV holds Apple's keys (com.apple.quicktime.make) and then all others, if its muxer is told to
// (needs_apple_keys); MP4 has names of its own for some of them.
void translate_file_tags(const ContainerEntry& container, AVDictionary** tags);
bool needs_apple_keys(const ContainerEntry& container, const AVDictionary* tags);
// Likewise of a stream.
void translate_stream_tags(const ContainerEntry& container, AVDictionary** tags);

// Of dispositions, FFmpeg's names with commas between them.
std::string names_of_flags(int dispositions);

}  // namespace weft::media
