// SPDX-License-Identifier: Apache-2.0
// A GPU or the CPU: what it can do (DeviceInfo), and Buffer, Stream and Kernel to do it with.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Device> device, open_device(infos[0]));
//   ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream, device->make_stream(StreamPriority::kNormal));
//   ASSIGN_OR_RETURN(const Kernel* kernel, device->load("video/bwdif.uint8_t"));
//   stream->launch(*kernel, {width, height, frames}, params);
//   const Mark done = stream->mark();
//   RETURN_IF_ERROR(stream->wait(done));
//
// The classes here validate, once for all back ends, and are final; a back end (cpu/, vulkan/, cuda/, null/)
// implements the four Backend interfaces of device/backend.h and only translates.
//
// Misuse (a copy past a buffer's end, a kernel of another device, a grid past the limits) is an
// INVALID_ARGUMENT that sticks to the stream and comes out of its next wait(); nothing is executed and
// nothing crashes. After an error a stream executes nothing more. A lost device is UNAVAILABLE, from then on
// and from everything of it: end the process and start again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kernels/lang/registry.h"

namespace weft::device {

using kernels::BlockShape;

class BufferBackend;
class Device;
class DeviceBackend;
class KernelBackend;
class Stream;
class StreamBackend;

enum class BackendKind { kCpu, kVulkan, kCuda, kNull };

// Limits and facts as data. A limit of 0 means that the feature is not supported.
struct DeviceInfo {
  BackendKind kind = BackendKind::kNull;
  std::string id;    // what --device takes: "cpu", "cuda:0", "vulkan:0", "null"
  std::string name;  // the maker's name
  std::string uuid;  // the same device seen through CUDA and through Vulkan has the same one; lower-case hex,
                     // 32 digits
  std::string driver;                  // name and version
  bool is_software = false;            // runs on the CPU (llvmpipe, the CPU device)
  size_t memory_bytes = 0;             // device memory; for the CPU the machine's
  size_t max_buffer_bytes = 0;         // one allocation
  uint32_t max_blocks[3] = {0, 0, 0};  // blocks in x, y, z of one launch
  uint32_t max_block_lanes = 0;
  uint32_t shared_memory_bytes = 0;  // a block; SHARED arrays in a kernel's text have at most 48 KiB of it
  uint32_t unit_shared_memory_bytes = 0;  // of a compute unit, for all blocks that it works on at once
  uint32_t params_bytes = 0;              // the largest Params struct; at least 128 on every device
  uint32_t subgroup_lanes = 0;            // warp size
  uint32_t compute_units = 0;             // multiprocessors, cores; at least 1
  uint32_t copy_engines = 0;              // transfers that run beside kernels
  double timestamp_resolution_ns = 0;
  bool can_hold_back = false;  // Stream::hold
};

// Device memory, or host memory that the device can reach. Never resized, never copied implicitly.
enum class MemoryKind {
  kDevice,    // the device's own; host() is null
  kUpload,    // pinned host memory, written by the host in order, read by copies
  kDownload,  // pinned host memory, cached, written by copies, read by the host
};

// Must not be destroyed while work that uses it is unfinished: wait first.
class Buffer final {
 public:
  Buffer(std::unique_ptr<BufferBackend> backend, Device* device, MemoryKind kind, size_t size_bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Device* device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  size_t size_bytes() const { return size_bytes_; }
  // Where kernels see it. Aligned to 256 bytes.
  uint64_t address() const;
  // Where the host sees it; null for kDevice. What a copy wrote is there once a later mark was waited for.
  std::byte* host() const;
  std::span<std::byte> host_bytes() const { return {host(), host() == nullptr ? 0 : size_bytes_}; }
  BufferBackend& backend() const { return *backend_; }

 private:
  std::unique_ptr<BufferBackend> backend_;
  Device* device_;
  MemoryKind kind_;
  size_t size_bytes_;
};

// A kernel's buffer word (`BUFFER(Plane, PIXEL)` in a .kernel file) pointing `offset_bytes` into a buffer:
//   params.src = at<kernels::bwdif::Plane>(*buffer, offset);
template <class Word>
Word at(const Buffer& buffer, size_t offset_bytes = 0) {
  return Word{reinterpret_cast<decltype(Word::v)>(buffer.address() + offset_bytes)};
}
// The same for the device's memory that another library gave.
template <class Word>
Word at_address(uint64_t address) {
  return Word{reinterpret_cast<decltype(Word::v)>(address)};
}

// Lanes in each direction, not blocks, each from 1 to 2^31 - 4096: GPUs round up to whole blocks and the body's GUARD
// drops the rest.
struct Grid {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

// A loaded kernel: one body, its Params struct is its signature. Lives as long as its device.
class Kernel final {
 public:
  // What launches of one class of sizes run by.
  struct Form {
    int size_class;  // size_class_of(grid), shapes.h
    BlockShape block;
    std::shared_ptr<KernelBackend> backend;  // null: the kernel's own
  };
  struct Shape {
    uint32_t block_x;  // lanes of a block, as its KERNEL word says
    uint32_t block_y;
    uint32_t params_bytes;
  };
  // `tuned`: at most one of a class, by class, each within the device's limits.
  Kernel(std::unique_ptr<KernelBackend> backend, const Device* device, std::string name, Shape shape,
         std::vector<Form> tuned = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const Device* device() const { return device_; }
  const std::string& name() const { return name_; }
  const Shape& shape() const { return shape_; }
  // The form that a launch of this grid has: the tuned one of its class or of the nearest (kMostClassDistance), where the grid is within
  // the device's limits so; else the kernel's own.
  const Form& form_for(Grid grid) const;

 private:
  const Device* device_;
  std::string name_;
  Shape shape_;
  Form own_;
  std::vector<Form> tuned_;
};

// A place in a stream's order: all that was enqueued before it.
class Mark {
 public:
  Mark() = default;

 private:
  friend class Stream;
  explicit Mark(uint64_t serial) : serial_(serial) {}
  uint64_t serial_ = 0;  // 0: before everything
};

// A shape that was found best for launches of a class of sizes; the declared one too, as its class has no need of a neighbour's.
struct TunedShape {
  int size_class = 0;
  BlockShape block;
  bool operator==(const TunedShape&) const = default;
};
using ShapeTable = std::map<std::string, std::vector<TunedShape>, std::less<>>;  // by the kernel's name

enum class StreamPriority { kLow, kNormal, kHigh };
constexpr int kStreamPriorities = 3;
enum class StreamUse {
  kAny,
  kCopies,    // copies and fills only: uses a copy engine of its own where the device has one
  kHeldBack,  // its work may be held back; FAILED_PRECONDITION where the device cannot
};

// Sees a stream's launches. Called by the thread that enqueues.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  // In place of the launch: enqueues it by Stream::launch_unobserved, once or more often.
  virtual void launch(Stream& stream, const Kernel& kernel, Grid grid, std::span<const std::byte> params) = 0;
};

// Work in order, with timestamps; the only thing that executes. Enqueueing never blocks and never fails:
// errors stick and come out of the next wait. One thread at a time, except for is_done() and wait().
// Destroying a stream waits for its work.
class Stream final {
 public:
  Stream(std::unique_ptr<StreamBackend> backend, const Device* device, StreamUse use);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Device* device() const { return device_; }

  // Runs the kernel's body once for each lane of the grid. `Params` is the struct in the kernel's file.
  template <class Params>
  void launch(const Kernel& kernel, Grid grid, const Params& params) {
    launch_bytes(kernel, grid, std::as_bytes(std::span(&params, 1)));
  }
  void launch_bytes(const Kernel& kernel, Grid grid, std::span<const std::byte> params);
  void launch_unobserved(const Kernel& kernel, Grid grid, std::span<const std::byte> params);
  // From now on; null: nobody. It outlives the stream.
  void observe(LaunchObserver* observer) { observer_ = observer; }

  // Bytes from one buffer to another, any offsets; at least one of them kDevice. Ranges must not overlap.
  void copy(const Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes);
  // Sets bytes to one value.
  void fill(const Buffer& to, size_t offset, size_t bytes, std::byte value);

  // A place in the order, with a device timestamp. Marks stay valid until kMarksKept newer ones were made.
  Mark mark();
  // What is enqueued from now on starts after `mark` of another stream of the same device. Does not block the
  // host. If the other stream has failed, so does this one.
  void wait_for(const Stream& other, Mark mark);

  // Holds back what is enqueued from now on, on the device, until release(). Only on a stream made for it (kHeldBack).
  // Meanwhile whatever waits for the whole device waits too, such as the driver when it frees memory or loads a kernel,
  // and with it others' calls of the driver: it is for moments, and release() has to come from a thread that no such
  // call can block.
  void hold();
  // Any thread: lets go on what was held back so far. Never blocks, and calls no driver.
  void release();
  // The stream as the device's own interface knows it (a CUstream), for libraries that enqueue work themselves; null where
  // there is nothing of the kind.
  void* native() const;

  // True once wait(mark) does not block: reached, or the stream has failed.
  bool is_done(Mark mark) const;
  // Blocks until `mark` is reached. When the stream has failed: until what it still executes is finished,
  // then returns its first error.
  Status wait(Mark mark);
  Status wait_all();
  // Device time between two reached marks of this stream. OUT_OF_RANGE when one is no longer kept.
  StatusOr<Duration> elapsed(Mark from, Mark to) const;

  // Pieces of its launches that are done, which go on while a long one runs; 0 where the device does not tell. Any thread.
  uint64_t pieces_done() const;

  static constexpr int kMarksKept = 1024;

 private:
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  Status error() const;
  void keep(const Status& status);  // the first error sticks
  Status check_range(const Buffer& buffer, size_t offset, size_t bytes) const;
  Status check_copy(const Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset,
                    size_t bytes) const;
  Status check_launch(const Kernel& kernel, Grid grid, size_t params_bytes) const;
  Status check_mark(Mark mark) const;

  std::unique_ptr<StreamBackend> backend_;
  const Device* device_;
  StreamUse use_;
  LaunchObserver* observer_ = nullptr;
  std::atomic<bool> failed_ = false;
  mutable std::mutex error_mutex_;
  Status error_;  // guarded by error_mutex_
  std::atomic<uint32_t> holds_ = 0;
  std::atomic<uint64_t> last_serial_ = 0;  // of the newest mark
  std::atomic<uint64_t> last_enqueued_ =
      0;  // of the newest mark that the back end knows: none follow an error
};

// Thread-safe. Buffers, kernels and streams must not outlive it.
class Device final {
 public:
  Device(std::unique_ptr<DeviceBackend> backend, DeviceInfo info);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }

  // RESOURCE_EXHAUSTED when memory is short: smaller batches may help.
  StatusOr<std::unique_ptr<Buffer>> allocate(MemoryKind kind, size_t size_bytes);
  StatusOr<std::unique_ptr<Stream>> make_stream(StreamPriority priority = StreamPriority::kNormal,
                                                StreamUse use = StreamUse::kAny);
  // `name`: "<area>/<file>" and, where the file declares variants, ".<value>[.<value>...]" in the order
  // declared: "video/bwdif.uint8_t". Loaded at the first call and kept. NOT_FOUND lists the variants there
  // are.
  StatusOr<const Kernel*> load(std::string_view name) { return load(name, 0); }
  // A TEAM_KERNEL whose array has so many bytes (rounded up to an element, and at least one), each size a kernel of its
  // own. FAILED_PRECONDITION: more than the device's shared_memory_bytes. INVALID_ARGUMENT: another kind of kernel.
  StatusOr<const Kernel*> load(std::string_view name, size_t sized_bytes);

  // Shapes of blocks for classes of sizes. Kernels that are loaded from then on have them; who holds a kernel keeps it as it is. A shape
  // that the kernel or the device does not take is left out. Thread-safe.
  void set_tuning(ShapeTable shapes);
  // A tunable kernel whose blocks all have this shape. INVALID_ARGUMENT: it does not take it (shapes.h).
  StatusOr<const Kernel*> load_shaped(std::string_view name, BlockShape block);

  size_t memory_used_bytes() const;  // of what was allocated here

 private:
  friend class Buffer;
  struct State;
  void give_back(size_t bytes);
  Status check_loadable(const kernels::KernelImage& image, size_t sized_bytes) const;
  StatusOr<std::unique_ptr<Kernel>> make_kernel(const kernels::KernelImage& image, size_t sized_bytes,
                                                BlockShape block);
  std::vector<Kernel::Form> tuned_forms(const kernels::KernelImage& image);

  std::unique_ptr<State> state_;
  DeviceInfo info_;
};

// Every usable device, best first: CUDA GPUs, Vulkan GPUs that CUDA does not have, the CPU, software Vulkan.
// WEFT_DEVICES in the environment ("cpu,vulkan:0") gives exactly those ids in that order instead, twins
// included. `notes` (may be null) gets a sentence for each device or driver that is there and cannot be used,
// and why.
std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes);
// The same with twins: a GPU through CUDA and again through Vulkan. For the suites and benchmarks.
std::vector<DeviceInfo> list_devices_and_twins(std::vector<std::string>* notes);

struct OpenOptions {
  int cpu_threads = 0;  // that a launch of the CPU device is spread over; 0: as many as the process may use
  std::string cpu_isa = {};  // "baseline", "x86-64-v3", "x86-64-v4"; empty: the best that the machine has
  std::string cache_folder = {};  // of compiled pipelines, made when missing; empty: none are kept
};
StatusOr<std::unique_ptr<Device>> open_device(const DeviceInfo& info, const OpenOptions& options = {});
// By id ("cuda:0"), twins and "null" included. NOT_FOUND lists the ids there are.
StatusOr<std::unique_ptr<Device>> open_device(std::string_view id, const OpenOptions& options = {});

// Runs a kernel with a known answer, a copy up and down, and a timestamp. Done before a device takes work.
Status self_test(Device& device);

}  // namespace weft::device
