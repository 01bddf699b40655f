// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job_key.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <sys/stat.h>

#include "options/values.h"
#include "server/media/frame_hash.h"

namespace weft::worker {

std::string job_key(const v1::JobSpec& spec, std::string_view more) {
  v1::JobSpec complete = spec;
  options::apply_defaults(complete);
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    complete.SerializeToCodedStream(&coded);
  }
  bytes += fmt::format("|{}|{}", WEFT_VERSION, more);
  const std::array<uint64_t, 2> seeds = {1, 2};
  std::string key;
  for (const uint64_t seed : seeds) {
    media::Hasher hasher(seed);
    hasher.add(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
    key += fmt::format("{:016x}", hasher.value());
  }
  return key;
}

StatusOr<std::string> file_key(const media::InputFile& file) {
  struct stat facts {};
  if (::fstat(file.descriptor(), &facts) != 0) return media::system_error(errno, "looked at", file.name());
  return fmt::format("{}|{}.{}", file.bytes(), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

}  // namespace weft::worker
