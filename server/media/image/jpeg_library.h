// SPDX-License-Identifier: Apache-2.0
// Handles errors of libjpeg-turbo, which end in a longjmp, and defines the markers of metadata.
// Only image_jpeg*.cpp includes this file.
#pragma once

#include <csetjmp>
#include <cstdio>
#include <string>
#include <string_view>

#include <jpeglib.h>

#include "server/media/image/library_messages.h"

namespace weft::media {

inline constexpr std::string_view kExifMark("Exif\0\0", 6);
inline constexpr std::string_view kXmpMark("http://ns.adobe.com/xap/1.0/\0", 29);
inline constexpr std::string_view kProfileMark("ICC_PROFILE\0", 12);
inline constexpr int kProfileMarker = JPEG_APP0 + 2;

// libjpeg's error handler, the jump target of errors and the messages. libjpeg accesses only the
// first member.
struct JpegErrors {
  jpeg_error_mgr handler{};
  std::jmp_buf jump_target{};
  LibraryMessages messages{};
};

inline JpegErrors& jpeg_errors_of(j_common_ptr jpeg) { return *reinterpret_cast<JpegErrors*>(jpeg->err); }

inline std::string jpeg_words_of(j_common_ptr jpeg) {
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  return text;
}

[[noreturn]] inline void jpeg_give_up(j_common_ptr jpeg) {
  char text[JMSG_LENGTH_MAX];  // an array: longjmp runs no destructor
  jpeg->err->format_message(jpeg, text);
  jpeg_errors_of(jpeg).messages.fail(text);
  std::longjmp(jpeg_errors_of(jpeg).jump_target, 1);
}

// Records a warning (level -1). Other levels are traces, which are ignored.
inline void jpeg_complain(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  jpeg->err->num_warnings++;
  jpeg_errors_of(jpeg).messages.warn(jpeg_words_of(jpeg));
}

// Runs `function`, which calls libjpeg. Returns false after an error. An error jumps out of
// `function`, so `function` must not create objects that have a destructor.
template <class Function>
[[gnu::noinline]] bool jpeg_succeeds(JpegErrors& errors, Function function) {
  if (setjmp(errors.jump_target) != 0) return false;
  function();
  return true;
}

}  // namespace weft::media
