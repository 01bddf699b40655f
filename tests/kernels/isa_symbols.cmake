# SPDX-License-Identifier: Apache-2.0
# Fails when an object that is built for a newer instruction set defines a symbol that other objects may share (weak or
# unique, as inline functions and templates are) outside the namespace of its instruction set: the linker keeps one of
# several, and the program would run into instructions that the machine does not have.
set(checked 0)
foreach(isa x86_v3 x86_v4)
  file(GLOB_RECURSE objects ${FOLDER}/CMakeFiles/kernels_cpu_${isa}_*/*.o)
  foreach(object ${objects})
    execute_process(COMMAND ${NM} --demangle ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" shared "${symbols}")
    list(FILTER shared EXCLUDE REGEX "weft::kernels::${isa}::")
    if(shared)
      message(FATAL_ERROR "${object} defines what other objects may share: ${shared}")
    endif()
    math(EXPR checked "${checked} + 1")
  endforeach()
endforeach()
message("${checked} objects checked")
