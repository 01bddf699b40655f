# SPDX-License-Identifier: Apache-2.0
# Finds nvcc and chooses the code that kernels are built as (WEFT_CUDA_ARCHITECTURES).
#
#   native-or-75     machine code for the GPUs that nvidia-smi lists, or PTX of 7.5 without one
#   all              PTX of 7.5, machine code of 8.0, 8.6, 8.9, 9.0a, 10.0 and 12.0, for packages
#   86;89            machine code of these, and PTX of the newest for later GPUs
#   80-virtual       PTX alone, which the driver compiles when a kernel is first loaded
#
# Sets WEFT_HAVE_CUDA, WEFT_CUDA_TARGETS (a list as the last two lines, PTX included) and
# WEFT_NVCC_TARGETS (options of nvcc).

set(WEFT_CUDA_ALL 75-virtual 80 86 89 90a 100 120)

# Returns the compute capabilities of the GPUs here, as 89 or 90a; not those unknown to nvcc.
function(weft_native_architectures out)
  set(found "")
  find_program(WEFT_NVIDIA_SMI nvidia-smi)
  if(WEFT_NVIDIA_SMI)
    execute_process(COMMAND ${WEFT_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE result TIMEOUT 30)
    if(result EQUAL 0)
      string(REGEX MATCHALL "[0-9]+[.][0-9]" found "${text}")
      string(REPLACE "." "" found "${found}")
      list(REMOVE_DUPLICATES found)
    endif()
  endif()
  set(built "")
  if(found)
    execute_process(COMMAND ${WEFT_NVCC} --list-gpu-code OUTPUT_VARIABLE known)
    foreach(capability ${found})
      if(known MATCHES "sm_${capability}[^0-9]")
        list(APPEND built ${capability})
      endif()
    endforeach()
    list(TRANSFORM built REPLACE "^90$" "90a")
  endif()
  set(${out} "${built}" PARENT_SCOPE)
endfunction()

# Returns the PTX that machine code is made of. One PTX serves several generations, which takes half
# of the time that one for each takes; kernels/lang/cuda_limits.h has the limits.
function(weft_ptx_of architecture out)
  string(REGEX REPLACE "[a-z]$" "" number ${architecture})
  set(ptx ${number})
  if(number GREATER 100)
    set(ptx 100)
  elseif(number GREATER 80 AND number LESS 90)
    set(ptx 80)
  endif()
  set(${out} ${ptx} PARENT_SCOPE)
endfunction()

# Returns nvcc's options for a list of targets.
function(weft_nvcc_options targets out)
  set(options "")
  foreach(target ${targets})
    if(target MATCHES "^([0-9]+)-virtual$")
      list(APPEND options -gencode arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1})
    elseif(target MATCHES "^[0-9]+a?$")
      weft_ptx_of(${target} ptx)
      list(APPEND options -gencode arch=compute_${ptx},code=sm_${target})
    else()
      message(FATAL_ERROR "WEFT_CUDA_ARCHITECTURES: '${target}' is not of the form 89, 90a or 80-virtual, and not 'all' or 'native-or-75'.")
    endif()
  endforeach()
  set(${out} "${options}" PARENT_SCOPE)
endfunction()

# nvcc is looked for on PATH and where NVIDIA's installers put it. WEFT_HAVE_CUDA says whether
# kernels are built for CUDA.
find_program(WEFT_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda/bin PATH_SUFFIXES bin)
set(WEFT_HAVE_CUDA OFF)
set(WEFT_CUDA_TARGETS "")
if(WEFT_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: switched off (WEFT_CUDA=OFF)")
elseif(WEFT_NVCC)
  set(WEFT_HAVE_CUDA ON)
  set(WEFT_CUDA_TARGETS ${WEFT_CUDA_ARCHITECTURES})
  if(WEFT_CUDA_TARGETS STREQUAL "native-or-75")
    weft_native_architectures(WEFT_CUDA_TARGETS)
    if(NOT WEFT_CUDA_TARGETS)
      set(WEFT_CUDA_TARGETS 75-virtual)
    endif()
  elseif(WEFT_CUDA_TARGETS STREQUAL "all")
    set(WEFT_CUDA_TARGETS ${WEFT_CUDA_ALL})
  endif()
  list(SORT WEFT_CUDA_TARGETS COMPARE NATURAL)
  if(NOT WEFT_CUDA_TARGETS MATCHES "-virtual")
    list(GET WEFT_CUDA_TARGETS -1 newest)
    weft_ptx_of(${newest} newest)
    list(APPEND WEFT_CUDA_TARGETS ${newest}-virtual)
  endif()
  weft_nvcc_options("${WEFT_CUDA_TARGETS}" WEFT_NVCC_TARGETS)
  message(STATUS "CUDA: ${WEFT_NVCC}, architectures ${WEFT_CUDA_TARGETS}")
elseif(WEFT_CUDA STREQUAL "ON")
  message(FATAL_ERROR "CUDA: nvcc is not found, and WEFT_CUDA=ON asks for it; install the CUDA toolkit, or set WEFT_NVCC.")
else()
  message(STATUS "CUDA: nvcc is not found; there will be no CUDA device")
endif()
