// SPDX-License-Identifier: Apache-2.0
#include "server/graph/pipeline.h"

#include <algorithm>
#include <cstring>

#include "server/graph/pipeline_parts.h"

namespace weft::graph {

Pipeline::Pipeline(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Pipeline::~Pipeline() {
  // Buffers are destroyed before streams, so the running work must have ended. pop() reports the
  // errors.
  for (Stream* stream : {parts_->up.get(), parts_->compute.get(), parts_->down.get()})
    if (stream != nullptr) stream->wait_all().IgnoreError();
}

StatusOr<std::unique_ptr<Pipeline>> Pipeline::make(device::Device& device, Network network,
                                                   const PipelineOptions& options) {
  if (options.plan.batch < 1 || options.plan.in_flight < 1 || options.plan.held < 0)
    return invalid_argument(
        "A pipeline's batch ({}) and batches in flight ({}) are at least 1, held units ({}) at least 0.",
        options.plan.batch, options.plan.in_flight, options.plan.held);
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  parts->network = std::move(network);
  std::unique_ptr<Pipeline> pipeline(new Pipeline(std::move(parts)));
  Parts& p = *pipeline->parts_;
  PlanOptions wanted = options.plan;
  wanted.max_launch_z = int(std::min<uint32_t>(device.info().max_blocks[2], 65535));
  Status status;
  do {
    ASSIGN_OR_RETURN(p.plan, Plan::compile(p.network, wanted));
    wanted.batch = p.plan.batch() / 2;
    if (options.most_bytes > 0 && p.plan.device_bytes() > options.most_bytes && wanted.batch > 0) continue;
    status = p.allocate(device);
    if (status.ok()) break;
    if (status.code() != StatusCode::kResourceExhausted) return status;
  } while (wanted.batch > 0);
  if (!status.ok()) return with_context(status, "Not even one frame at a time fits into the device's memory");
  ASSIGN_OR_RETURN(Timeline timeline, Timeline::make(p.plan.clocks, options.state));
  p.timeline = std::make_unique<Timeline>(std::move(timeline));
  p.prepare_states();
  p.upload_layouts();
  return pipeline;
}

// Allocates all memory. If it returns RESOURCE_EXHAUSTED, a later call with a smaller plan replaces
// the buffers.
Status Pipeline::Parts::allocate(device::Device& device) {
  pool.reset();
  for (auto* buffer : {&arena, &scratch, &upload, &tables_host, &tables, &layouts_host, &layouts})
    buffer->reset();
  if (up == nullptr) {
    ASSIGN_OR_RETURN(up, device.make_stream(options.priority));
    ASSIGN_OR_RETURN(compute, device.make_stream(options.priority));
    compute->observe(options.observer.get());
    ASSIGN_OR_RETURN(down, device.make_stream(options.priority));
  }
  ASSIGN_OR_RETURN(arena, device.allocate(MemoryKind::kDevice, plan.arena_bytes));
  if (plan.scratch_bytes > 0) {
    ASSIGN_OR_RETURN(scratch, device.allocate(MemoryKind::kDevice, plan.scratch_bytes));
  }
  ASSIGN_OR_RETURN(upload, device.allocate(MemoryKind::kUpload, plan.upload_bytes()));
  ASSIGN_OR_RETURN(tables_host, device.allocate(MemoryKind::kUpload, plan.tables_bytes()));
  ASSIGN_OR_RETURN(tables, device.allocate(MemoryKind::kDevice, plan.tables_bytes()));
  ASSIGN_OR_RETURN(layouts_host, device.allocate(MemoryKind::kUpload, plan.layouts_bytes));
  ASSIGN_OR_RETURN(layouts, device.allocate(MemoryKind::kDevice, plan.layouts_bytes));
  return allocate_pictures(device);
}

Status Pipeline::Parts::allocate_pictures(device::Device& device) {
  std::vector<PicturePool::Output> outputs;
  for (size_t i = 0; i < plan.outputs.size(); i++) {
    PicturePool::Output& output = outputs.emplace_back();
    output.unit_bytes = plan.ports[size_t(plan.outputs[i])].layout.unit_bytes;
    const MemoryKind kind = plan.has_device_pictures(int(i)) ? MemoryKind::kDevice : MemoryKind::kDownload;
    ASSIGN_OR_RETURN(output.buffer, device.allocate(kind, plan.picture_bytes(int(i))));
  }
  pool = std::make_shared<PicturePool>(std::move(outputs), plan.picture_slots);
  uploaded.assign(size_t(plan.upload_slots), Mark());
  last_read.assign(size_t(plan.ports[0].ring_slots), Mark());
  region_down.assign(size_t(plan.options.in_flight), Mark());
  return ok_status();
}

void Pipeline::Parts::prepare_states() {
  ports.resize(plan.ports.size());
  for (size_t p = 0; p < ports.size(); p++) {
    const PortPlan& planned = plan.ports[p];
    if (planned.is_source || planned.is_output) continue;
    for (int slot = planned.kept_slots() - 1; slot >= 0; slot--)
      ports[p].free.push_back(int64_t(planned.kept_offset + size_t(slot) * planned.layout.unit_bytes));
  }
  nodes.resize(plan.nodes.size());
  update_demand();
  for (size_t i = 0; i < nodes.size(); i++) {
    const Network::NodeInfo& info = network.nodes()[i];
    NodeState& node = nodes[i];
    node.ends_here = !info.outputs.empty();
    for (const int input : info.inputs) node.inputs.push_back(&plan.ports[size_t(input)].layout);
    for (const int output : info.outputs) {
      node.outputs.push_back(&plan.ports[size_t(output)].layout);
      if (!plan.ports[size_t(output)].is_output) node.ends_here = false;
    }
    const TimeRulePtr& rule = info.node->descriptor().rule;
    if (rule != nullptr && !rule->is_by_unit()) node.plan_clock = plan.ports[size_t(info.outputs[0])].clock;
  }
}

void Pipeline::Parts::update_demand() {
  std::vector<UnitSet> demand = network.demand();
  for (size_t i = 0; i < nodes.size(); i++) nodes[i].demand = std::move(demand[i]);
}

std::unique_lock<std::mutex> Pipeline::Parts::lock_maps() const {
  return options.maps == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*options.maps);
}

void Pipeline::Parts::upload_layouts() {
  for (size_t i = 0; i < nodes.size(); i++) {
    auto* words = reinterpret_cast<int32_t*>(layouts_host->host() + plan.nodes[i].layouts_offset);
    std::vector<const PortLayout*> of_node = nodes[i].inputs;
    of_node.insert(of_node.end(), nodes[i].outputs.begin(), nodes[i].outputs.end());
    for (const PortLayout* port : of_node) {
      write_layout(*port, words);
      words += LAYOUT_INTS;
    }
  }
  compute->copy(*layouts, 0, *layouts_host, 0, plan.layouts_bytes);
}

const PortFormat& Pipeline::source_format() const { return parts_->plan.ports[0].layout.format; }
const PortFormat& Pipeline::target_format() const {
  return parts_->plan.ports[size_t(parts_->plan.outputs[0])].layout.format;
}
const Plan& Pipeline::plan() const { return parts_->plan; }
int64_t Pipeline::time_divisor() const { return parts_->timeline->time_divisor(parts_->plan.output_clock); }

std::string Pipeline::state_after(int64_t source_index) {
  const std::lock_guard lock(parts_->mutex);
  parts_->timeline->forget_states(source_index);
  return parts_->timeline->state_after(source_index);
}

bool Pipeline::Parts::has_capacity() const {
  return !timeline->finished() && pushed() - oldest_needed() < plan.ports[0].ring_slots;
}

bool Pipeline::has_capacity() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->has_capacity();
}

StatusOr<StagedUnit> Pipeline::stage() {
  Parts& p = *parts_;
  std::unique_lock lock(p.mutex);
  if (!p.has_capacity())
    return failed_precondition("The pipeline has no room for another unit; submit or pop first.");
  const size_t slot = size_t(p.pushed()) % p.uploaded.size();
  const Mark uploaded = p.uploaded[slot];
  lock.unlock();
  RETURN_IF_ERROR(p.up->wait(uploaded));
  const PortLayout& layout = p.plan.ports[0].layout;
  StagedUnit unit;
  std::byte* begin = p.upload->host() + slot * layout.unit_bytes;
  unit.data[0] = begin;
  unit.stride_bytes[0] = int(layout.format.width * int(bytes_of_pixel(layout.format.pixels)));
  if (layout.format.kind != PortKind::kPicture) return unit;
  for (size_t plane = 0; plane < size_t(layout.format.video.planes()); plane++) {
    unit.data[plane] = begin + layout.frame.planes[plane].offset_bytes;
    unit.stride_bytes[plane] = layout.frame.planes[plane].stride_bytes;
  }
  return unit;
}

void Pipeline::push(const FrameInfo& frame) {
  Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  p.upload_unit(frame, *p.upload, size_t(p.pushed()) % p.uploaded.size() * p.plan.ports[0].layout.unit_bytes);
}

Status Pipeline::push(const FrameInfo& frame, DeviceUnit unit) {
  Parts& p = *parts_;
  std::unique_lock lock(p.mutex);
  if (!p.has_capacity())
    return failed_precondition("The pipeline has no room for another unit; submit or pop first.");
  const Mark oldest = p.lent.size() < kMostLent ? Mark() : p.lent[p.lent.size() - kMostLent].copied;
  lock.unlock();
  RETURN_IF_ERROR(p.up->wait(oldest));
  lock.lock();
  p.upload_unit(frame, *unit.buffer, unit.offset_bytes);
  p.lent.push_back({p.uploaded[size_t(p.pushed() - 1) % p.uploaded.size()], std::move(unit.owner)});
  const std::vector<Lent> copied = p.take_copied();
  lock.unlock();  // the destructor of `copied` releases the owners without the lock
  return ok_status();
}

void Pipeline::Parts::upload_unit(const FrameInfo& frame, const Buffer& from, size_t offset) {
  const size_t bytes = plan.ports[0].layout.unit_bytes;
  const size_t to = size_t(pushed()) % last_read.size();
  up->wait_for(*compute, last_read[to]);
  up->copy(*arena, plan.ports[0].kept_offset + to * bytes, from, offset, bytes);
  uploaded[size_t(pushed()) % uploaded.size()] = up->mark();
  const auto maps = lock_maps();
  timeline->push(frame);
}

// Removes and returns the lent units that have been copied.
std::vector<Lent> Pipeline::Parts::take_copied() {
  std::vector<Lent> copied;
  for (; !lent.empty() && up->is_done(lent.front().copied); lent.pop_front())
    copied.push_back(std::move(lent.front()));
  return copied;
}

void Pipeline::finish() {
  const std::lock_guard lock(parts_->mutex);
  const auto maps = parts_->lock_maps();
  parts_->timeline->finish();
}

std::optional<int64_t> Pipeline::Parts::reach_of(int64_t unit) const {
  if (unit >= pushed()) return std::nullopt;
  int64_t reach = unit + plan.lead;
  if (const std::optional<int64_t> end = timeline->run_end(0, unit)) reach = std::min(reach, *end - 1);
  return reach < pushed() ? std::optional(reach) : std::nullopt;
}

int Pipeline::Parts::ready_units() const {
  int count = 0;
  while (count < plan.batch() && reach_of(submitted + count)) count++;
  return count;
}

int Pipeline::Parts::ready() const {
  if (!failure.ok()) return 0;
  if (portion > 0) return plan.portions - portion;
  if (int(in_flight.size()) >= plan.options.in_flight) return 0;
  if (pool->free_slots() < plan.region_units) return 0;
  return ready_units() * plan.portions;
}

int Pipeline::Parts::unsubmitted() const {
  return int(pushed() - submitted) * plan.portions + (portion > 0 ? plan.portions - portion : 0);
}

int Pipeline::ready() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->ready();
}

bool Pipeline::is_complete() const {
  const std::lock_guard lock(parts_->mutex);
  const bool is_of_one_unit = parts_->plan.portions > 1;
  return is_of_one_unit || (parts_->timeline->finished() && parts_->unsubmitted() <= parts_->ready());
}

bool Pipeline::is_submitted() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->timeline->finished() && parts_->unsubmitted() == 0;
}

SubmittedBatch Pipeline::last_batch() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->last;
}

StatusOr<Duration> Pipeline::wait_for(const SubmittedBatch& batch) {
  Parts& p = *parts_;
  RETURN_IF_ERROR(p.up->wait(Mark()));  // an error of the upload causes the later errors
  RETURN_IF_ERROR(p.compute->wait(batch.end));
  const TimePoint now = std::chrono::steady_clock::now();
  const std::lock_guard lock(p.mutex);
  RETURN_IF_ERROR(p.failure);
  for (InFlight& each : p.in_flight)
    if (each.is_whole && each.ended == TimePoint() && p.compute->is_done(each.spans.end())) each.ended = now;
  return p.compute->elapsed(batch.begin, batch.end);
}

StatusOr<std::optional<OutputUnit>> Pipeline::pop() {
  Parts& p = *parts_;
  std::unique_lock lock(p.mutex);
  std::vector<Lent> copied = p.take_copied();
  lock.unlock();
  copied.clear();  // releases the owners without the lock
  lock.lock();
  RETURN_IF_ERROR(p.failure);
  while (!p.in_flight.empty() && p.in_flight.front().is_whole) {
    InFlight& batch =
        p.in_flight.front();  // only this thread removes it, and elements of a deque do not move
    const Mark end = batch.spans.end(), down = batch.down;
    lock.unlock();
    RETURN_IF_ERROR(p.up->wait(Mark()));  // an error of the upload causes the later errors
    RETURN_IF_ERROR(p.compute->wait(end));
    const TimePoint ended = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(p.down->wait(down));
    lock.lock();
    if (batch.units > 0) {
      if (batch.ended == TimePoint()) batch.ended = ended;
      ASSIGN_OR_RETURN(const Duration time, batch.spans.device_time(*p.compute));
      ASSIGN_OR_RETURN(const Duration download, p.down->elapsed(batch.down_begin, down));
      p.costs.push_back({std::exchange(batch.units, 0), time, download, batch.ended});
    }
    if (batch.outputs.empty()) {
      p.in_flight.pop_front();
      continue;
    }
    const Output output = std::move(batch.outputs.front());
    batch.outputs.pop_front();
    if (batch.outputs.empty()) p.in_flight.pop_front();
    return std::optional<OutputUnit>(p.lend(output));
  }
  return std::optional<OutputUnit>();
}

OutputUnit Pipeline::Parts::lend(const Output& output) {
  OutputUnit unit;
  unit.owner = PicturePool::lend(pool, output.slot);
  if (plan.has_device_pictures(0))
    unit.device = {&pool->buffer(0), pool->offset(0, output.slot), unit.owner};
  else
    point_to(unit, pool->unit(0, output.slot));
  for (size_t i = 1; i < plan.outputs.size(); i++)
    unit.others.emplace_back(pool->unit(i, output.slot),
                             plan.ports[size_t(plan.outputs[i])].layout.unit_bytes);
  unit.time = {output.info.frame.pts, output.info.frame.duration};
  unit.source_index = output.info.source_index;
  unit.ends_source = output.info.ends_source;
  unit.side_data = output.info.frame.side_data;
  return unit;
}

void Pipeline::Parts::point_to(OutputUnit& unit, const std::byte* begin) const {
  const PortLayout& layout = plan.ports[size_t(plan.outputs[0])].layout;
  unit.data[0] = begin;
  unit.stride_bytes[0] = int(layout.format.width * int(bytes_of_pixel(layout.format.pixels)));
  if (layout.format.kind != PortKind::kPicture) return;
  for (size_t plane = 0; plane < size_t(layout.format.video.planes()); plane++) {
    unit.data[plane] = begin + layout.frame.planes[plane].offset_bytes;
    unit.stride_bytes[plane] = layout.frame.planes[plane].stride_bytes;
  }
}

bool Pipeline::can_pop() const {
  const Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  return !p.in_flight.empty() && p.in_flight.front().is_whole && p.down->is_done(p.in_flight.front().down);
}

bool Pipeline::is_empty() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->timeline->finished() && parts_->in_flight.empty() && parts_->unsubmitted() == 0;
}

std::vector<BatchTime> Pipeline::take_costs() {
  const std::lock_guard lock(parts_->mutex);
  return std::exchange(parts_->costs, {});
}

Status push_only_unit(Pipeline& pipeline, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const StagedUnit unit, pipeline.stage());
  std::memcpy(unit.data[0], bytes.data(), bytes.size());
  pipeline.push({});
  pipeline.finish();
  return ok_status();
}

Status run_preparation(device::Device& device, Preparation preparation) {
  ASSIGN_OR_RETURN(auto pipeline,
                   Pipeline::make(device, std::move(*preparation.network), {.plan = kOneUnit}));
  RETURN_IF_ERROR(push_only_unit(*pipeline, preparation.unit));
  while (!pipeline->is_empty()) {
    if (pipeline->submit(pipeline->max_units()) > 0) continue;
    RETURN_IF_ERROR(pipeline->pop().status());
  }
  preparation.done();
  return ok_status();
}

Status prepare(device::Device& device, Network& network) {
  for (Preparation& preparation : network.preparations())
    RETURN_IF_ERROR(run_preparation(device, std::move(preparation)));
  network.preparations().clear();
  return ok_status();
}

}  // namespace weft::graph
