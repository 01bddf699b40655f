# SPDX-License-Identifier: Apache-2.0
# The linker keeps one of several symbols that objects may share (weak or unique, as inline
# functions and templates are). The test fails if a CPU kernel's object defines such a symbol with a
# different meaning elsewhere. Outside the namespace of a newer instruction set the program would
# execute unsupported instructions. In a kernel but outside its variant's namespace, one variant
# would run the code of another.
set(checked 0)
foreach(isa baseline x86_v3 x86_v4)
  file(GLOB_RECURSE objects ${FOLDER}/CMakeFiles/*kernels_cpu_${isa}_*/*.o)
  if(NOT objects)
    continue()
  endif()
  execute_process(COMMAND ${NM} --demangle --print-file-name ${objects} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" shared "${symbols}")
  foreach(symbol ${shared})
    string(REGEX REPLACE "^.*/([^/]+)\\.kernel\\.o:.*$" "\\1" kernel "${symbol}")
    if((symbol MATCHES "weft::kernels::${isa}::${kernel}::" AND NOT symbol MATCHES "weft::kernels::${isa}::${kernel}::variant") OR
       (NOT isa STREQUAL "baseline" AND NOT symbol MATCHES "weft::kernels::${isa}::"))
      message(FATAL_ERROR "An object defines what other objects may share: ${symbol}")
    endif()
  endforeach()
  list(LENGTH objects count)
  math(EXPR checked "${checked} + ${count}")
endforeach()
if(checked EQUAL 0)
  message(FATAL_ERROR "There is no CPU kernel's object in ${FOLDER}.")
endif()
message("${checked} objects checked")
