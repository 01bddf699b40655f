# SPDX-License-Identifier: Apache-2.0
# The linker keeps one of several symbols that objects may share (weak or unique, as inline functions and templates are). Fails
# when a CPU kernel's object defines one that another means differently: outside the namespace of a newer instruction set, the
# program would run into instructions that the machine does not have; of a kernel but outside its variant's namespace, one variant
# would run another's code.
set(checked 0)
foreach(isa baseline x86_v3 x86_v4)
  file(GLOB_RECURSE objects ${FOLDER}/CMakeFiles/kernels_cpu_${isa}_*/*.o)
  foreach(object ${objects})
    execute_process(COMMAND ${NM} --demangle ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" shared "${symbols}")
    cmake_path(GET object STEM kernel)
    set(others ${shared})
    list(FILTER others INCLUDE REGEX "weft::kernels::${isa}::${kernel}::")
    list(FILTER others EXCLUDE REGEX "weft::kernels::${isa}::${kernel}::variant")
    list(FILTER shared EXCLUDE REGEX "weft::kernels::${isa}::")
    if(others OR (shared AND NOT isa STREQUAL "baseline"))
      message(FATAL_ERROR "${object} defines what other objects may share: ${others} ${shared}")
    endif()
    math(EXPR checked "${checked} + 1")
  endforeach()
endforeach()
message("${checked} objects checked")
