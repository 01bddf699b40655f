# SPDX-License-Identifier: Apache-2.0
# Common code of every folder's CMakeLists.txt: compiler settings, weft_library, weft_program,
# weft_test.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# libraries and programs alike, so that they can share precompiled headers
add_compile_options(-fPIC)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# -O3 is for kernels (Kernels.cmake) and for folders with loops over samples, which add
# WEFT_SAMPLE_LOOPS; interactive code is cold (-O1), and tests have -Og: both compile faster.
# protoc's output has -O2: a submit is a twentieth slower without.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(WEFT_SAMPLE_LOOPS $<$<CONFIG:Release>:-O3>)
set(WEFT_COLD_CODE $<$<CONFIG:Release>:-O1>)
# gold links in a half to a third of bfd's time, and there are more than eighty programs.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold WEFT_HAVE_GOLD)
if(WEFT_HAVE_GOLD)
  add_link_options(-fuse-ld=gold)
endif()

# Settings that ccache needs to cache files with precompiled headers; it compares those headers by
# content.
find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${WEFT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

add_library(weft_flags INTERFACE)
# -Wrestrict sees overlaps in std::string that are not there (GCC bug 105651, all of GCC 12).
# -pthread in all of them, as some libraries ask for it: precompiled headers are for one set of
# flags. GCC collects its garbage from 128 MB on, which takes an eighth of the time of large files.
target_compile_options(weft_flags INTERFACE -pthread -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wunused-result)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(weft_flags INTERFACE -Werror -Wno-restrict --param=ggc-min-expand=400 --param=ggc-min-heapsize=524288)
endif()
target_include_directories(weft_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(weft_flags INTERFACE WEFT_VERSION="${PROJECT_VERSION}")
if(WEFT_PCH)
  # With headers precompiled GCC 12 says the same of std::string under other names; builds without
  # them keep those warnings.
  target_compile_options(weft_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(WEFT_FAULT_POINTS)
  target_compile_definitions(weft_flags INTERFACE WEFT_FAULT_POINTS=1)
endif()
if(WEFT_SANITIZE)
  # GCC's warning about uninitialised values is wrong too often in code with a sanitizer's checks in
  # it. -g1: a report names functions and lines, which is all it can show; with variables too a
  # build takes longer.
  add_compile_options(-g1 -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()
if(WEFT_SANITIZE MATCHES "thread")
  # For ThreadSanitizer protobuf's header gives map fields two more members, which the library,
  # built without it, does not know.
  set(layout_of_library ${CMAKE_BINARY_DIR}/tsan)
  file(CONFIGURE OUTPUT ${layout_of_library}/google/protobuf/map_field.h @ONLY CONTENT
"// Written by cmake/Weft.cmake.
#pragma push_macro(\"__SANITIZE_THREAD__\")
#undef __SANITIZE_THREAD__
#include_next <google/protobuf/map_field.h>
#pragma pop_macro(\"__SANITIZE_THREAD__\")
")
  include_directories(SYSTEM ${layout_of_library})
endif()

include(CudaTargets)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
if(WEFT_DASHBOARD)
  # here, so that the dashboard's tests see its targets too
  find_package(Qt6 6.4 REQUIRED COMPONENTS Charts Test Widgets)
endif()
find_package(Protobuf REQUIRED)

# Common headers, precompiled: reading them took most of the compile time. Every file includes the
# headers it uses all the same; a build with WEFT_PCH=OFF verifies it.
set(WEFT_COMMON_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque> <filesystem>
  <functional> <limits> <map> <memory> <mutex> <optional> <random> <set> <span> <string> <string_view> <thread> <utility>
  <vector> <base/log.h> <base/status.h> <google/protobuf/descriptor.h> <google/protobuf/generated_enum_reflection.h>
  <google/protobuf/map.h> <google/protobuf/map_field_inl.h> <google/protobuf/message.h> <google/protobuf/unknown_field_set.h>)

# weft_precompile(NAME LINK lib ... HEADERS <a.h> ...): nothing but precompiled headers: the common
# ones, and those named.
function(weft_precompile name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  set(empty ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// Written by cmake/Weft.cmake.\n")
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE weft_flags absl::status absl::statusor fmt::fmt spdlog::spdlog protobuf::libprotobuf ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${WEFT_COMMON_HEADERS} ${ARG_HEADERS})
endfunction()
if(WEFT_PCH)
  weft_precompile(weft_headers)
endif()

# weft_use_precompiled(TARGET NAME): TARGET links base, and has the compiler flags of every other
# target; GCC says so (-Winvalid-pch) where a flag or a macro differs that the headers look at.
function(weft_use_precompiled target name)
  if(WEFT_PCH)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# Compiles up to 30 files of a target as one: their includes are read once, and templates are
# instantiated once. A name in a file's unnamed namespace must differ from those of the target's
# other files. SKIP_UNITY_BUILD_INCLUSION leaves a file out.
function(weft_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WEFT_UNITY} UNITY_BUILD_BATCH_SIZE 30)
  if(WEFT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a unity file's members for headers
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# weft_library(NAME [SOURCES a.cpp ...] [PUBLIC lib ...] [PRIVATE lib ...]) A folder's library, of
# each .cpp of the folder if SOURCES is not given. PUBLIC lists the libraries of its headers;
# everything else is PRIVATE, so that a program has no path to a library it does not use itself.
function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE weft_flags ${ARG_PRIVATE})
  weft_use_precompiled(${name} weft_headers)
  weft_compile_together(${name})
endfunction()

# Makes a test or a benchmark depend on the kernel modules, if it links their loader or starts a
# program that does.
function(weft_use_kernel_modules name)
  foreach(user device filters filter_suite kernels weft-worker worker)
    if(user IN_LIST ARGN)
      add_dependencies(${name} kernel_modules)
    endif()
  endforeach()
endfunction()

# weft_program(NAME SOURCES main.cpp ... LINK lib ...)
function(weft_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE weft_flags ${ARG_LINK})
  weft_use_precompiled(${name} weft_headers)
  weft_compile_together(${name})
endfunction()

# Lets a test pass in the sanitizer presets with the leaks and races of other people's libraries
# that tests/leaks.supp and tests/races.supp name. suppress_equal_addresses=0: else every race is
# first looked for among all that were ever hidden, which takes minutes in a test that uses gRPC.
function(weft_sanitizer_options name)
  if(WEFT_SANITIZE)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.supp:print_suppressions=0"
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/races.supp:print_suppressions=0:suppress_equal_addresses=0")
  endif()
endfunction()

# weft_test(NAME SOURCES a_test.cpp ... LINK lib ... [NEEDS program ...] [LABELS fast ...] [TIMEOUT
# seconds] [COST number]) A GoogleTest program; one CTest entry a program, of the same name as its
# target. NEEDS: programs that the test starts, so that building the test builds them. Labels: the
# folder's name, and `fast` when all of it takes under a few seconds.
function(weft_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;COST" "SOURCES;LINK;NEEDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_NEEDS)
    add_dependencies(${name} ${ARG_NEEDS})
  endif()
  weft_use_kernel_modules(${name} ${ARG_LINK} ${ARG_NEEDS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE weft_flags ${ARG_LINK} GTest::gmock GTest::gtest_main)
  weft_use_precompiled(${name} weft_test_headers)
  weft_compile_together(${name})
  add_test(NAME ${name} COMMAND ${name})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)  # ends hanging tests: several times their duration on two busy cores
  endif()
  if(WEFT_SANITIZE)
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")  # everything takes about this factor longer
  endif()
  weft_sanitizer_options(${name})
  # Without known durations, as in a clean clone, the longest tests begin first: by their time
  # limit, or by COST in the same unit.
  if(NOT ARG_COST)
    set(ARG_COST ${ARG_TIMEOUT})
  elseif(WEFT_SANITIZE)
    math(EXPR ARG_COST "4 * ${ARG_COST}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${folder};${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_COST})
  # Threads of Mesa's software Vulkan device have too little work to share, and other tests use the
  # other cores.
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT LP_NUM_THREADS=1)
endfunction()

# weft_compiles_transforms(TEST ...): tests for which Mesa's software Vulkan device compiles the
# kernels of transforms for a minute or two. One runs at a time, so that the next finds the results
# in the cache; and vectors of 128 bits compile in a third of the time.
function(weft_compiles_transforms)
  set_property(TEST ${ARGN} PROPERTY RESOURCE_LOCK transforms)
  set_property(TEST ${ARGN} PROPERTY COST 5000)  # one after the other they take longest
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT LP_NATIVE_VECTOR_WIDTH=128)
endfunction()
