// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_codes.h"

#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/image_metadata.h"

namespace weft::media {

std::string codes_of(const Image& image) {
  const CodeLayout layout{.has_alpha = true};
  const Transfer transfer = image.facts.metadata != nullptr ? image.facts.metadata->transfer : Transfer{};
  const ImageWindow& window = image.facts.data;
  const CodeWriter writer(layout, transfer, window.pixels());
  std::string codes(size_t(window.pixels()) * 4, '\0');
  std::vector<float> row(size_t(window.width) * 4);
  for (int y = 0; y < window.height; y++) {
    const size_t begin = size_t(y) * row.size();
    for (size_t i = 0; i < row.size(); i++) row[i] = image.sample(begin + i);
    writer.write_row(row.data(), window.width, reinterpret_cast<uint8_t*>(codes.data()) + begin);
    piece_done();
  }
  return codes;
}

}  // namespace weft::media
