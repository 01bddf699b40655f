// SPDX-License-Identifier: Apache-2.0
#include "tests/server/media/image/jpeg_files.h"

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

namespace weft::media {

std::string make_jpeg(const JpegRecipe& recipe) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &data, &size);
  jpeg.image_width = JDIMENSION(recipe.width);
  jpeg.image_height = JDIMENSION(recipe.height);
  jpeg.input_components = recipe.components;
  jpeg.in_color_space = recipe.components == 1 ? JCS_GRAYSCALE : recipe.components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 98, TRUE);
  if (recipe.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (const auto& [number, text] : recipe.markers)
    jpeg_write_marker(&jpeg, JPEG_APP0 + number, reinterpret_cast<const JOCTET*>(text.data()),
                      unsigned(text.size()));
  if (!recipe.comment.empty())
    jpeg_write_marker(&jpeg, JPEG_COM, reinterpret_cast<const JOCTET*>(recipe.comment.data()),
                      unsigned(recipe.comment.size()));
  std::vector<JSAMPLE> row(size_t(recipe.width * recipe.components));
  for (int y = 0; y < recipe.height; y++) {
    for (size_t i = 0; i < row.size(); i++)
      row[i] = JSAMPLE(recipe.code(int(i) / recipe.components, y, int(i) % recipe.components));
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string bytes(reinterpret_cast<char*>(data), size);
  jpeg_destroy_compress(&jpeg);
  std::free(data);
  return bytes;
}

}  // namespace weft::media
