// SPDX-License-Identifier: Apache-2.0
// Drops what a worker does not need, so that a stranger's file that gets the better of a decoder gets little.
#pragma once

#include "base/status.h"

namespace weft::worker {

enum class Confinement {
  kDevice,    // opens a GPU's driver: no network
  kComputing  // the CPU device and the probe: no network, no other programs, no look into other processes
};

// For the whole process and for ever; call before threads start. No new privileges, ever; of root's capabilities only
// CAP_DAC_OVERRIDE (the pictures of a sequence are opened here, in the folder that the daemon opened, and may be private to
// their owner), and with a GPU's driver CAP_IPC_LOCK (pinned memory); death with the parent thread; a seccomp filter that
// refuses (EACCES) what is named above. UNIMPLEMENTED on processors that the filter is not written for; UNAVAILABLE when
// the kernel refuses it: then the worker may go on without.
Status confine(Confinement kind);

}  // namespace weft::worker
