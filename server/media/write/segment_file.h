// SPDX-License-Identifier: Apache-2.0
// A durable file of the packets of one segment. It has its name only once it is whole: written under
// NAME.partial, synced, renamed, the folder synced. Every byte is covered by a hash; what does not match is
// DATA_LOSS.
//
// Layout (little-endian): magic "WEFTSEG2", header, packets back to back, table (a row a packet, then the
// caller's bytes), trailer (place and hash of header and table, magic). The table at the end lets a reader
// know all times without reading the packets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/media_facts.h"

namespace weft::media {

struct SegmentHeader {
  int64_t segment = 0;      // index in the job
  int64_t first_frame = 0;  // index of its first output frame in the job
  std::string encoder{};    // "x264"
  std::string settings{};   // the encoder's settings as text: two segments of a job have the same
  std::string codec{};      // FFmpeg's name of the format, "h264"; "" for null
  VideoFormat format{};
  std::string pixel_format{};  // FFmpeg's name
  Ratio time_base{};
  Ratio frame_rate{};
  Ratio sample_aspect_ratio{};
  ScanOrder field_order = ScanOrder::kProgressive;
  Colour colour{};
  Hdr10 hdr10{};
  int profile = -99;  // FFmpeg's numbers
  int level = -99;
  int64_t bit_rate = 0;
  std::vector<uint8_t> extradata{};  // parameter sets
  bool operator==(const SegmentHeader&) const = default;
};

// Packets stand in decoding order; each is one frame.
struct SegmentPacket {
  int64_t pts = 0;
  int64_t duration = 0;
  bool key = false;
  uint64_t bytes = 0;
};

// Used by one thread at a time. A writer that goes away unfinished removes its file.
class SegmentWriter {
 public:
  // RESOURCE_EXHAUSTED when the disk is full, PERMISSION_DENIED ... An older .partial is overwritten.
  static StatusOr<std::unique_ptr<SegmentWriter>> create(FilePlace place, const SegmentHeader& header);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  // packet.bytes is ignored; data's size counts.
  Status add(const SegmentPacket& packet, std::span<const uint8_t> data);
  // Makes the file durable under its name, together with any bytes of the caller's (a checkpoint).
  Status finish(std::string_view callers_bytes);

  int64_t packets() const { return int64_t(table_.size()); }
  int64_t bytes() const { return bytes_; }  // written so far

 private:
  struct Row {
    SegmentPacket packet;
    uint64_t hash = 0;
  };
  SegmentWriter(FilePlace place, Descriptor file) : place_(std::move(place)), file_(std::move(file)) {}
  std::string partial_name() const { return place_.name + ".partial"; }
  Status write(std::span<const uint8_t> data);
  Status make_durable();

  FilePlace place_{};
  Descriptor file_;
  int64_t bytes_ = 0;
  int64_t written_back_ = 0;  // of them the system was asked to write
  int64_t header_bytes_ = 0;
  uint64_t header_hash_ = 0;
  std::vector<Row> table_{};
  bool finished_ = false;
};

// Used by one thread at a time.
class SegmentReader {
 public:
  // Checks header and table. NOT_FOUND, DATA_LOSS.
  static StatusOr<std::unique_ptr<SegmentReader>> open(const FilePlace& place);

  const SegmentHeader& header() const { return header_; }
  const std::vector<SegmentPacket>& packets() const { return packets_; }
  const std::string& callers_bytes() const { return callers_bytes_; }
  // Packet `index` into `data`, checked. DATA_LOSS.
  Status read(size_t index, std::vector<uint8_t>& data);
  // Reads and checks everything: for a journal that is opened again after a crash.
  Status verify();

 private:
  SegmentReader(std::string name, Descriptor file) : name_(std::move(name)), file_(std::move(file)) {}
  Status load();
  Status load_table(const std::string& table, uint64_t begin, uint64_t end);
  Status read_at(uint64_t offset, void* target, size_t count);
  Status damaged(std::string_view what) const;

  std::string name_;
  Descriptor file_;
  SegmentHeader header_;
  std::vector<SegmentPacket> packets_;
  std::vector<uint64_t> offsets_;  // in the file
  std::vector<uint64_t> hashes_;
  std::string callers_bytes_;
};

}  // namespace weft::media
