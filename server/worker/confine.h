// SPDX-License-Identifier: Apache-2.0
// Removes the rights that a worker does not need, so that a malicious file that exploits a decoder
// gains little.
#pragma once

#include <string>
#include <vector>

namespace weft::worker {

enum class Confinement {
  kDevice,    // for a process that opens a GPU's driver
  kComputing  // for the worker of the CPU device, and for the probe
};

// Confines the whole process until its end. Call before threads start.
//
// - It gains no new privileges, and it dies with its parent's thread.
// - It keeps none of root's capabilities, except CAP_IPC_LOCK (pinned memory) with a GPU's driver.
// - It opens by path only the files of paths_of_worker() (Landlock). It receives all others as open
//   descriptors (FolderProcess).
// - A seccomp filter refuses (EACCES) sockets, connections, the start of programs, signals and
//   limits for other processes, access to their memory or descriptors, and changes to files by path
//   that Landlock does not cover. With a GPU's driver it permits netlink sockets, and
//   SOCK_SEQPACKET sockets of AF_UNIX, which CUDA's driver requires; these cannot be connected.
//
// Returns a sentence for each facility that the machine lacks; the worker may continue without it.
// Drivers may write to `cache_folder`, and libraries to `scratch_folder`; an empty path means no
// such folder.
std::vector<std::string> confine(Confinement kind, const std::string& cache_folder,
                                 const std::string& scratch_folder = "");

// Confines the process that opens files for the worker (FolderProcess), as confine() does, with
// these differences: it keeps CAP_DAC_OVERRIDE, has no Landlock rules, can open no socket, and
// other processes cannot inspect it.
std::vector<std::string> confine_folder_process();

}  // namespace weft::worker
