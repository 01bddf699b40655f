// SPDX-License-Identifier: Apache-2.0
// Declares a device (a GPU or the CPU): its properties (DeviceInfo), and the classes Buffer, Stream
// and Kernel.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Device> device, open_device(infos[0]));
//   ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream, device->make_stream(StreamPriority::kNormal));
//   ASSIGN_OR_RETURN(const Kernel* kernel, device->load("video/bwdif.uint8_t"));
//   stream->launch(*kernel, {width, height, frames}, params);
//   const Mark done = stream->mark();
//   RETURN_IF_ERROR(stream->wait(done));
//
// The classes of this header are final and check arguments once for all back ends. A back end
// (cpu/, vulkan/, cuda/, null/) implements the four Backend interfaces of device/backend.h.
//
// Misuse (a copy past a buffer's end, a kernel of another device, a grid past the limits) is an
// INVALID_ARGUMENT. The stream keeps its first error and executes nothing more; the next wait()
// returns the error. After the loss of a device, all calls on the device and its objects return
// UNAVAILABLE: the process must end and start again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

// Properties and limits of a device. A limit of 0 means that the feature is not supported.
struct DeviceInfo {
  BackendKind kind = BackendKind::kNull;
  std::string id;    // id for --device: "cpu", "cuda:0", "vulkan:0" or "null"
  std::string name;  // name that the maker gave the device
  // 32 lower-case hexadecimal digits; the same for a GPU through CUDA and through Vulkan
  std::string uuid;
  std::string driver;  // name and version of the driver
  // Kernels' code on a GPU through CUDA: "machine code of 8.6", or "PTX of 7.5, compiled by the
  // driver".
  std::string code;
  // Kernels with a body for groups of four warps (wgmma, compute capability 9.0) run it.
  bool has_warpgroups = false;
  bool is_software = false;  // the device runs on the CPU (llvmpipe, the CPU device)
  // Bytes of device memory; for the CPU, bytes of the machine's memory.
  size_t memory_bytes = 0;
  size_t max_buffer_bytes = 0;         // bytes of the largest allocation
  uint32_t max_blocks[3] = {0, 0, 0};  // limit of the blocks in x, y and z of one launch
  uint32_t max_block_lanes = 0;
  // Bytes of tile memory per block; SHARED arrays in a kernel's text have at most 48 KiB of it.
  uint32_t shared_memory_bytes = 0;
  // Bytes of tile memory of a compute unit, for all its resident blocks.
  uint32_t unit_shared_memory_bytes = 0;
  // Bytes of the largest Params struct; at least 128 on every device.
  uint32_t params_bytes = 0;
  uint32_t subgroup_lanes = 0;  // lanes of a subgroup (CUDA: warp)
  uint32_t compute_units = 0;   // number of multiprocessors or cores; at least 1
  uint32_t copy_engines = 0;    // number of transfers that run concurrently with kernels
  double timestamp_resolution_ns = 0;
  bool can_hold_back = false;  // Stream::hold is supported
};

// The location of a buffer. Buffers are never resized or copied implicitly.
enum class MemoryKind {
  kDevice,    // device memory; host() is null
  kUpload,    // pinned host memory that the host writes in order and copies read
  kDownload,  // pinned and cached host memory that copies write and the host reads
};

// Memory of a device. Must not be destroyed before the work that uses it has ended.
class Buffer final {
 public:
  Buffer(std::unique_ptr<BufferBackend> backend, Device* device, MemoryKind kind, size_t size_bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Device* device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  size_t size_bytes() const { return size_bytes_; }
  // Returns the address for kernels, aligned to 256 bytes.
  uint64_t address() const;
  // Returns the address for the host, or null for kDevice. The result of a copy is visible there
  // after a wait for a later mark.
  std::byte* host() const;
  std::span<std::byte> host_bytes() const { return {host(), host() == nullptr ? 0 : size_bytes_}; }
  BufferBackend& backend() const { return *backend_; }

 private:
  std::unique_ptr<BufferBackend> backend_;
  Device* device_;
  MemoryKind kind_;
  size_t size_bytes_;
};

// Returns the value of a BUFFER field of a kernel's Params: the address `offset_bytes` after the
// start of `buffer`. `Word` is the type that `BUFFER(Plane, PIXEL)` declares in a .kernel file:
//   params.src = at<kernels::bwdif::Plane>(*buffer, offset);
template <class Word>
Word at(const Buffer& buffer, size_t offset_bytes = 0) {
  return Word{reinterpret_cast<decltype(Word::v)>(buffer.address() + offset_bytes)};
}
// Returns the value of a BUFFER field for an address that another library allocated on the device.
template <class Word>
Word at_address(uint64_t address) {
  return Word{reinterpret_cast<decltype(Word::v)>(address)};
}

// Lanes (not blocks) in each direction, each from 1 to 2^31 - 4096. GPUs round them up to whole
// blocks, and the GUARD of the kernel ends the additional lanes.
struct Grid {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

// A loaded kernel. Lives as long as its device.
class Kernel final {
 public:
  // The kernel as compiled for launches of one size class.
  struct Form {
    int size_class;  // as size_class_of(grid) returns
    BlockShape block;
    std::shared_ptr<KernelBackend> backend;  // null: the one with the declared shape
  };
  struct Shape {
    uint32_t block_x;  // lanes of a block, as declared by the KERNEL word
    uint32_t block_y;
    uint32_t params_bytes;
  };
  // `tuned` contains at most one form per size class, in order of the class, each within the
  // device's limits.
  Kernel(std::unique_ptr<KernelBackend> backend, const Device* device, std::string name, Shape shape,
         std::vector<Form> tuned = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const Device* device() const { return device_; }
  const std::string& name() const { return name_; }
  const Shape& shape() const { return shape_; }
  // Returns the form for a launch of `grid`: the tuned form of its size class, or of the nearest
  // one within kMostClassDistance. Returns the form with the declared shape if there is none, or if
  // the grid would exceed the device's limits.
  const Form& form_for(Grid grid) const;

 private:
  const Device* device_;
  std::string name_;
  Shape shape_;
  Form own_;
  std::vector<Form> tuned_;
};

// A position in a stream's order, after all work that was enqueued before it.
class Mark {
 public:
  Mark() = default;

 private:
  friend class Stream;
  explicit Mark(uint64_t serial) : serial_(serial) {}
  uint64_t serial_ = 0;  // 0: before all work
};

// The fastest shape for launches of a size class. It may be the declared shape: the class then does
// not use the shape of a neighbouring class.
struct TunedShape {
  int size_class = 0;
  BlockShape block;
  bool operator==(const TunedShape&) const = default;
};
// The tuned shapes by the name of the kernel.
using ShapeTable = std::map<std::string, std::vector<TunedShape>, std::less<>>;

enum class StreamPriority { kLow, kNormal, kHigh };
constexpr int kStreamPriorities = 3;
enum class StreamUse {
  kAny,
  kCopies,    // copies and fills only; they use a copy engine of their own if the device has one
  kHeldBack,  // the work can be held back; FAILED_PRECONDITION if the device does not support it
};

// Observes the launches of a stream. Called on the enqueueing thread.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  // Replaces the launch: must enqueue it with Stream::launch_unobserved at least once.
  virtual void launch(Stream& stream, const Kernel& kernel, Grid grid, std::span<const std::byte> params) = 0;
};

// A queue of device work that runs in order, with timestamps. Enqueueing functions return no
// errors: the stream keeps its first error, and the next wait returns it. Enqueueing does not
// block. One thread at a time, except for is_done() and wait(). The destructor waits for the work.
class Stream final {
 public:
  Stream(std::unique_ptr<StreamBackend> backend, const Device* device, StreamUse use);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Device* device() const { return device_; }

  // Runs the kernel once for each lane of the grid. `Params` is the struct in the kernel's file.
  template <class Params>
  void launch(const Kernel& kernel, Grid grid, const Params& params) {
    launch_bytes(kernel, grid, std::as_bytes(std::span(&params, 1)));
  }
  void launch_bytes(const Kernel& kernel, Grid grid, std::span<const std::byte> params);
  void launch_unobserved(const Kernel& kernel, Grid grid, std::span<const std::byte> params);
  // Sets the observer of later launches; null: none. The observer must outlive the stream.
  void observe(LaunchObserver* observer) { observer_ = observer; }

  // Copies bytes from one buffer to another, at any offsets. At least one buffer must be kDevice.
  // The ranges must not overlap.
  void copy(const Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes);
  // Sets `bytes` bytes to `value`.
  void fill(const Buffer& to, size_t offset, size_t bytes, std::byte value);

  // Adds a mark after the enqueued work, with a device timestamp. A mark stays valid until
  // kMarksKept newer ones were added.
  Mark mark();
  // Delays later work until `mark` of another stream of the same device is reached. Does not block
  // the host. If the other stream has failed, this stream fails too.
  void wait_for(const Stream& other, Mark mark);

  // Holds back later work on the device until release(). Only for streams created with kHeldBack.
  // While work is held back, every wait for the whole device blocks, such as the driver's when it
  // frees memory or loads a kernel. Calls of the driver on other threads then block too. Therefore
  // hold work back only briefly, and release it on a thread that does not call the driver.
  void hold();
  // Releases all work that is held back. May be called on any thread. Never blocks, and does not
  // call the driver.
  void release();
  // Returns the driver's handle of the stream (a CUstream), for libraries that enqueue work
  // themselves, or null if the back end has no such handle.
  void* native() const;

  // Returns true if wait(mark) would not block: the mark is reached, or the stream has failed.
  bool is_done(Mark mark) const;
  // Blocks until `mark` is reached. If the stream has failed, blocks until the running work has
  // ended and returns the stream's first error.
  Status wait(Mark mark);
  Status wait_all();
  // Returns the device time between two reached marks of this stream. Returns OUT_OF_RANGE if one
  // is no longer kept.
  StatusOr<Duration> elapsed(Mark from, Mark to) const;

  // Returns the number of finished chunks of launches, which increases while a long launch runs.
  // Returns 0 if the device does not report it. May be called on any thread.
  uint64_t chunks_done() const;

  static constexpr int kMarksKept = 1024;

 private:
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  Status error() const;
  void keep(const Status& status);  // keeps the first error
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
  std::atomic<uint64_t> last_serial_ = 0;    // serial of the newest mark
  std::atomic<uint64_t> last_enqueued_ = 0;  // serial of the back end's newest mark
};

// An open device. Thread-safe. Its buffers, kernels and streams must not outlive it.
class Device final {
 public:
  Device(std::unique_ptr<DeviceBackend> backend, DeviceInfo info);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }

  // Allocates a buffer. Returns RESOURCE_EXHAUSTED if memory is short; a smaller batch may then
  // fit.
  StatusOr<std::unique_ptr<Buffer>> allocate(MemoryKind kind, size_t size_bytes);
  StatusOr<std::unique_ptr<Stream>> make_stream(StreamPriority priority = StreamPriority::kNormal,
                                                StreamUse use = StreamUse::kAny);
  // Returns a kernel; the first call loads it. `name` is "<area>/<file>", followed by
  // ".<value>[.<value>...]" if the file declares variants, in the declared order:
  // "video/bwdif.uint8_t". Returns NOT_FOUND with the existing variants if there is no such kernel.
  StatusOr<const Kernel*> load(std::string_view name) { return load(name, 0); }
  // Loads a TEAM_KERNEL with an array of `sized_bytes` bytes, rounded up to a whole element, at
  // least one. Each size is a separate kernel. Returns FAILED_PRECONDITION if the array exceeds the
  // device's shared_memory_bytes, and INVALID_ARGUMENT for another kind of kernel.
  StatusOr<const Kernel*> load(std::string_view name, size_t sized_bytes);

  // Sets the block shapes of size classes. They apply to kernels that are loaded later; loaded
  // kernels are unchanged. A shape that the kernel or the device does not support is ignored.
  // Thread-safe.
  void set_tuning(ShapeTable shapes);
  // Loads a tunable kernel with the shape `block` for all launches. Returns INVALID_ARGUMENT if the
  // kernel does not support the shape (shapes.h).
  StatusOr<const Kernel*> load_shaped(std::string_view name, BlockShape block);

  // Returns the part of info().memory_bytes in buffers: those in device memory, and on a device
  // that uses the host's memory also the pinned ones.
  size_t memory_used_bytes() const;
  // Returns the bytes of the buffers of a kind, now and at their peak.
  struct MemoryUse {
    size_t bytes = 0, peak_bytes = 0;
  };
  MemoryUse memory_use(MemoryKind kind) const;
  // Returns the bytes of the device's memory that all programs use, as the driver reports them, or
  // nullopt if it does not.
  std::optional<size_t> memory_used_by_all_bytes() const;

 private:
  friend class Buffer;
  struct State;
  Status take(MemoryKind kind, size_t bytes);
  size_t used_bytes() const;
  void give_back(MemoryKind kind, size_t bytes);
  Status check_loadable(const kernels::KernelImage& image, size_t sized_bytes) const;
  StatusOr<std::unique_ptr<Kernel>> make_kernel(const kernels::KernelImage& image, size_t sized_bytes,
                                                BlockShape block);
  std::vector<Kernel::Form> tuned_forms(const kernels::KernelImage& image);

  std::unique_ptr<State> state_;
  DeviceInfo info_;
};

// Returns every usable device, best first: CUDA GPUs, Vulkan GPUs that CUDA does not have, the CPU,
// software Vulkan. If WEFT_DEVICES is set in the environment ("cpu,vulkan:0"), returns exactly the
// devices with those ids, in that order. `notes` (may be null) receives a sentence with the reason
// for each device or driver that exists and cannot be used.
std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes);
// Returns every usable device, best first. A GPU that is usable through both CUDA and Vulkan is
// contained twice. For test suites and benchmarks.
std::vector<DeviceInfo> list_devices_and_twins(std::vector<std::string>* notes);

struct OpenOptions {
  // Number of threads that run a launch on the CPU device; 0: all that the process may use.
  int cpu_threads = 0;
  std::string cpu_isa = {};  // "baseline", "x86-64-v3" or "x86-64-v4"; empty: the best
  // Folder of compiled pipelines, created if missing; empty: no cache.
  std::string cache_folder = {};
};
StatusOr<std::unique_ptr<Device>> open_device(const DeviceInfo& info, const OpenOptions& options = {});
// Opens the device with an id such as "cuda:0", "vulkan:0" or "null". Returns NOT_FOUND with the
// existing ids if there is no such device.
StatusOr<std::unique_ptr<Device>> open_device(std::string_view id, const OpenOptions& options = {});

// Loads the kernel of the self-test. Takes long if the driver compiles it.
Status load_first_kernel(Device& device);
// Tests a kernel with a known result, a copy to the device and back, and a timestamp. Must succeed
// before a device receives work.
Status self_test(Device& device);

}  // namespace weft::device
