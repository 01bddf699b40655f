// SPDX-License-Identifier: Apache-2.0
#include "server/streams/streams.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <tuple>

#include <sys/random.h>

#include "base/log.h"
#include "options/job_files.h"
#include "options/validate.h"
#include "server/queue/admission/admission_files.h"
#include "server/queue/files/job_files.h"
#include "server/queue/placement/placement.h"
#include "server/streams/limits.h"

namespace weft::streams {
namespace {

// Limit of files that are opened at the same time on a file system.
constexpr int kOpenedPerMount = 2;

std::vector<std::string> paths_of(const std::vector<options::JobFile>& inputs) {
  std::vector<std::string> paths;
  for (const options::JobFile& input : inputs) paths.push_back(input.path);
  return paths;
}
constexpr const char* kStops = "The daemon stops; open the stream again when it is back.";

int rank(v1::DeviceKind kind) {
  return kind == v1::DEVICE_KIND_CUDA ? 0 : kind == v1::DEVICE_KIND_VULKAN ? 1 : 2;
}

std::string why_not(const v1::DeviceStatus& device, std::string otherwise) {
  if (!device.reason().empty()) return device.reason();
  return device.state() == v1::DEVICE_STATE_STARTING ? "Its worker still starts." : std::move(otherwise);
}

StatusOr<std::string> make_token() {
  std::string token(kTokenBytes, '\0');
  if (::getrandom(token.data(), token.size(), 0) != ssize_t(token.size()))
    return unavailable("The machine gives no random numbers: {}.", std::strerror(errno));
  return token;
}

class SupervisorLink final : public WorkerLink {
 public:
  SupervisorLink(queue::StreamWorkers& workers, std::string device, internal::v1::StartStream order,
                 queue::SharedFiles files, const std::shared_ptr<StreamSession>& stream)
      : workers_(workers),
        device_(std::move(device)),
        number_(order.stream()),
        order_(std::move(order)),
        files_(std::move(files)),
        stream_(stream) {}

  void start() override {
    workers_.start_stream(device_, std::move(order_), std::move(files_), stream_.lock());
  }
  void send(internal::v1::ToWorker message, queue::SharedFiles files) override {
    workers_.send_to_stream(device_, number_, std::move(message), std::move(files));
  }
  void leave() override { workers_.leave_stream(device_, number_); }
  void kill_worker(const std::string& reason) override {
    workers_.kill_worker_of_stream(device_, number_, reason);
  }

 private:
  queue::StreamWorkers& workers_;
  const std::string device_;
  const uint64_t number_;
  internal::v1::StartStream order_;
  queue::SharedFiles files_;
  const std::weak_ptr<StreamSession> stream_;  // the stream owns this object
};

}  // namespace

StatusOr<v1::DeviceStatus> choose_device(const std::vector<v1::DeviceStatus>& devices,
                                         const std::string& wanted, const std::map<std::string, int>& streams,
                                         bool may_wait) {
  const v1::DeviceStatus* best = nullptr;
  std::vector<std::string> ids, reasons;
  const auto load = [&](const v1::DeviceStatus& device) {
    const auto found = streams.find(device.id());
    return std::tuple(rank(device.kind()), found == streams.end() ? 0 : found->second, device.id());
  };
  for (const v1::DeviceStatus& device : devices) {
    ids.push_back(device.id());
    const bool is_there = device.state() == v1::DEVICE_STATE_IN_SERVICE ||
                          (may_wait && device.state() == v1::DEVICE_STATE_STARTING);
    if (device.id() == wanted && !is_there)
      return unavailable("Device {} takes no stream now. {}", wanted, why_not(device, "See weft devices."));
    const bool may = wanted.empty() ? !queue::is_software_device(device) : device.id() == wanted;
    if (may && !is_there)
      if (const std::string why = why_not(device, ""); !why.empty())
        reasons.push_back(fmt::format("{}: {}", device.id(), why));
    if (may && is_there && (best == nullptr || load(device) < load(*best))) best = &device;
  }
  if (best != nullptr) return *best;
  if (!wanted.empty())
    return not_found("There is no device {}; there are: {}.", wanted, fmt::join(ids, ", "));
  if (!reasons.empty()) return unavailable("No device is in service. {}", fmt::join(reasons, " "));
  return unavailable("No device is in service; see weft devices, or try again later.");
}

StatusOr<std::unique_ptr<Streams>> Streams::start(StreamLimits limits, ListDevices list_devices,
                                                  queue::StreamWorkers& workers, const Clock& clock) {
  std::unique_ptr<Streams> streams(new Streams(limits, std::move(list_devices), workers, clock));
  Streams& self = *streams;
  ASSIGN_OR_RETURN(self.loop_, queue::EventLoop::start([&self] { self.tick(); }));
  return streams;
}

Streams::Streams(StreamLimits limits, ListDevices list_devices, queue::StreamWorkers& workers,
                 const Clock& clock)
    : limits_(limits),
      list_devices_(std::move(list_devices)),
      workers_(workers),
      clock_(clock),
      file_threads_(kOpenedPerMount) {}

Status Streams::offer_memory(const std::string& path, mode_t mode) {
  std::promise<Status> listens;
  loop_->post([&] {
    auto socket = RingSocket::listen(*loop_, path, mode, clock_,
                                     [this](const std::string& token) { return take_ring(token); });
    if (socket.ok()) socket_ = *std::move(socket);
    listens.set_value(socket.status());
  });
  RETURN_IF_ERROR(listens.get_future().get());
  const std::lock_guard lock(mutex_);
  socket_path_ = path;
  return ok_status();
}

Streams::~Streams() {
  stop();
  if (loop_ == nullptr) return;
  loop_->post([this] { socket_.reset(); });
  loop_->stop();
}

std::shared_ptr<StreamSession> Streams::make(bool local, queue::Caller caller,
                                             std::function<void()> hang_up) {
  const std::lock_guard lock(mutex_);
  const uint64_t number = ++last_number_;
  StreamSession::Keeper keeper;
  keeper.find_device = [this, number](const auto& opened, const auto& plan) { open(number, opened, plan); };
  keeper.make_ring = [this, number](const auto& planned, const auto& plan) {
    // Runs on the loop's thread, since the allocation may block.
    loop_->post([this, number, planned, plan] {
      if (Status made = make_ring(number, planned, plan); !made.ok()) planned->end(std::move(made));
    });
  };
  auto stream = std::make_shared<StreamSession>(local && !socket_path_.empty(), std::move(caller), limits_,
                                                clock_, std::move(keeper));
  Entry& entry = entries_[number];
  entry.stream = stream;
  entry.hang_up = std::move(hang_up);
  return stream;
}

int Streams::count() {
  const std::lock_guard lock(mutex_);
  return int(std::count_if(entries_.begin(), entries_.end(),
                           [](const auto& each) { return each.second.memory_bytes > 0; }));
}

Status Streams::reserve(uint64_t number, const StreamPlan& plan) {
  const std::lock_guard lock(mutex_);
  if (draining_) return unavailable(kStops);
  int streams = 0;
  int64_t bytes = 0;
  for (const auto& [other, entry] : entries_) {
    if (other == number) continue;
    streams += entry.memory_bytes > 0;
    bytes += entry.memory_bytes;
  }
  if (streams >= kMaxStreams)
    return resource_exhausted("There are too many streams ({}, at most {}); end one of them.", streams,
                              kMaxStreams);
  if (bytes + plan.memory_bytes() > kMaxAllStreamsBytes)
    return resource_exhausted(
        "The memory of all streams is short ({} bytes wanted, {} of {} are in use); end one of them.",
        plan.memory_bytes(), bytes, kMaxAllStreamsBytes);
  const auto found = entries_.find(number);
  if (found == entries_.end()) return cancelled("The client is gone.");
  found->second.memory_bytes = plan.memory_bytes();
  return ok_status();
}

void Streams::open(uint64_t number, const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan) {
  if (Status reserved = reserve(number, plan); !reserved.ok()) return stream->end(std::move(reserved));
  const std::vector<options::JobFile> inputs = options::files_of_stream(plan.open);
  Waiting waiting{plan, nullptr, clock_.now() + kLongestDeviceStart};
  if (inputs.empty()) return find_device(number, std::move(waiting), stream);
  // Files are opened on other threads, so that a slow file system delays no other stream.
  file_threads_.add(paths_of(inputs), [this, number, stream, waiting, inputs]() mutable {
    std::vector<channel::FileDescriptor> files;
    for (const options::JobFile& input : inputs) {
      StatusOr<queue::CheckedInput> opened =
          queue::open_input(input.path, input.role(), {stream->caller().credentials, limits_.rules});
      if (opened.status().code() == StatusCode::kUnavailable) return stream->end(opened.status());
      if (!opened.ok()) return stream->end(options::to_status({{input.field, message_of(opened.status())}}));
      files.push_back(std::move(opened->descriptor));
    }
    waiting.files = file_threads_.keep(paths_of(inputs), std::move(files));
    find_device(number, std::move(waiting), stream);
  });
}

void Streams::find_device(uint64_t number, Waiting waiting, const std::shared_ptr<StreamSession>& stream) {
  list_devices_(
      [this, number, stream, waiting = std::move(waiting)](StatusOr<std::vector<v1::DeviceStatus>> devices) {
        if (!devices.ok()) return stream->end(devices.status());
        loop_->post([this, number, stream, waiting, list = *std::move(devices)] {
          if (Status placed = place(number, stream, waiting, list); !placed.ok())
            stream->end(std::move(placed));
        });
      });
}

Status Streams::place(uint64_t number, const std::shared_ptr<StreamSession>& stream, const Waiting& waiting,
                      const std::vector<v1::DeviceStatus>& devices) {
  std::map<std::string, int> load;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [other, entry] : entries_)
      if (!entry.device.empty()) load[entry.device]++;
  }
  const v1::OpenStream& opened = waiting.plan.open;
  ASSIGN_OR_RETURN(const v1::DeviceStatus chosen,
                   choose_device(devices, opened.settings().device(), load, clock_.now() < waiting.until));
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(number);
    if (found == entries_.end()) return cancelled("The client is gone.");
    if (chosen.state() == v1::DEVICE_STATE_STARTING) {
      found->second.waiting = waiting;
      return ok_status();
    }
    found->second.device = chosen.id();
  }
  const std::string& device = chosen.id();
  std::vector<channel::FileDescriptor> files;
  if (waiting.files != nullptr) files = std::move(*waiting.files);
  internal::v1::StartStream order;
  order.set_stream(number);
  *order.mutable_open() = opened;
  if (chosen.has_memory_free_bytes()) order.set_most_device_bytes(chosen.memory_free_bytes());
  const std::vector<std::string> paths = paths_of(options::files_of_stream(opened));
  auto link = std::make_unique<SupervisorLink>(workers_, device, std::move(order),
                                               file_threads_.keep(paths, std::move(files)), stream);
  stream->begin(device, std::move(link));
  return ok_status();
}

Status Streams::make_ring(uint64_t number, const std::shared_ptr<StreamSession>& stream,
                          const StreamPlan& plan) {
  RETURN_IF_ERROR(reserve(number, plan));
  ASSIGN_OR_RETURN(Ring ring, Ring::make(plan.ring_bytes(), plan.held_bytes));
  auto files = std::make_shared<std::vector<channel::FileDescriptor>>();
  ASSIGN_OR_RETURN(files->emplace_back(), channel::duplicate(ring.descriptor()));
  std::optional<v1::StreamRing> offer;
  if (stream->may_share()) {
    offer.emplace();
    ASSIGN_OR_RETURN(*offer->mutable_token(), make_token());
    const std::lock_guard lock(mutex_);
    offer->set_socket(socket_path_);
    const auto found = entries_.find(number);
    if (found == entries_.end()) return cancelled("The client is gone.");
    found->second.token = offer->token();
  }
  stream->share(std::move(ring), std::move(files), std::move(offer));
  return ok_status();
}

StatusOr<channel::FileDescriptor> Streams::take_ring(const std::string& token) {
  std::shared_ptr<StreamSession> stream;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, entry] : entries_) {
      if (entry.token != token) continue;
      entry.token.clear();
      stream = entry.stream.lock();
    }
  }
  if (stream == nullptr) return not_found("No stream has that token, or it was used already.");
  return stream->share_ring();
}

void Streams::tick() {
  clock_.here();
  if (socket_) socket_->tick();
  std::vector<std::shared_ptr<StreamSession>> alive;  // destroyed after the lock is released
  std::vector<std::function<void()>> hang_ups;
  std::vector<std::tuple<uint64_t, Waiting, std::shared_ptr<StreamSession>>> retries;
  const TimePoint now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    for (auto each = entries_.begin(); each != entries_.end();) {
      Entry& entry = each->second;
      std::shared_ptr<StreamSession> stream = entry.stream.lock();
      if (stream == nullptr) {
        each = entries_.erase(each);
        continue;
      }
      if (stream->is_over()) {
        entry.memory_bytes = 0;
        entry.device.clear();
        entry.token.clear();
        entry.waiting.reset();
        if (entry.over_since == TimePoint{}) entry.over_since = now;
        if (now - entry.over_since > kHangUp && entry.hang_up)
          hang_ups.push_back(std::exchange(entry.hang_up, nullptr));
      }
      if (entry.waiting) {
        retries.emplace_back(each->first, *std::move(entry.waiting), stream);
        entry.waiting.reset();
      }
      alive.push_back(std::move(stream));
      ++each;
    }
  }
  for (const auto& hang_up : hang_ups) hang_up();
  for (auto& [number, waiting, stream] : retries) find_device(number, std::move(waiting), stream);
  for (const auto& stream : alive) stream->poll();
}

void Streams::drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
}

void Streams::stop() {
  std::vector<std::shared_ptr<StreamSession>> alive;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    for (auto& [number, entry] : entries_)
      if (auto stream = entry.stream.lock()) alive.push_back(std::move(stream));
  }
  for (const auto& stream : alive) stream->end(unavailable(kStops));
  file_threads_.stop();
}

}  // namespace weft::streams
