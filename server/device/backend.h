// SPDX-License-Identifier: Apache-2.0
// What a back end implements: one class for each noun of device.h, called with arguments that the front end
// has checked. A back end only translates; null/ is the template for a new one.
//
// Errors: UNAVAILABLE when the device is lost, RESOURCE_EXHAUSTED when memory is short, INTERNAL for what
// should not happen. After an error the front end enqueues nothing more, but still waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/lang/registry.h"
#include "server/device/device.h"

namespace weft::device {

class BufferBackend {
 public:
  virtual ~BufferBackend() = default;
  virtual uint64_t address() const = 0;
  virtual std::byte* host() const = 0;  // null for kDevice
};

class KernelBackend {
 public:
  virtual ~KernelBackend() = default;
};

// Enqueueing is done by one thread at a time; is_done, wait and elapsed may be called by others meanwhile.
// The destructor waits for the work. Serials of marks count up from 1; 0 is reached from the start.
class StreamBackend {
 public:
  virtual ~StreamBackend() = default;

  virtual Status launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) = 0;
  virtual Status copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
                      size_t bytes) = 0;
  virtual Status fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) = 0;
  virtual Status mark(uint64_t serial) = 0;
  virtual Status wait_for(StreamBackend& other, uint64_t serial) = 0;

  // Of streams made with StreamUse::kHeldBack: holds are numbered from 1, modulo 2^32; release(n) lets go on those up to n,
  // on any thread, in any order. The destructor releases all.
  virtual Status hold(uint32_t number) {
    return internal_error("The device cannot hold back a stream (hold {}).", number);
  }
  virtual void release(uint32_t) {}
  virtual void* native() const { return nullptr; }

  virtual bool is_done(uint64_t serial) const = 0;
  virtual Status wait(uint64_t serial) = 0;
  // Also what was enqueued after the last mark. Called by the enqueueing thread or when nobody enqueues any
  // more.
  virtual Status wait_all() = 0;
  virtual StatusOr<Duration> elapsed(uint64_t from, uint64_t to) const = 0;  // both reached and kept
  virtual uint64_t pieces_done() const { return 0; }
};

// Whether a stream whose holds up to `released` were let go goes past hold `number`.
inline bool is_released(uint32_t number, uint32_t released) { return int32_t(released - number) >= 0; }

// How a kernel is loaded.
struct KernelForm {
  uint32_t sized_bytes = 0;  // of a TEAM_KERNEL's array, a multiple of its element; 0 for other kernels
  BlockShape block;          // of a tunable kernel any of its shapes, else as declared
};

// Thread-safe.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) = 0;
  virtual StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse use) = 0;
  // NOT_FOUND when the kernel was not built for this kind of device.
  virtual StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image,
                                                        KernelForm form) = 0;
};

// What list_devices() asks each folder for.
struct Found {
  std::vector<DeviceInfo> devices;
  std::vector<std::string> notes;
};

// Opens any device without the front end, for tests that put faults between the two.
StatusOr<std::unique_ptr<DeviceBackend>> open_backend(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device
