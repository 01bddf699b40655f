// SPDX-License-Identifier: Apache-2.0
// Converts SourceCheckpoint to bytes and back.
#include "server/media/bytes.h"
#include "server/media/frame_hash.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

namespace {

constexpr int64_t kVersion = 2;

uint64_t hash_of(std::string_view bytes) {
  return hash_bytes({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

void write_anchor(ByteWriter& writer, const SourceCheckpoint::Anchor& anchor) {
  writer.integer(anchor.position);
  writer.integer(anchor.pts);
  writer.integer(anchor.dts);
  writer.integer(int64_t(anchor.clock.size()));
  for (const int64_t value : anchor.clock) writer.integer(value);
}

SourceCheckpoint::Anchor read_anchor(ByteReader& reader) {
  SourceCheckpoint::Anchor anchor;
  anchor.position = reader.integer();
  anchor.pts = reader.integer();
  anchor.dts = reader.integer();
  anchor.clock.resize(reader.count(8));
  for (int64_t& value : anchor.clock) value = reader.integer();
  return anchor;
}

}  // namespace

std::string serialise(const SourceCheckpoint& checkpoint) {
  ByteWriter writer;
  writer.integer(kVersion);
  writer.integer(checkpoint.next_index);
  writer.integer(checkpoint.last_pts);
  writer.integer(checkpoint.file_bytes);
  writer.integer(checkpoint.careful);
  writer.integer(checkpoint.hardware);
  writer.integer(checkpoint.reorder_frames);
  writer.integer(checkpoint.corrupt_packets);
  writer.integer(checkpoint.repaired_timestamps);
  writer.integer(int64_t(checkpoint.anchors.size()));
  for (const auto& anchor : checkpoint.anchors) write_anchor(writer, anchor);
  writer.integer(int64_t(checkpoint.seen.size()));
  for (const auto& seen : checkpoint.seen) {
    writer.integer(seen.pts);
    writer.integer(seen.position);
    writer.integer(int64_t(seen.hash));
  }
  writer.integer(int64_t(hash_of(writer.bytes())));
  return writer.bytes();
}

StatusOr<SourceCheckpoint> parse_checkpoint(std::string_view bytes) {
  const Status damaged = data_loss("The checkpoint ({} bytes) is damaged; start the job over.", bytes.size());
  if (bytes.size() < 16) return damaged;
  const std::string_view content = bytes.substr(0, bytes.size() - 8);
  if (uint64_t(ByteReader(bytes.substr(content.size())).integer()) != hash_of(content)) return damaged;
  ByteReader reader(content);
  const int64_t version = reader.integer();
  if (version != kVersion)
    return data_loss("The checkpoint is of version {} (this program knows {}); start the job over.", version,
                     kVersion);
  SourceCheckpoint checkpoint;
  checkpoint.next_index = reader.integer();
  checkpoint.last_pts = reader.integer();
  checkpoint.file_bytes = reader.integer();
  checkpoint.careful = reader.integer() != 0;
  checkpoint.hardware = reader.integer() != 0;
  checkpoint.reorder_frames = int(reader.integer());
  checkpoint.corrupt_packets = reader.integer();
  checkpoint.repaired_timestamps = reader.integer();
  checkpoint.anchors.resize(reader.count(32));
  for (auto& anchor : checkpoint.anchors) anchor = read_anchor(reader);
  checkpoint.seen.resize(reader.count(24));
  for (auto& seen : checkpoint.seen) {
    seen.pts = reader.integer();
    seen.position = reader.integer();
    seen.hash = uint64_t(reader.integer());
  }
  if (!reader.at_end()) return damaged;
  return checkpoint;
}

}  // namespace weft::media
