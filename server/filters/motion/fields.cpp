// SPDX-License-Identifier: Apache-2.0
#include "server/filters/motion/fields.h"

#include "kernels/motion/fields.kernel"

namespace weft::filters::motion {

namespace {

using FieldsParams = kernels::motion_fields::Params;

class FieldRows final : public Node {
 public:
  FieldRows(int task, std::vector<PortFormat> outputs, const device::Kernel* kernel, int run)
      : task_(task), kernel_(kernel), run_(run) {
    descriptor_.name = task == TASK_SEPARATE ? "separate_fields" : "join_fields";
    descriptor_.inputs.resize(task == TASK_SEPARATE ? 1 : 2);
    descriptor_.outputs = std::move(outputs);
    descriptor_.cost.frames_read = double(descriptor_.inputs.size());
    descriptor_.cost.frames_written = double(descriptor_.outputs.size());
    descriptor_.cost.operations = 2;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }

  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = layout_params<FieldsParams>(step, run_);
    params.task = task_;
    params.bottom = task_ == TASK_SEPARATE ? step.shape->targets[1] : step.shape->inputs[1];
    const bool separates = task_ == TASK_SEPARATE;
    device::Grid grid = grid_of((separates ? step.inputs[0] : step.outputs[0])->format, step.units, run_);
    grid.y = uint32_t(2 * (separates ? step.outputs[0] : step.inputs[0])->format.video.height);
    stream.launch(*kernel_, grid, params);
  }

 private:
  int task_;
  const device::Kernel* kernel_;
  int run_;
  NodeDescriptor descriptor_;
};

StatusOr<std::vector<Port>> add_rows(const FilterContext& context, Network& network,
                                     std::span<const Port> inputs, int task, std::vector<PortFormat> outputs,
                                     const PictureProperties& properties) {
  ASSIGN_OR_RETURN(const device::Kernel* kernel,
                   load_for(context, "motion/fields", network.format(inputs[0]).video));
  ASSIGN_OR_RETURN(
      std::vector<Port> made,
      network.add_node(std::make_unique<FieldRows>(task, std::move(outputs), kernel, run_of(context)),
                       inputs));
  for (const Port port : made) network.set_properties(port, properties);
  return made;
}

}  // namespace

StatusOr<FieldsOfFrames> add_separate(const FilterContext& context, Network& network, Port frames) {
  PortFormat field = network.format(frames);
  field.video.height = (field.video.height + 1) / 2;
  PictureProperties properties = network.properties(frames);
  properties.interlaced = false;
  const Port inputs[] = {frames};
  ASSIGN_OR_RETURN(const std::vector<Port> made,
                   add_rows(context, network, inputs, TASK_SEPARATE, {field, field}, properties));
  return FieldsOfFrames{made[0], made[1]};
}

StatusOr<Port> add_join(const FilterContext& context, Network& network, const FieldsOfFrames& fields,
                        Port like) {
  const Port inputs[] = {fields.top, fields.bottom};
  const PortFormat format = network.format(like);
  ASSIGN_OR_RETURN(const std::vector<Port> made,
                   add_rows(context, network, inputs, TASK_JOIN, {format}, network.properties(like)));
  return made[0];
}

}  // namespace weft::filters::motion
