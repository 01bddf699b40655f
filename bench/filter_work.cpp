// SPDX-License-Identifier: Apache-2.0
#include "bench/filter_work.h"

#include <algorithm>

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "options/values.h"
#include "server/graph/pipeline.h"

namespace weft::bench {

using device::Buffer;
using device::MemoryKind;
using graph::FrameLayout;
using graph::PortLayout;

v1::Bwdif bwdif_options() {
  v1::Bwdif options;
  options.set_rate(v1::OUTPUT_RATE_FIELD);
  options.set_parity(v1::PARITY_TOP);
  options.set_frames(v1::FRAME_SELECTION_ALL);
  return options;
}

StatusOr<graph::Network> make_network(device::Device& device, filters::DeviceCaches& caches,
                                      std::span<const google::protobuf::Message* const> filters,
                                      const VideoFormat& format) {
  graph::Network network;
  graph::PictureProperties info;
  info.interlaced = true;
  const graph::Port source = network.set_source(graph::PortFormat::picture(format), info);
  filters::FilterContext context;
  context.device = &device;
  context.caches = &caches;
  context.path = "filters";
  const filters::OptionFiles files = filters::case_files(context.path, filters);
  context.files = &files;
  ASSIGN_OR_RETURN(const graph::Port result, filters::expand_chain(context, filters, network, source));
  std::vector<graph::Port> outputs = {result};
  outputs.insert(outputs.end(), network.reports().begin(), network.reports().end());
  RETURN_IF_ERROR(network.set_outputs(std::move(outputs)));
  RETURN_IF_ERROR(graph::prepare(device, network));
  return network;
}

StatusOr<graph::Network> make_network(device::Device& device, filters::DeviceCaches& caches,
                                      const std::string& filter, const std::string& options,
                                      const VideoFormat& format) {
  const filters::Registration* const found = filters::find_filter(filter);
  if (found == nullptr) return not_found("There is no filter '{}'.", filter);
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(found->message())->New());
  if (!google::protobuf::TextFormat::ParseFromString(options, message.get()))
    return invalid_argument("These are no options of {} ({}).", filter, options);
  options::apply_defaults(*message);
  const google::protobuf::Message* const chain[] = {message.get()};
  return make_network(device, caches, chain, format);
}

StatusOr<NodeBatch> NodeBatch::make(device::Device& device, graph::Node& node, int frames,
                                    const Buffer& material) {
  const graph::NodeDescriptor& descriptor = node.descriptor();
  if (descriptor.inputs.size() != 1 || descriptor.outputs.size() != 1)
    return internal_error("The node {} has more than one input or output.", descriptor.name);
  NodeBatch batch;
  batch.node_ = &node;
  batch.layout_ = PortLayout::of(descriptor.outputs[0]);
  const graph::Window window = descriptor.inputs[0];
  const graph::TimeRulePtr& rule = descriptor.rule;
  const int targets = rule == nullptr ? 1 : rule->targets();
  batch.shape_ = graph::RowShape::of({{targets}}, {{{window.before, window.after}}});
  batch.write_rows(frames, rule == nullptr || rule->is_by_unit() ? 1 : rule->most_units(1), window);
  RETURN_IF_ERROR(batch.fill(device, frames, material));
  return batch;
}

// Row i is for the i-th frame of the arena that has all frames of its window.
void NodeBatch::write_rows(int frames, int pictures, const graph::Window& window) {
  const int in = frames + window.before + window.after;
  const auto offset = [&](int unit) {
    return int32_t(size_t(unit) * layout_.unit_bytes / graph::kSlotUnitBytes);
  };
  for (int i = 0; i < frames; i++) {
    std::vector<int32_t> row(size_t(shape_.ints), -1);
    row[ROW_FLAGS] = row[ROW_WORD] = 0;
    for (int k = 0; k < pictures; k++) row[size_t(shape_.targets[0] + k)] = offset(in + i * pictures + k);
    for (int k = -window.before; k <= window.after; k++)
      row[size_t(shape_.inputs[0] + k)] = offset(i + window.before + k);
    rows_.insert(rows_.end(), row.begin(), row.end());
  }
}

Status NodeBatch::fill(device::Device& device, int frames, const Buffer& material) {
  const graph::Window window = node_->descriptor().inputs[0];
  const int in = frames + window.before + window.after;
  const int32_t last = *std::ranges::max_element(rows_);
  layouts_offset_ = graph::round_up(rows_.size() * sizeof(int32_t), FrameLayout::kPlaneAlignment);
  std::vector<int32_t> words = rows_;
  words.resize(layouts_offset_ / sizeof(int32_t) + 2 * LAYOUT_INTS);
  for (int port = 0; port < 2; port++)
    graph::write_layout(layout_, &words[words.size() - size_t(2 - port) * LAYOUT_INTS]);
  const size_t word_bytes = words.size() * sizeof(int32_t);
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  ASSIGN_OR_RETURN(const auto staging, device.allocate(MemoryKind::kUpload, word_bytes));
  ASSIGN_OR_RETURN(table_, device.allocate(MemoryKind::kDevice, word_bytes));
  ASSIGN_OR_RETURN(arena_, device.allocate(MemoryKind::kDevice,
                                           size_t(last) * graph::kSlotUnitBytes + layout_.unit_bytes));
  if (const size_t bytes = node_->scratch_bytes(frames); bytes > 0) {
    ASSIGN_OR_RETURN(scratch_, device.allocate(MemoryKind::kDevice, bytes));
  }
  std::ranges::copy(std::as_bytes(std::span(words)), staging->host());
  stream->copy(*table_, 0, *staging, 0, word_bytes);
  const size_t bytes = layout_.unit_bytes, drawn = material.size_bytes() / bytes;
  for (size_t i = 0; i < size_t(in); i++)
    stream->copy(*arena_, i * bytes, material, i % drawn * bytes, bytes);
  return stream->wait_all();
}

void NodeBatch::enqueue(device::Stream& stream, int frames) const {
  const PortLayout* const port = &layout_;
  graph::Step step;
  step.arena = arena_.get();
  step.table = table_.get();
  step.rows = std::span(rows_).first(size_t(frames) * size_t(shape_.ints));
  step.shape = &shape_;
  step.layouts = table_.get();
  step.layouts_offset_bytes = layouts_offset_;
  step.inputs = step.outputs = std::span(&port, 1);
  step.units = frames;
  step.scratch = scratch_.get();
  node_->enqueue(stream, step);
}

}  // namespace weft::bench
