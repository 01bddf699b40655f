// SPDX-License-Identifier: Apache-2.0
#include "server/filters/graph.h"

#include <algorithm>
#include <mutex>

#include "server/filters/graph_parts.h"

namespace weft::filters {
namespace {

// A batch is one launch with a frame's planes along z, and a later stage may get a frame more than it has room for.
int largest_batch(const device::DeviceInfo& info, std::span<const Filter* const> chain) {
  const int planes = int(std::min<uint32_t>(info.max_blocks[2], 3 * 256));
  return std::max(1, planes / 3 / GraphPlan::total_rate(chain) - int(chain.size()));
}

}  // namespace

Graph::Graph(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Graph::~Graph() {
  // Buffers go before streams; what still runs must not use them. Errors have been, or will be, told by pop.
  for (Stream* stream : {parts_->up.get(), parts_->compute.get(), parts_->down.get()})
    if (stream != nullptr && !stream->wait_all().ok()) continue;
}

StatusOr<std::unique_ptr<Graph>> Graph::make(device::Device& device,
                                             std::vector<std::unique_ptr<Filter>> filters,
                                             const GraphOptions& options) {
  if (filters.empty()) return invalid_argument("A graph needs at least one filter.");
  if (options.batch < 1 || options.in_flight < 1 || options.held < 0)
    return invalid_argument(
        "A graph's batch ({}) and batches in flight ({}) are at least 1, held pictures ({}) at least 0.",
        options.batch, options.in_flight, options.held);
  for (size_t i = 1; i < filters.size(); i++) {
    if (!(filters[i]->source_format() == filters[i - 1]->target_format()))
      return invalid_argument("The filter {} does not take the format that {} gives.",
                              filters[i]->descriptor().name, filters[i - 1]->descriptor().name);
  }
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  for (size_t i = 0; i < filters.size(); i++)
    parts->stages.emplace_back(std::move(filters[i]), i == 0 ? options.state : PlannerState{},
                               options.exact_durations);
  std::unique_ptr<Graph> graph(new Graph(std::move(parts)));
  Parts& p = *graph->parts_;
  std::vector<const Filter*> chain;
  for (const Stage& stage : p.stages) chain.push_back(stage.filter.get());
  p.options.batch = std::min(p.options.batch, largest_batch(device.info(), chain));
  if (chain.size() == 1 && !options.whole_frames) p.portions = std::max(chain.front()->portions(), 1);
  if (p.portions > 1) p.options.batch = 1;
  Status status;
  do {
    p.plan = GraphPlan::of(chain, p.options);
    status = p.allocate(device);
    if (status.ok()) return graph;
    if (status.code() != StatusCode::kResourceExhausted) return status;
    p.options.batch /= 2;
  } while (p.options.batch > 0);
  return with_context(status, "Not even one frame at a time fits into the device's memory");
}

// Everything there is, or RESOURCE_EXHAUSTED with nothing of it kept.
Status Graph::Parts::allocate(device::Device& device) {
  pool.reset();
  for (Stage& stage : stages) {
    stage.frames.reset();
    stage.scratch.reset();
  }
  for (std::unique_ptr<Buffer>* buffer : {&upload, &tables_host, &tables, &results}) buffer->reset();
  if (up == nullptr) {
    ASSIGN_OR_RETURN(up, device.make_stream(options.priority));
    ASSIGN_OR_RETURN(compute, device.make_stream(options.priority));
    ASSIGN_OR_RETURN(down, device.make_stream(options.priority));
  }
  for (size_t i = 0; i < stages.size(); i++) {
    Stage& stage = stages[i];
    const StagePlan& planned = plan.stages[i];
    ASSIGN_OR_RETURN(stage.frames, device.allocate(MemoryKind::kDevice, planned.ring_bytes()));
    stage.ring = {stage.frames.get(), 0, planned.layout, planned.slots};
    stage.table_offset = planned.table_offset;
    stage.max_frames = planned.max_frames;
    if (planned.scratch_bytes > 0) {
      ASSIGN_OR_RETURN(stage.scratch, device.allocate(MemoryKind::kDevice, planned.scratch_bytes));
    }
  }
  ASSIGN_OR_RETURN(upload, device.allocate(MemoryKind::kUpload, plan.upload_bytes()));
  upload_ring = {upload.get(), 0, plan.stages[0].layout, plan.upload_slots};
  const size_t table_bytes = plan.table_bytes * size_t(options.in_flight);
  ASSIGN_OR_RETURN(tables_host, device.allocate(MemoryKind::kUpload, table_bytes));
  ASSIGN_OR_RETURN(tables, device.allocate(MemoryKind::kDevice, table_bytes));
  ASSIGN_OR_RETURN(results,
                   device.allocate(MemoryKind::kDevice, plan.result_bytes() * size_t(options.in_flight)));
  result_ring = {results.get(), 0, plan.target_layout, plan.region_slots * options.in_flight};
  ASSIGN_OR_RETURN(auto pictures, device.allocate(MemoryKind::kDownload, plan.picture_bytes()));
  pool = std::make_shared<PicturePool>(std::move(pictures), plan.target_layout, plan.picture_slots);
  uploaded.assign(size_t(plan.upload_slots), Mark());
  last_read.assign(size_t(plan.stages[0].slots), Mark());
  region_down.assign(size_t(options.in_flight), Mark());
  return ok_status();
}

const VideoFormat& Graph::source_format() const { return parts_->stages.front().filter->source_format(); }
const VideoFormat& Graph::target_format() const { return parts_->stages.back().filter->target_format(); }
int Graph::batch() const { return parts_->options.batch; }
int Graph::portions() const { return parts_->portions; }
int Graph::time_divisor() const { return 1 << parts_->stages.size(); }
Window Graph::window() const { return parts_->plan.window; }
size_t Graph::device_bytes() const { return parts_->plan.device_bytes(); }
size_t Graph::host_bytes() const { return parts_->plan.host_bytes(); }
std::string Graph::describe() const { return parts_->plan.describe(); }

// The first source frame that work not yet submitted looks at.
int64_t Graph::Parts::oldest_needed() const {
  if (begun.portion > 0) return begun.oldest;
  const Stage& first = stages.front();
  const int64_t next = first.pushed - int64_t(first.source_indices.size());
  return std::max<int64_t>(0, next - first.filter->descriptor().window.before);
}

bool Graph::Parts::has_room() const {
  const Stage& first = stages.front();
  return !finished && first.pushed - oldest_needed() < first.ring.slots;
}

bool Graph::has_room() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->has_room();
}

StatusOr<StagedPicture> Graph::stage() {
  Parts& p = *parts_;
  std::unique_lock lock(p.mutex);
  if (!p.has_room())
    return failed_precondition("The graph has no room for another frame; submit or pop first.");
  const int slot = int(p.stages.front().pushed % p.upload_ring.slots);
  const Mark uploaded = p.uploaded[size_t(slot)];
  lock.unlock();
  RETURN_IF_ERROR(p.up->wait(uploaded));
  StagedPicture picture;
  for (size_t plane = 0; plane < size_t(source_format().planes()); plane++) {
    const PlaneLayout& layout = p.upload_ring.layout.planes[plane];
    picture.data[plane] = p.upload->host() + p.upload_ring.slot_offset(slot) + layout.offset_bytes;
    picture.stride_bytes[plane] = layout.stride_bytes;
  }
  return picture;
}

void Graph::push(const FrameInfo& frame) {
  Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  Stage& first = p.stages.front();
  const int from = int(first.pushed % p.upload_ring.slots);
  const int to = int(first.pushed % first.ring.slots);
  p.up->wait_for(*p.compute, p.last_read[size_t(to)]);
  p.up->copy(*first.frames, first.ring.slot_offset(to), *p.upload, p.upload_ring.slot_offset(from),
             first.ring.layout.frame_bytes);
  p.uploaded[size_t(from)] = p.up->mark();
  first.push(frame, first.pushed);
}

void Graph::finish() {
  const std::lock_guard lock(parts_->mutex);
  parts_->finished = true;
  parts_->stages.front().finish();
}

int Graph::Parts::ready() const {
  if (begun.portion > 0) return portions - begun.portion;
  if (int(in_flight.size()) >= options.in_flight) return 0;
  if (pool->free_slots() < plan.region_slots) return 0;
  return std::min(int(stages.front().planned.size()), options.batch) * portions;
}

int Graph::Parts::unsubmitted() const {
  return int(stages.front().planned.size()) * portions + (begun.portion > 0 ? portions - begun.portion : 0);
}

int Graph::ready() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->ready();
}

bool Graph::is_complete() const {
  const std::lock_guard lock(parts_->mutex);
  const bool is_of_one_frame = parts_->portions > 1;
  return is_of_one_frame || (parts_->finished && parts_->unsubmitted() <= parts_->ready());
}

bool Graph::is_submitted() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->finished && parts_->unsubmitted() == 0;
}

SubmittedBatch Graph::last_batch() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->last;
}

StatusOr<Duration> Graph::wait_for(const SubmittedBatch& batch) {
  Parts& p = *parts_;
  RETURN_IF_ERROR(p.up->wait(Mark()));  // an error of an upload is the root of what follows
  RETURN_IF_ERROR(p.compute->wait(batch.end));
  const std::lock_guard lock(p.mutex);
  return p.compute->elapsed(batch.begin, batch.end);
}

StatusOr<std::optional<OutputPicture>> Graph::pop() {
  Parts& p = *parts_;
  std::unique_lock lock(p.mutex);
  while (!p.in_flight.empty() && p.in_flight.front().is_whole) {
    InFlight& batch =
        p.in_flight.front();  // nobody else takes it away, and a deque's elements stay where they are
    const Mark end = batch.spans.end(), down = batch.down;
    lock.unlock();
    RETURN_IF_ERROR(p.up->wait(Mark()));  // an error of an upload is the root of what follows
    RETURN_IF_ERROR(p.compute->wait(end));
    RETURN_IF_ERROR(p.down->wait(down));
    lock.lock();
    if (batch.frames > 0) {
      ASSIGN_OR_RETURN(const Duration time, batch.spans.device_time(*p.compute));
      p.costs.push_back({std::exchange(batch.frames, 0), time});
    }
    if (batch.outputs.empty()) {
      p.in_flight.pop_front();
      continue;
    }
    const Output output = batch.outputs.front();
    batch.outputs.pop_front();
    if (batch.outputs.empty()) p.in_flight.pop_front();
    OutputPicture picture;
    p.pool->lend(p.pool, output.host_slot, picture);
    picture.time = output.time;
    picture.source_index = output.source_index;
    picture.ends_source = output.ends_source;
    picture.state = output.state;
    return std::optional<OutputPicture>(std::move(picture));
  }
  return std::optional<OutputPicture>();
}

bool Graph::can_pop() const {
  const Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  return !p.in_flight.empty() && p.in_flight.front().is_whole && p.down->is_done(p.in_flight.front().down);
}

bool Graph::is_empty() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->finished && parts_->in_flight.empty() && parts_->stages.front().planned.empty();
}

std::vector<BatchCost> Graph::take_costs() {
  const std::lock_guard lock(parts_->mutex);
  return std::exchange(parts_->costs, {});
}

}  // namespace weft::filters
