// SPDX-License-Identifier: Apache-2.0
// Drops what a worker does not need, so that a stranger's file that gets the better of a decoder gets little.
#pragma once

#include <string>
#include <vector>

namespace weft::worker {

enum class Confinement {
  kDevice,    // opens a GPU's driver
  kComputing  // the CPU device and the probe
};

// For the whole process and for ever; call before threads start.
//
//  - no new privileges; death with the parent thread
//  - none of root's capabilities, except CAP_IPC_LOCK with a GPU's driver (pinned memory)
//  - files: what paths_of_worker lists (Landlock); others only as open descriptors (FolderProcess)
//  - a seccomp filter that refuses (EACCES) sockets, connections, other programs, signals and limits for other processes, a look into
//    their memory or descriptors, and changes to files by their path that Landlock does not know. A GPU's driver gets sockets of
//    netlink, and unconnected Unix sockets of packets, which CUDA's wants.
//
// What the machine lacks for that, a sentence each; the worker may go on without. `cache_folder`: written to by drivers; empty: none.
std::vector<std::string> confine(Confinement kind, const std::string& cache_folder);

// The same for the process that opens files for the worker (FolderProcess). It keeps CAP_DAC_OVERRIDE, has no Landlock rules, and no
// sockets but those it has; nobody may look into it.
std::vector<std::string> confine_folder_process();

}  // namespace weft::worker
