// SPDX-License-Identifier: Apache-2.0
// Reads and writes OpenEXR files in memory, with code that reading and writing share. Only
// image_openexr*.cpp and openexr_*.cpp include this file.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfMultiPartInputFile.h>

#include "server/media/file_calls.h"
#include "server/media/image/image.h"
#include "server/media/image/image_openexr_layers.h"

namespace weft::media {

// Calls work(first, rows) for consecutive bands of an image's rows and reports progress after each
// (file_calls.h). A band is as high as the highest block of lines that OpenEXR compresses together.
inline constexpr int kBandRows = 256;
template <class Work>
void for_bands(int rows, Work work) {
  for (int first = 0; first < rows; first += kBandRows) {
    work(first, std::min(kBandRows, rows - first));
    chunk_done();
  }
}

class MemoryInput final : public Imf::IStream {
 public:
  MemoryInput(const std::string& bytes, std::string_view name)
      : Imf::IStream(std::string(name).c_str()), bytes_(bytes) {}

  bool read(char target[], int count) override {
    if (count < 0 || at_ > bytes_.size() || size_t(count) > bytes_.size() - at_)
      throw Iex::InputExc("the file ends early");
    std::memcpy(target, bytes_.data() + at_, size_t(count));
    at_ += size_t(count);
    return at_ < bytes_.size();
  }
  uint64_t tellg() override { return at_; }
  void seekg(uint64_t position) override { at_ = position; }

 private:
  const std::string& bytes_;
  uint64_t at_ = 0;
};

class MemoryOutput final : public Imf::OStream {
 public:
  MemoryOutput() : Imf::OStream("memory") {}

  void write(const char source[], int count) override {
    if (at_ + uint64_t(count) > bytes_.size()) bytes_.resize(at_ + uint64_t(count));
    std::memcpy(bytes_.data() + at_, source, size_t(count));
    at_ += uint64_t(count);
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t position) override { at_ = position; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  uint64_t at_ = 0;
};

struct OpenExrOrigin final : ImageOrigin {
  std::string name;  // name of the file
  std::shared_ptr<const std::string> bytes;
  ColourChannels colours;
};

// Runs a function that uses the OpenEXR library, and converts exceptions to errors.
template <class Function>
auto guarded(std::string_view name, std::string_view doing, Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory to {} the image ({}).", doing, name);
  } catch (const std::exception& error) {
    std::string text = error.what();
    // The text may contain names from a damaged file.
    std::erase_if(text, [](unsigned char c) { return c < ' ' || c > '~'; });
    return data_loss("OpenEXR cannot {} the image ({}), which is damaged or cut off: {}.", doing, name, text);
  }
}

inline Imath::Box2i to_box(const ImageWindow& window) {
  return {{window.x, window.y}, {window.x + window.width - 1, window.y + window.height - 1}};
}

inline Imf::PixelType type_of(SampleType samples) {
  return samples == SampleType::kHalf ? Imf::HALF : Imf::FLOAT;
}

// Returns a slice for one component of the interleaved samples. The image is not const, because the
// library accepts no pointers to const.
inline Imf::Slice interleaved(const Image& image, size_t component, double fill = 0) {
  const size_t size = image.info.samples == SampleType::kHalf ? 2 : 4;
  return Imf::Slice::Make(type_of(image.info.samples), image.samples.get() + component * size,
                          to_box(image.info.data), size * 4, size * 4 * size_t(image.info.data.width), 1, 1,
                          fill);
}

// Limits the sizes that the library accepts in headers. Must be called before the library reads a
// header.
void limit_openexr_headers();

// Reads the colours of a file into the samples of `image`. The data windows of both are equal.
void read_colours(Imf::MultiPartInputFile& file, const ColourChannels& colours, Image& image);

}  // namespace weft::media
