# SPDX-License-Identifier: Apache-2.0
# weft_kernels(LIBRARY FOLDER...): builds every *.kernel file of the folders, in every variant it declares, for each
# target, and embeds the results in LIBRARY with a table of them (kernels/lang/registry.h).
#
#   // variants: PIXEL = uint8_t uint16_t       in a kernel file: built once for each value, with -DPIXEL=<value>;
#                                               several such lines make every combination, in the order of the lines
#   // gpu variants: ROWS LANES = 2_128 3_256  several numbers at once, beside the former; on the CPU for the plainest
#                                               instruction set alone, as what the others are checked with
#   // also: half = HALF_POINTS                 each of them once more, as "<variant>.half", with -DHALF_POINTS; several
#                                               such lines do not combine
#   // one more: 2.slow = PLANES=2 SLOW         one variant of this name; on the CPU as those for GPUs
#   // cpu: baseline x86_v3                     the only instruction sets that it is built for, where there are others
#   // cpu 1 1.half: baseline                   likewise, of some variants
#
# CUDA: a fatbin (machine code for WEFT_CUDA_ARCHITECTURES, PTX of the newest), when nvcc is there. Vulkan: optimised
# SPIR-V, checked by spirv-val. CPU: an object for each instruction set in WEFT_CPU_ISAS.

enable_language(ASM)
find_program(WEFT_GLSLC glslc REQUIRED)
find_program(WEFT_SPIRV_VAL spirv-val REQUIRED)

# The instruction sets that CPU kernels are built for; checks (ASSERT in place) want one plain build.
if(WEFT_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(weft_cpu_isas baseline)
  set(WEFT_KERNEL_CHECKS ON)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(weft_cpu_isas baseline x86_v3 x86_v4)
else()
  set(weft_cpu_isas baseline)
endif()
set(WEFT_CPU_ISAS "${weft_cpu_isas}" CACHE STRING "Instruction sets of CPU kernels: baseline, x86_v3, x86_v4")
set(WEFT_CPU_ISA_FLAGS_baseline "")
set(WEFT_CPU_ISA_FLAGS_x86_v3 -march=x86-64-v3)
set(WEFT_CPU_ISA_FLAGS_x86_v4 -march=x86-64-v4)

# The variants a file declares, as "value.value" strings in `out`, and what each defines in `out`_<variant>.
function(weft_kernel_variants file out)
  file(STRINGS ${file} lines REGEX "^// variants: ")
  set(variants "")
  set(definitions_ "")
  foreach(line ${lines})
    if(NOT line MATCHES "^// variants: ([A-Z][A-Z_0-9]+) = ([A-Za-z_0-9 ]+)$")
      message(FATAL_ERROR "${file}: '${line}' is not of the form (a NAME has two letters or more) '// variants: NAME = value value'.")
    endif()
    set(name ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "[^ ]+" values "${CMAKE_MATCH_2}")
    set(wider "")
    if(NOT variants)
      set(variants "-")
      set(definitions_- "")
    endif()
    foreach(variant ${variants})
      foreach(value ${values})
        set(combined "${variant}.${value}")
        string(REPLACE "-." "" combined "${combined}")
        list(APPEND wider "${combined}")
        set(definitions_${combined} ${definitions_${variant}} ${name}=${value})
      endforeach()
    endforeach()
    set(variants "${wider}")
  endforeach()
  file(STRINGS ${file} lines REGEX "^// gpu variants: ")
  set(gpu_variants "")
  foreach(line ${lines})
    if(NOT line MATCHES "^// gpu variants: ([A-Z_0-9 ]+) = ([0-9_ ]+)$")
      message(FATAL_ERROR "${file}: '${line}' is not of the form '// gpu variants: NAME NAME = 1_2 3_4'.")
    endif()
    set(names "${CMAKE_MATCH_1}")
    set(tuples "${CMAKE_MATCH_2}")
    separate_arguments(names)
    separate_arguments(tuples)
    foreach(tuple ${tuples})
      string(REPLACE "_" ";" numbers "${tuple}")
      foreach(name number IN ZIP_LISTS names numbers)
        if(NOT name OR number STREQUAL "")
          message(FATAL_ERROR "${file}: '${tuple}' has not a number for each of ${names}.")
        endif()
        list(APPEND definitions_${tuple} ${name}=${number})
      endforeach()
      list(APPEND gpu_variants ${tuple})
    endforeach()
  endforeach()
  list(APPEND variants ${gpu_variants})
  set(plain ${variants})
  set(plain_gpu ${gpu_variants})
  file(STRINGS ${file} lines REGEX "^// also: ")
  foreach(line ${lines})
    if(NOT variants OR NOT line MATCHES "^// also: ([a-z_0-9]+) = ([A-Z][A-Z_0-9]+)$")
      message(FATAL_ERROR "${file}: '${line}' is not of the form '// also: name = NAME', or there are no variants.")
    endif()
    set(name "${CMAKE_MATCH_1}")
    set(macro "${CMAKE_MATCH_2}")
    foreach(variant ${plain})
      set(definitions_${variant}.${name} ${definitions_${variant}} ${macro})
      list(APPEND variants ${variant}.${name})
    endforeach()
    list(TRANSFORM plain_gpu APPEND .${name} OUTPUT_VARIABLE more)
    list(APPEND gpu_variants ${more})
  endforeach()
  file(STRINGS ${file} lines REGEX "^// one more: ")
  foreach(line ${lines})
    if(NOT line MATCHES "^// one more: ([a-z_0-9.]+) = ([A-Z_0-9= ]+)$")
      message(FATAL_ERROR "${file}: '${line}' is not of the form '// one more: name = NAME NAME=2'.")
    endif()
    set(variant "${CMAKE_MATCH_1}")
    string(REPLACE " " ";" definitions_${variant} "${CMAKE_MATCH_2}")
    list(APPEND variants ${variant})
    list(APPEND gpu_variants ${variant})
  endforeach()
  set(${out} "${variants}" PARENT_SCOPE)
  set(${out}_gpu "${gpu_variants}" PARENT_SCOPE)
  foreach(variant ${variants})
    set(${out}_${variant} "${definitions_${variant}}" PARENT_SCOPE)
  endforeach()
endfunction()

# SPIR-V of one variant.
function(weft_kernel_spirv file output defines)
  list(TRANSFORM defines PREPEND -D)
  add_custom_command(OUTPUT ${output}
    COMMAND ${WEFT_GLSLC} -x glsl -std=460 -fshader-stage=compute --target-env=vulkan1.2 -O -Werror
            -I ${PROJECT_SOURCE_DIR} ${defines} -MD -MF ${output}.d -o ${output} ${file}
    COMMAND ${WEFT_SPIRV_VAL} --target-env vulkan1.2 --scalar-block-layout ${output}
    DEPENDS ${file} DEPFILE ${output}.d VERBATIM COMMENT "Building SPIR-V ${output}")
endfunction()

# A fatbin of one variant.
function(weft_kernel_fatbin file output defines)
  list(TRANSFORM defines PREPEND -D)
  set(architectures "")
  foreach(architecture ${WEFT_CUDA_ARCHITECTURES})
    list(APPEND architectures -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(SORT WEFT_CUDA_ARCHITECTURES COMPARE NATURAL)
  list(GET WEFT_CUDA_ARCHITECTURES -1 newest)
  list(APPEND architectures -gencode arch=compute_${newest},code=compute_${newest})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WEFT_NVCC} -x cu -fatbin -std=c++20 -O3 -fmad=false ${architectures}
            -ccbin ${CMAKE_CXX_COMPILER} -I ${PROJECT_SOURCE_DIR} ${defines} -Werror all-warnings
            -MD -MF ${output}.d -o ${output} ${file}
    DEPENDS ${file} DEPFILE ${output}.d VERBATIM COMMENT "Building fatbin ${output}")
endfunction()

# CPU objects: one object library for each set of definitions and instruction set, shared by all kernels that need it.
function(weft_kernel_objects library file id variant defines isas)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  set(suffix "")
  if(NOT variant STREQUAL "")
    string(MAKE_C_IDENTIFIER "_${variant}" suffix)
  endif()
  set_source_files_properties(${file} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++" 
    COMPILE_DEFINITIONS "WEFT_CPU_FILE=${id};WEFT_CPU_PATH=\"kernels/${path}\"")
  foreach(isa ${isas})
    string(MAKE_C_IDENTIFIER "${library}_cpu_${isa}_${defines}" objects)
    if(NOT TARGET ${objects})
      add_library(${objects} OBJECT)
      target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR})
      target_compile_definitions(${objects} PRIVATE WEFT_CPU_KERNEL WEFT_CPU_ISA=${isa} WEFT_CPU_VARIANT=${suffix} ${defines}
        $<$<BOOL:${WEFT_KERNEL_CHECKS}>:WEFT_KERNEL_CHECKS>)
      # Without AVX GCC notes of vectors of 32 bytes that GCC before 4.6 passed them otherwise.
      target_compile_options(${objects} PRIVATE -Wall -Wextra -Wpedantic -Wno-psabi -Werror ${WEFT_CPU_ISA_FLAGS_${isa}}
        $<$<NOT:$<CONFIG:Debug>>:-O3> -fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-exceptions
        -ftls-model=initial-exec ${ARGN})
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endif()
    target_sources(${objects} PRIVATE ${file})
  endforeach()
endfunction()

# The instruction sets that a variant is built for.
function(weft_kernel_isas file variant out)
  set(isas ${WEFT_CPU_ISAS})
  file(STRINGS ${file} lines REGEX "^// cpu[ :]")
  foreach(line ${lines})
    if(NOT line MATCHES "^// cpu([^:]*): ([a-z_0-9 ]+)$")
      message(FATAL_ERROR "${file}: '${line}' is not of the form '// cpu: baseline' or '// cpu variant variant: baseline'.")
    endif()
    set(variants "${CMAKE_MATCH_1}")
    set(wanted "${CMAKE_MATCH_2}")
    separate_arguments(variants)
    separate_arguments(wanted)
    if(NOT variants OR variant IN_LIST variants)
      list(JOIN wanted "|" wanted)
      list(FILTER isas INCLUDE REGEX "^(${wanted})$")
    endif()
  endforeach()
  set(${out} "${isas}" PARENT_SCOPE)
endfunction()

# Adds one variant to the table's texts: declarations, rows, and the assembly that embeds the files.
macro(weft_kernel_row name id spirv fatbin isas)
  set(pointers "")
  set(isas_ ${isas})
  foreach(isa baseline x86_v3 x86_v4)
    if("${isa}" IN_LIST isas_)
      string(APPEND declarations "extern const CpuKernel weft_cpu_${id}_${isa};\n")
      list(APPEND pointers "&weft_cpu_${id}_${isa}")
    else()
      list(APPEND pointers "nullptr")
    endif()
  endforeach()
  list(JOIN pointers ", " pointers)
  set(spans "")
  foreach(kind spirv fatbin)
    if(${kind})
      string(APPEND declarations "extern const std::byte weft_${kind}_${id}[], weft_${kind}_${id}_end[];\n")
      string(APPEND assembly ".balign 64\n.globl weft_${kind}_${id}, weft_${kind}_${id}_end\nweft_${kind}_${id}:\n"
        ".incbin \"${${kind}}\"\nweft_${kind}_${id}_end:\n.byte 0\n")
      list(APPEND spans "{weft_${kind}_${id}, weft_${kind}_${id}_end}")
      list(APPEND embedded ${${kind}})
    else()
      list(APPEND spans "{}")
    endif()
  endforeach()
  list(JOIN spans ", " spans)
  list(APPEND rows "    {\"${name}\", {${pointers}}, ${spans}},")
endmacro()

function(weft_kernels library)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${library}_table.cpp)
  set(blobs ${CMAKE_CURRENT_BINARY_DIR}/${library}_blobs.S)
  add_library(${library} STATIC ${CMAKE_CURRENT_SOURCE_DIR}/lang/registry.cpp ${table} ${blobs})
  target_link_libraries(${library} PRIVATE weft_flags)
  set(declarations "")
  set(assembly "")
  set(rows "")
  set(embedded "")
  foreach(folder ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.kernel)
    foreach(file ${files})
      cmake_path(GET file STEM LAST_ONLY stem)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})  # its variants may change
      weft_kernel_variants(${file} variants)
      if(NOT variants)
        set(variants "none")
        set(variants_none "")
      endif()
      foreach(variant ${variants})
        set(name "${folder}/${stem}.${variant}")
        string(REGEX REPLACE "[.]none$" "" name "${name}")
        string(REGEX REPLACE "^none$" "" suffix "${variant}")
        string(MAKE_C_IDENTIFIER "${name}" id)
        string(MAKE_C_IDENTIFIER "${folder}_${stem}" file_id)
        set(spirv ${CMAKE_CURRENT_BINARY_DIR}/${name}.spv)
        cmake_path(GET spirv PARENT_PATH folder_built)
        file(MAKE_DIRECTORY ${folder_built})
        weft_kernel_spirv(${file} ${spirv} "${variants_${variant}}")
        set(fatbin "")
        if(WEFT_HAVE_CUDA)
          set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin)
          weft_kernel_fatbin(${file} ${fatbin} "${variants_${variant}}")
        endif()
        weft_kernel_isas(${file} "${variant}" isas)
        set(options "")
        if(variant IN_LIST variants_gpu)
          set(isas baseline)
          set(options -O1 -g0 -fno-sanitize=all)  # they are many; the bodies that they share with others are sanitized
        endif()
        weft_kernel_objects(${library} ${file} ${file_id} "${suffix}" "${variants_${variant}}" "${isas}" ${options})
        weft_kernel_row(${name} ${id} "${spirv}" "${fatbin}" "${isas}")
      endforeach()
    endforeach()
  endforeach()
  list(SORT rows)
  list(LENGTH rows count)
  list(JOIN rows "\n" rows)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
// Written by cmake/Kernels.cmake.
#include "kernels/lang/registry.h"

namespace weft::kernels {

extern "C" {
@declarations@}

extern const std::span<const KernelImage> kAllKernels;
static const KernelImage kTable[] = {
@rows@
};
const std::span<const KernelImage> kAllKernels = kTable;

}  // namespace weft::kernels
]])
  file(CONFIGURE OUTPUT ${blobs} @ONLY CONTENT [[
/* Written by cmake/Kernels.cmake. */
.section .note.GNU-stack,"",@progbits
.section .rodata
@assembly@]])
  set_source_files_properties(${blobs} PROPERTIES OBJECT_DEPENDS "${embedded}")
  message(STATUS "Kernels: ${count} (CPU: ${WEFT_CPU_ISAS})")
endfunction()
