// SPDX-License-Identifier: Apache-2.0
// libpng's structures, owned, and its errors, which jump. Only image_png*.cpp includes this.
#pragma once

#include <csetjmp>
#include <string_view>

#include <png.h>

#include "server/media/image/library_messages.h"

namespace weft::media {

constexpr double kPngUnit = 100000;  // of gAMA and cHRM

inline void png_complain(png_structp png, png_const_charp text) {
  static_cast<LibraryMessages*>(png_get_error_ptr(png))->warn(text);
}
[[noreturn]] inline void png_give_up(png_structp png, png_const_charp text) {
  static_cast<LibraryMessages*>(png_get_error_ptr(png))->fail(text);
  png_longjmp(png, 1);
}

// Runs `function`, which calls libpng and makes nothing that has a destructor: an error jumps out of it, over this frame's callees
// only. False: there was one, and the messages have its words.
template <class Function>
[[gnu::noinline]] bool png_succeeds(png_structp png, Function function) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  function();
  return true;
}

}  // namespace weft::media
