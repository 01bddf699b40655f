// SPDX-License-Identifier: Apache-2.0
// Determines the members of a Params struct at compile time: FieldsOf<Kernel>::fields().
//
// The aggregate is initialised from values that convert to any type; the requested type is the type
// of the member. Offsets follow from the ABI's rule, which equals GLSL's scalar layout; an
// assertion checks that they sum to the size of the struct. Only CPU kernels include this file
// (cpu.h), so it is in the namespace of the instruction set.
#ifndef KERNELS_LANG_PARAMS_H
#define KERNELS_LANG_PARAMS_H

#include "kernels/lang/registry.h"

namespace weft::kernels {
inline namespace WEFT_CPU_ISA {

inline constexpr uint32_t kMaxFields = 32;  // 128 bytes of 4-byte members

struct FieldList {
  Field fields[kMaxFields];
  uint32_t count = 0;
  uint32_t end_bytes = 0;
  bool only_words = true;

  constexpr void add(uint32_t size_bytes, bool is_word) {
    const uint32_t offset = (end_bytes + size_bytes - 1) / size_bytes * size_bytes;
    fields[count++] = {offset, size_bytes};
    end_bytes = offset + size_bytes;
    only_words = only_words && is_word;
  }
};

template <class T>
concept ParamsWord = __is_same(T, int) || __is_same(T, unsigned int) || __is_same(T, float) ||
                     requires(T buffer) {
  {*buffer.v};
};

struct AnyMember {
  FieldList* list;
  template <class T>
  constexpr operator T() const {
    list->add(sizeof(T), ParamsWord<T>);
    return T{};
  }
};

template <class Params, class... Members>
constexpr FieldList list_fields(FieldList* list, Members... members) {
  if constexpr (requires { Params{members..., AnyMember{}}; }) {
    return list_fields<Params>(list, members..., AnyMember{list});
  } else {
    [[maybe_unused]] const Params params{members...};
    return *list;
  }
}

template <class Params>
constexpr FieldList list_fields() {
  FieldList list{};
  return list_fields<Params>(&list);
}

// The key is the kernel, a type local to its file, because kernels of two folders may have the same
// name.
template <class Kernel>
struct FieldsOf {
  using Params = typename Kernel::Params;
  static constexpr FieldList kList = list_fields<Params>();
  static_assert(kList.only_words, "Params hold BUFFERs, int, uint and float only");
  static_assert((kList.end_bytes + alignof(Params) - 1) / alignof(Params) * alignof(Params) == sizeof(Params),
                "Params are laid out as declared");
  static constexpr std::span<const Field> fields() { return {kList.fields, kList.count}; }
};

}  // namespace WEFT_CPU_ISA
}  // namespace weft::kernels

#endif  // KERNELS_LANG_PARAMS_H
