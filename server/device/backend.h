// SPDX-License-Identifier: Apache-2.0
// Declares the interfaces of a back end: one class for each of Buffer, Kernel, Stream and Device in
// device.h. The front end has checked the arguments of every call; a back end only calls its
// driver. null/ is the template for a new back end.
//
// The functions return UNAVAILABLE if the device is lost, RESOURCE_EXHAUSTED if memory is short,
// and INTERNAL for unexpected errors. After an error the front end enqueues nothing more, but still
// waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  virtual std::byte* host() const = 0;  // address for the host; null for kDevice
};

class KernelBackend {
 public:
  virtual ~KernelBackend() = default;
};

// A queue of device work that runs in order. One thread at a time may enqueue; others may call
// is_done, wait and elapsed at the same time. The destructor waits for the work. Serial numbers of
// marks count from 1; the serial number 0 is reached from the start.
class StreamBackend {
 public:
  virtual ~StreamBackend() = default;

  virtual Status launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) = 0;
  virtual Status copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
                      size_t bytes) = 0;
  virtual Status fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) = 0;
  virtual Status mark(uint64_t serial) = 0;
  virtual Status wait_for(StreamBackend& other, uint64_t serial) = 0;

  // Hold back the later work of the stream, until release(). Only for streams created with
  // StreamUse::kHeldBack. Holds are numbered from 1, modulo 2^32. release(n) releases all holds up
  // to n; it may be called on any thread and in any order. The destructor releases all holds.
  virtual Status hold(uint32_t number) {
    return internal_error("The device cannot hold back a stream (hold {}).", number);
  }
  virtual void release(uint32_t) {}
  virtual void* native() const { return nullptr; }

  virtual bool is_done(uint64_t serial) const = 0;
  virtual Status wait(uint64_t serial) = 0;
  // Blocks until all work has ended, including work after the last mark. May be called by the
  // enqueueing thread, or by any thread once no thread enqueues.
  virtual Status wait_all() = 0;
  // Returns the device time between two marks, which must be reached and still kept.
  virtual StatusOr<Duration> elapsed(uint64_t from, uint64_t to) const = 0;
  virtual uint64_t chunks_done() const { return 0; }
};

// Returns true if a stream with holds released up to `released` passes hold `number`.
inline bool is_released(uint32_t number, uint32_t released) { return int32_t(released - number) >= 0; }

// Parameters for loading a kernel.
struct KernelForm {
  // Bytes of a TEAM_KERNEL's array, a multiple of its element; 0 for other kernels.
  uint32_t sized_bytes = 0;
  BlockShape block;  // any shape of shapes_of() for a tunable kernel, otherwise the declared one
};

// An open device. Thread-safe.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) = 0;
  virtual StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse use) = 0;
  // Loads a kernel. Returns NOT_FOUND if it was not built for this kind of device.
  virtual StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image,
                                                        KernelForm form) = 0;
  // Device::memory_used_by_all_bytes().
  virtual std::optional<size_t> memory_used_by_all_bytes() const { return std::nullopt; }
};

// The devices that a back end finds for list_devices().
struct Found {
  std::vector<DeviceInfo> devices;
  std::vector<std::string> notes;
};

// Opens any device without the front end. For tests that insert faults between front end and back
// end.
StatusOr<std::unique_ptr<DeviceBackend>> open_backend(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device
