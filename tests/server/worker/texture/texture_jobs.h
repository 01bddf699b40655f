// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of texture jobs: specifications, and jobs run in this process on the CPU
// device.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/texture/texture_runner.h"
#include "tests/server/media/image/images.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {

inline TextureInput input_of(media::TextureFormat format, int width = 64, int height = 32, int levels = 1) {
  TextureInput input;
  input.info.format = format;
  input.info.width = width;
  input.info.height = height;
  input.info.levels = levels;
  return input;
}

inline v1::JobSpec spec_of(const std::function<void(v1::TextureJob&)>& change = {}) {
  v1::JobSpec spec;
  v1::TextureJob& job = *spec.mutable_texture();
  job.set_input("/in.dds");
  job.set_output("/out.dds");
  if (change) change(job);
  return spec;
}

class ToldTextures final : public JobEvents {
 public:
  void on_segment_finished(int, int64_t units) override {
    finished.push_back(units);
    if (then) then();
  }
  void on_log(std::string_view, std::string_view) override {}

  std::vector<int64_t> finished;  // number of finished blocks after each texture
  std::function<void()> then;
};

class TextureJobTest : public testing::Test {
 protected:
  JobOrder order(const v1::JobSpec& spec) {
    JobOrder order;
    order.id = "texture";
    order.spec = spec;
    options::JobFiles files = options::files_of_job(spec);
    for (const options::JobFile& file : files.inputs)
      order.inputs.push_back(
          {file, channel::FileDescriptor(
                     ::open((file.is_set ? file.folder() : file.path).c_str(), O_RDONLY | O_CLOEXEC))});
    order.outputs = std::move(files.outputs);
    const std::string work = folder_.path("work");
    std::filesystem::create_directory(work);
    order.work_folder.reset(::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return order;
  }
  v1::JobSpec spec(const std::string& input, const std::function<void(v1::TextureJob&)>& change = {}) {
    v1::JobSpec made = spec_of(change);
    made.mutable_texture()->set_input(folder_.path(input));
    made.mutable_texture()->set_output(folder_.path("out.dds"));
    return made;
  }
  StatusOr<media::Texture> result() const {
    return media::read_texture(media::read_file(folder_.path("work/finished")), "finished");
  }

  media::TestFolder folder_;
  ToldTextures events_;
  DeviceLoop loop_;
  filters::DeviceCaches caches_;
};

inline media::Texture noise_texture(int width, int height, int layers) {
  media::TextureInfo info;
  info.width = width;
  info.height = height;
  info.layers = layers;
  info.is_array = layers > 1;
  media::Texture texture = media::make_texture(info).value();
  std::mt19937 random(3);
  for (char& byte : texture.levels[0]) byte = char(random());
  return texture;
}

class TextureSetTest : public TextureJobTest {
 protected:
  TextureSetTest() { std::filesystem::create_directory(folder_.path("in")); }

  void write(const std::string& name, const media::Texture& texture) {
    media::write_file(folder_.path("in/" + name), *media::encode_texture(texture, {}));
  }
  v1::JobSpec set(const std::function<void(v1::TextureJob&)>& change = {}) {
    v1::JobSpec made = spec_of(change);
    made.mutable_texture()->set_input(folder_.path("in/*"));
    made.mutable_texture()->set_output(folder_.path("out/*_2x.dds"));
    return made;
  }
  std::vector<std::string> made(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("work/" + folder)))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace weft::worker
