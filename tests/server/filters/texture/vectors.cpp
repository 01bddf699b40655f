// SPDX-License-Identifier: Apache-2.0
#include "tests/server/filters/texture/vectors.h"

#include <stdexcept>

#define WEFT_VECTORS(name)                                                               \
  asm(".section .rodata\n.balign 16\n.globl weft_vectors_" #name ", weft_vectors_" #name \
      "_end\nweft_vectors_" #name ":\n.incbin \"" WEFT_VECTORS_FOLDER "/vectors_" #name  \
      ".bin\"\nweft_vectors_" #name "_end:\n.byte 0\n.previous\n");                      \
  extern "C" const std::byte weft_vectors_##name[], weft_vectors_##name##_end[]
WEFT_VECTORS(albedo);
WEFT_VECTORS(normal);
WEFT_VECTORS(mask);
WEFT_VECTORS(small_albedo);
WEFT_VECTORS(small_normal);
WEFT_VECTORS(small_mask);

namespace weft::filters::texture {

std::span<const std::byte> vectors_file(const std::string& name) {
  if (name == "albedo") return {weft_vectors_albedo, weft_vectors_albedo_end};
  if (name == "normal") return {weft_vectors_normal, weft_vectors_normal_end};
  if (name == "mask") return {weft_vectors_mask, weft_vectors_mask_end};
  if (name == "small_albedo") return {weft_vectors_small_albedo, weft_vectors_small_albedo_end};
  if (name == "small_normal") return {weft_vectors_small_normal, weft_vectors_small_normal_end};
  if (name == "small_mask") return {weft_vectors_small_mask, weft_vectors_small_mask_end};
  throw std::invalid_argument(name);
}

}  // namespace weft::filters::texture
