# SPDX-License-Identifier: Apache-2.0
# weft_kernels(FOLDER...): builds every *.kernel file of the folders, in every variant it declares,
# for each target, and embeds the results in the library `kernels`, with a table of them
# (kernels/lang/registry.h). weft_kernel_module(FOLDER): the same for one family, as a shared object
# that a program opens when it first loads a kernel of it: the target <FOLDER>_kernels. Only users
# of the family wait for its build.
#
#   // variants: PIXEL = uint8_t uint16_t  in a kernel file: built once for each value, with
#                                          -DPIXEL=<value>; several such lines make every
#                                          combination, in the order of the lines
#   // also: half = HALF_POINTS            each of them once more, as "<variant>.half", with
#                                          -DHALF_POINTS; several such lines do not combine
#   // tuned for rgb: PLANES RADIX LANES   GPUs get variants that define these macros, with the
#                                          values of tuning/gpu.json for the file, each as
#                                          "<values>.rgb". A block is LANES wide; Params and the
#                                          array are those of the variant of the first value
#   // cpu: baseline x86_v3                instruction sets, if not the default ones
#   // cpu 1 1.half: baseline              likewise, of some variants; `checks` stands for builds
#                                          with WEFT_KERNEL_CHECKS
#   // tune: BLOCK                         blocks may have any shape up to the declared number of
#                                          lanes, found for a device and a size (server/tuning/)
#   // optimise baseline: -O1              for processors without AVX2, instead of -O3
#
# CUDA: a fatbin with the code that WEFT_CUDA_ARCHITECTURES names (CudaTargets.cmake), when nvcc is
# there, in lib/weft/cuda/<family>/. The files `stamp` and `targets` in that folder
# name the sources of all of them, and the generations of GPUs.
# Vulkan: optimised SPIR-V, checked by spirv-val. CPU: an object for each instruction set in
# WEFT_CPU_ISAS. For a variant without code for the CPU, an object holds the launch properties (its
# block, its Params).

include(KernelVariants)
enable_language(ASM)
find_program(WEFT_GLSLC glslc REQUIRED)
find_program(WEFT_SPIRV_VAL spirv-val REQUIRED)

# The instruction sets that CPU kernels are built for; checks (ASSERT in place) want one plain
# build.
if(WEFT_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(weft_cpu_isas baseline)
  set(WEFT_KERNEL_CHECKS ON)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(weft_cpu_isas baseline x86_v3 x86_v4)
else()
  set(weft_cpu_isas baseline)
endif()
set(WEFT_CPU_ISAS "${weft_cpu_isas}" CACHE STRING "Instruction sets of CPU kernels: baseline, x86_v3, x86_v4")
set(WEFT_BASELINE_OPTIMISATION "" CACHE STRING
  "How kernels for processors without AVX2 are optimised in place of -O3, where they do not say it themselves")
set(WEFT_CPU_ISA_FLAGS_baseline "")
set(WEFT_CPU_ISA_FLAGS_x86_v3 -march=x86-64-v3)
set(WEFT_CPU_ISA_FLAGS_x86_v4 -march=x86-64-v4)

# SPIR-V of one variant.
function(weft_kernel_spirv file output defines)
  list(TRANSFORM defines PREPEND -D)
  add_custom_command(OUTPUT ${output}
    COMMAND ${WEFT_GLSLC} -x glsl -std=460 -fshader-stage=compute --target-env=vulkan1.2 -O -Werror
            -I ${PROJECT_SOURCE_DIR} ${defines} -MD -MF ${output}.d -o ${output} ${file}
    COMMAND ${WEFT_SPIRV_VAL} --target-env vulkan1.2 --scalar-block-layout ${output}
    DEPENDS ${file} DEPFILE ${output}.d VERBATIM COMMENT "Building SPIR-V ${output}")
endfunction()

# Folder of the families' CUDA code.
set(WEFT_CUDA_CODE_FOLDER ${CMAKE_BINARY_DIR}/lib/weft/cuda)

# A fatbin of one variant; from the file's own body for CUDA, <name>.cu next to <name>.kernel, if it
# exists.
function(weft_kernel_fatbin file output defines)
  string(REGEX REPLACE "[.]kernel$" ".cu" own_body ${file})
  if(EXISTS ${own_body})
    set(file ${own_body})
    # its targets may change
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endif()
  list(TRANSFORM defines PREPEND -D)
  weft_kernel_cuda_targets(${file} targets)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WEFT_NVCC} -x cu -fatbin -std=c++20 -O3 -fmad=false
            --compress-mode=size ${targets}
            -ccbin ${CMAKE_CXX_COMPILER} -I ${PROJECT_SOURCE_DIR} ${defines} -Werror all-warnings
            -MD -MF ${output}.d -o ${output} ${file}
    DEPENDS ${file} DEPFILE ${output}.d VERBATIM COMMENT "Building fatbin ${output}")
endfunction()

# Makes `library` wait for the CUDA code of a family.
function(weft_cuda_family library folder fatbins)
  if(NOT fatbins)
    return()
  endif()
  set(built ${WEFT_CUDA_CODE_FOLDER}/${folder})
  set(stamp ${built}/stamp)
  set(targets ${PROJECT_BINARY_DIR}/kernels/include/cuda_targets)
  list(JOIN WEFT_CUDA_TARGETS " " names)
  file(CONFIGURE OUTPUT ${targets} CONTENT "${names}")
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -E copy ${targets} ${built}/targets
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_BINARY_DIR}/kernels/include/kernel_stamp ${stamp}
    DEPENDS ${fatbins} ${targets} ${PROJECT_BINARY_DIR}/kernels/include/kernel_stamp.h VERBATIM)
  add_custom_target(${library}_${folder}_cuda DEPENDS ${stamp})
  add_dependencies(${library} ${library}_${folder}_cuda)
endfunction()

# CPU objects: one object library for each set of definitions and instruction set, shared by all
# kernels that need it.
function(weft_kernel_objects library file id variant defines isas)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  set(suffix "")
  if(NOT variant STREQUAL "")
    string(MAKE_C_IDENTIFIER "_${variant}" suffix)
  endif()
  weft_kernel_optimisation(${file} optimise)
  # Networks run several times slower so, which costs a sanitizer's tests more than their
  # compilation takes.
  if(NOT optimise AND WEFT_BASELINE_OPTIMISATION
     AND NOT (WEFT_SANITIZE AND file MATCHES "/(nnedi/(convolve|fused|nnedi3)|texture/layer)[a-z_]*[.]kernel$"))
    set(optimise ${WEFT_BASELINE_OPTIMISATION})
  endif()
  set_source_files_properties(${file} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++"
    COMPILE_DEFINITIONS "WEFT_CPU_FILE=${id};WEFT_CPU_PATH=\"kernels/${path}\"")
  foreach(isa ${isas})
    string(MAKE_C_IDENTIFIER "${library}_cpu_${isa}_${optimise}_${defines}" objects)
    if(NOT TARGET ${objects})
      add_library(${objects} OBJECT)
      target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR})
      target_compile_definitions(${objects} PRIVATE WEFT_CPU_KERNEL WEFT_CPU_VARIANT=${suffix} ${defines}
        $<$<BOOL:${WEFT_KERNEL_CHECKS}>:WEFT_KERNEL_CHECKS>)
      # Without AVX GCC notes of vectors of 32 bytes that GCC before 4.6 passed them otherwise.
      target_compile_options(${objects} PRIVATE -Wall -Wextra -Wpedantic -Wno-psabi $<$<CXX_COMPILER_ID:GNU>:-Werror> -fvisibility=hidden
        -fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-exceptions)
      # SHARED arrays are fastest in static thread-local storage, which libraries opened later do
      # not get.
      get_target_property(kind ${library} TYPE)
      if(kind STREQUAL "MODULE_LIBRARY")
        target_compile_options(${objects} PRIVATE -ftls-model=local-dynamic)
      else()
        target_compile_options(${objects} PRIVATE -ftls-model=initial-exec)
      endif()
      if(isa STREQUAL "signature")
        target_compile_definitions(${objects} PRIVATE WEFT_CPU_ISA=baseline WEFT_SIGNATURE_ONLY)
        target_compile_options(${objects} PRIVATE -O0 -g0 -fno-sanitize=all)
      else()
        target_compile_definitions(${objects} PRIVATE WEFT_CPU_ISA=${isa})
        target_compile_options(${objects} PRIVATE ${WEFT_CPU_ISA_FLAGS_${isa}})
        set(level -O3)
        if(optimise AND isa STREQUAL "baseline")
          set(level ${optimise})
        endif()
        target_compile_options(${objects} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}>)
      endif()
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endif()
    target_sources(${objects} PRIVATE ${file})
  endforeach()
endfunction()

# Adds one variant to the table's texts: declarations, rows, and the assembly that embeds the files.
macro(weft_kernel_row name id spirv isas tuned is_tunable)
  set(pointers "")
  set(isas_ ${isas})
  set(tuned_ "${tuned}")
  set(tunable_ "false")
  if(${is_tunable})
    set(tunable_ "true")
  endif()
  set(signature baseline)
  if(tuned_)
    string(REGEX REPLACE "[.].*$" "" like ${name})
    string(REGEX MATCH "=([0-9]+)" first "${tuned_}")
    string(MAKE_C_IDENTIFIER "${like}_${CMAKE_MATCH_1}" like)
    set(like weft_cpu_${like}_baseline)
    set(signature "")
  elseif(NOT "baseline" IN_LIST isas_ AND NOT "signature" IN_LIST isas_)
    list(GET isas_ 0 signature)
  endif()
  foreach(isa baseline x86_v3 x86_v4)
    if("${isa}" IN_LIST isas_)
      list(APPEND pointers "&weft_cpu_${id}_${isa}")
    else()
      list(APPEND pointers "nullptr")
    endif()
    if("${isa}" IN_LIST isas_ OR isa STREQUAL signature)
      string(APPEND declarations "extern const CpuKernel weft_cpu_${id}_${isa};\n")
    endif()
  endforeach()
  list(JOIN pointers ", " pointers)
  string(APPEND declarations "extern const std::byte weft_spirv_${id}[], weft_spirv_${id}_end[];\n")
  string(APPEND assembly ".balign 64\n.globl weft_spirv_${id}, weft_spirv_${id}_end\n"
    ".hidden weft_spirv_${id}, weft_spirv_${id}_end\nweft_spirv_${id}:\n"
    ".incbin \"${spirv}\"\nweft_spirv_${id}_end:\n.byte 0\n")
  list(APPEND embedded ${spirv})
  set(values "{}")
  if(tuned_)
    string(REGEX REPLACE "([A-Z_0-9]+)=([0-9]+)" "{\"\\1\", \\2}" numbers "${tuned_}")
    list(JOIN numbers ", " numbers)
    string(APPEND tuned_values "static constexpr TunedValue kTuned_${id}[] = {${numbers}};\n"
      "static const CpuKernel kSignature_${id} = with_lanes(${like}, kTuned_${id});\n")
    set(values "kTuned_${id}")
    set(signature kSignature_${id})
  else()
    set(signature weft_cpu_${id}_${signature})
  endif()
  list(APPEND rows "    {\"${name}\", ${signature}, {${pointers}}, {weft_spirv_${id}, weft_spirv_${id}_end}, ${values}, ${tunable_}},")
endmacro()

# Builds the kernels of the folders into `library`: sets the table's content in the caller.
macro(weft_add_kernels library)
  set(declarations "")
  set(assembly "")
  set(tuned_values "")
  set(rows "")
  set(embedded "")
  foreach(folder ${ARGN})
    set(variants_of_folder 0)
    set(fatbins "")
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.kernel)
    foreach(file ${files})
      cmake_path(GET file STEM LAST_ONLY stem)
      # its variants may change
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
      weft_kernel_variants(${file} variants)
      weft_kernel_is_tunable(${file} is_tunable)
      if(NOT variants)
        set(variants "none")
        set(variants_none "")
        set(variants_tuned_none "")
      endif()
      foreach(variant ${variants})
        set(name "${folder}/${stem}.${variant}")
        string(REGEX REPLACE "[.]none$" "" name "${name}")
        string(REGEX REPLACE "^none$" "" suffix "${variant}")
        string(MAKE_C_IDENTIFIER "${name}" id)
        string(MAKE_C_IDENTIFIER "${folder}_${stem}" file_id)
        set(spirv ${CMAKE_CURRENT_BINARY_DIR}/${name}.spv)
        cmake_path(GET spirv PARENT_PATH folder_built)
        file(MAKE_DIRECTORY ${folder_built} ${WEFT_CUDA_CODE_FOLDER}/${folder})
        set(spirv_defines ${variants_${variant}})
        if(is_tunable)
          list(APPEND spirv_defines WEFT_TUNABLE)
        endif()
        weft_kernel_spirv(${file} ${spirv} "${spirv_defines}")
        if(WEFT_HAVE_CUDA)
          set(fatbin ${WEFT_CUDA_CODE_FOLDER}/${name}.fatbin)
          list(APPEND fatbins ${fatbin})
          weft_kernel_fatbin(${file} ${fatbin} "${variants_${variant}}")
        endif()
        set(isas "")
        if(NOT variants_tuned_${variant})
          weft_kernel_isas(${file} "${variant}" isas)
          weft_kernel_objects(${library} ${file} ${file_id} "${suffix}" "${variants_${variant}}" "${isas}")
        endif()
        weft_kernel_row(${name} ${id} ${spirv} "${isas}" "${variants_tuned_${variant}}" ${is_tunable})
        math(EXPR variants_of_folder "${variants_of_folder} + 1")
      endforeach()
    endforeach()
    weft_cuda_family(${library} ${folder} "${fatbins}")
    set_property(GLOBAL APPEND PROPERTY WEFT_KERNEL_VARIANTS "${folder} ${variants_of_folder}")
  endforeach()
  list(SORT rows)
  list(LENGTH rows count)
  list(JOIN rows "\n" rows)
  message(STATUS "Kernels of ${library}: ${count} (CPU: ${WEFT_CPU_ISAS})")
endmacro()

# Writes the table of `library`, followed by `ending`.
function(weft_write_kernel_table library ending)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${library}_table.cpp)
  set(blobs ${CMAKE_CURRENT_BINARY_DIR}/${library}_blobs.S)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
// Written by cmake/Kernels.cmake.
#include <array>

#include "kernels/lang/family.h"

namespace weft::kernels {

extern "C" {
@declarations@}

@tuned_values@
static const KernelImage kTable[] = {
@rows@
};

@ending@

}  // namespace weft::kernels
]])
  file(CONFIGURE OUTPUT ${blobs} @ONLY CONTENT [[
/* Written by cmake/Kernels.cmake. */
.section .note.GNU-stack,"",@progbits
.section .rodata
@assembly@]])
  set_source_files_properties(${blobs} PROPERTIES OBJECT_DEPENDS "${embedded}")
  target_sources(${library} PRIVATE ${table} ${blobs})
  target_link_libraries(${library} PRIVATE weft_flags)
  target_include_directories(${library} PRIVATE ${PROJECT_BINARY_DIR}/kernels/include)
  target_compile_options(${library} PRIVATE -fvisibility=hidden)
  add_dependencies(${library} kernel_stamp)
endfunction()

function(weft_kernels)
  weft_add_kernels(kernels ${ARGN})
  set(modules "")
  foreach(module ${WEFT_KERNEL_MODULES})
    string(APPEND modules "\"${module}\", ")
  endforeach()
  weft_write_kernel_table(kernels "extern const std::span<const KernelImage> kEmbeddedKernels;
const std::span<const KernelImage> kEmbeddedKernels = kTable;
__attribute__((weak)) std::span<const std::string_view> module_table() {
  static constexpr std::string_view kModules[] = {${modules}};
  return kModules;
}")
endfunction()

function(weft_kernel_module folder)
  set(library ${folder}_kernels)
  add_library(${library} MODULE ${PROJECT_SOURCE_DIR}/kernels/lang/runtime.cpp)
  set_target_properties(${library} PROPERTIES PREFIX "" OUTPUT_NAME weft-kernels-${folder}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weft)
  if(NOT WEFT_SANITIZE)
    target_link_options(${library} PRIVATE -Wl,-z,defs)
  endif()
  weft_add_kernels(${library} ${folder})
  weft_write_kernel_table(${library} "extern \"C\" __attribute__((visibility(\"default\"))) const KernelFamily weft_kernel_family;
const KernelFamily weft_kernel_family = {kKernelStamp, kTable};")
  add_dependencies(kernel_modules ${library})
endfunction()

# The stamp of all that kernels are made of: a module of other sources is not opened.
file(GLOB_RECURSE weft_kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.kernel ${PROJECT_SOURCE_DIR}/kernels/*.cu
  ${PROJECT_SOURCE_DIR}/kernels/*.h)
set(weft_kernel_stamp ${PROJECT_BINARY_DIR}/kernels/include/kernel_stamp.h)
add_custom_command(OUTPUT ${weft_kernel_stamp}
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR}/kernels -D TUNING=${PROJECT_SOURCE_DIR}/tuning/gpu.json
          -D OUTPUT=${weft_kernel_stamp} -P ${PROJECT_SOURCE_DIR}/cmake/kernel_stamp.cmake
  DEPENDS ${weft_kernel_sources} ${PROJECT_SOURCE_DIR}/tuning/gpu.json ${PROJECT_SOURCE_DIR}/cmake/kernel_stamp.cmake VERBATIM)
add_custom_target(kernel_stamp DEPENDS ${weft_kernel_stamp})
add_custom_target(kernel_modules)
