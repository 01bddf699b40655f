// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/spectrum_node.h"

#include <cstring>
#include <memory>
#include <utility>

namespace weft::filters::bloom {
namespace {

constexpr std::string_view kKernel = "kernel";

class SpectrumNode final : public Node {
 public:
  SpectrumNode(const Convolution& convolution, const KernelImage& kernel, const device::Buffer& spectrum,
               int portions)
      : convolution_(convolution), kernel_(kernel), spectrum_(spectrum), portions_(portions) {
    descriptor_.name = "spectrum";
    descriptor_.inputs = {Window()};
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int) const override { return convolution_.scratch_bytes(1); }
  int portions() const override { return portions_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    KernelImage image = kernel_;
    image.buffer = step.arena;
    image.offset_bytes = step.input_offset(0, 0);
    convolution_.enqueue_spectrum(stream, *step.scratch, image, spectrum_, 0, step.portion);
  }

 private:
  NodeDescriptor descriptor_;
  const Convolution& convolution_;
  const KernelImage kernel_;  // buffer and offset are unset
  const device::Buffer& spectrum_;
  const int portions_;
};

}  // namespace

StatusOr<Preparation> spectrum_preparation(const Convolution& convolution, const BloomKernel& kernel,
                                           const device::Buffer& spectrum, int portions) {
  KernelImage image;
  image.width = kernel.width;
  image.height = kernel.height;
  image.centre_x = kernel.centre_x;
  image.centre_y = kernel.centre_y;
  RETURN_IF_ERROR(convolution.check_kernel(image));
  Preparation preparation;
  preparation.unit.resize(kernel.rgba.size() * sizeof(float));
  std::memcpy(preparation.unit.data(), kernel.rgba.data(), preparation.unit.size());
  preparation.network = std::make_unique<Network>();
  const Port source = preparation.network->set_source(PortFormat::data(kKernel, preparation.unit.size()));
  auto node = std::make_unique<SpectrumNode>(convolution, image, spectrum, portions);
  RETURN_IF_ERROR(preparation.network->add_node(std::move(node), {&source, 1}).status());
  preparation.done = [] {};
  return preparation;
}

}  // namespace weft::filters::bloom
