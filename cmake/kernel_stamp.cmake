# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a header with the hash of all kernel sources in FOLDER and of the table TUNING, and
# the hash alone to a file of the same name without ".h".
file(GLOB_RECURSE files ${FOLDER}/*.kernel ${FOLDER}/*.cu ${FOLDER}/*.h)
list(SORT files)
set(hashes "")
foreach(file ${files} ${TUNING})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 stamp "${hashes}")
string(SUBSTRING ${stamp} 0 16 stamp)
file(WRITE ${OUTPUT} "// Written by cmake/kernel_stamp.cmake.
#pragma once
inline constexpr char kKernelStamp[] = \"${stamp}\";
")
string(REGEX REPLACE "[.]h$" "" plain ${OUTPUT})
file(WRITE ${plain} ${stamp})
