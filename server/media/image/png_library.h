// SPDX-License-Identifier: Apache-2.0
// Owns libpng's structures and handles its errors, which end in a longjmp. Only image_png*.cpp
// includes this file.
#pragma once

#include <csetjmp>
#include <string_view>

#include <png.h>

#include "server/media/image/library_messages.h"

namespace weft::media {

constexpr double kPngUnit = 100000;  // number that stands for 1.0 in gAMA and cHRM

inline void png_complain(png_structp png, png_const_charp text) {
  static_cast<LibraryMessages*>(png_get_error_ptr(png))->warn(text);
}
[[noreturn]] inline void png_give_up(png_structp png, png_const_charp text) {
  static_cast<LibraryMessages*>(png_get_error_ptr(png))->fail(text);
  png_longjmp(png, 1);
}

// Runs `function`, which calls libpng. Returns false after an error; the messages then contain its
// text. An error jumps out of `function`, so `function` must not create objects that have a
// destructor.
template <class Function>
[[gnu::noinline]] bool png_succeeds(png_structp png, Function function) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  function();
  return true;
}

}  // namespace weft::media
