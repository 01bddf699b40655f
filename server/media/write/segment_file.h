// SPDX-License-Identifier: Apache-2.0
// Stores the packets of one segment in a durable file. The file is written under NAME.partial,
// synced and renamed when it is complete, and the folder is synced. Hashes cover header, packets
// and table; a mismatch is DATA_LOSS.
//
// Layout (little-endian): magic "WEFTSEG2", header, packets back to back, table (a row for each
// packet, then the caller's bytes), trailer (offset and hash of header and table, magic). A reader
// obtains all times from the table, without reading the packets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/media_info.h"

namespace weft::media {

struct SegmentHeader {
  int64_t segment = 0;      // index in the job
  int64_t first_frame = 0;  // index of the segment's first output frame in the job
  std::string encoder{};    // "x264"
  std::string settings{};   // the encoder's settings as text; equal for all segments of a job
  std::string codec{};      // FFmpeg's name of the codec, "h264"; empty for the encoder null
  VideoFormat format{};
  std::string pixel_format{};  // FFmpeg's name of the pixel format
  Ratio time_base{};
  Ratio frame_rate{};
  Ratio sample_aspect_ratio{};
  ScanOrder field_order = ScanOrder::kProgressive;
  Colour colour{};
  Hdr10 hdr10{};
  int profile = -99;  // profile and level as FFmpeg's numbers
  int level = -99;
  int64_t bit_rate = 0;
  std::vector<uint8_t> extradata{};  // parameter sets of the codec
  bool operator==(const SegmentHeader&) const = default;
};

// Describes a packet, which holds one frame. Packets are in decoding order.
struct SegmentPacket {
  int64_t pts = 0;
  int64_t duration = 0;
  bool key = false;
  uint64_t bytes = 0;
};

// Not thread-safe. The destructor removes the file unless finish() succeeded.
class SegmentWriter {
 public:
  // Creates the file; an older .partial is overwritten. `suffix` is appended to that name, for
  // processes that write the same segment at the same time. RESOURCE_EXHAUSTED for a full disk,
  // PERMISSION_DENIED ...
  static StatusOr<std::unique_ptr<SegmentWriter>> create(FileLocation location, const SegmentHeader& header,
                                                         std::string_view suffix = "");
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  // Adds a packet. packet.bytes is ignored; the size of `data` is stored.
  Status add(const SegmentPacket& packet, std::span<const uint8_t> data);
  // Writes the table with any bytes of the caller (a checkpoint), and makes the file durable under
  // its name.
  Status finish(std::string_view callers_bytes);

  int64_t packets() const { return int64_t(table_.size()); }
  int64_t bytes() const { return bytes_; }  // bytes written so far

 private:
  struct Row {
    SegmentPacket packet;
    uint64_t hash = 0;
  };
  SegmentWriter(FileLocation location, std::string partial_name, Descriptor file)
      : location_(std::move(location)), partial_name_(std::move(partial_name)), file_(std::move(file)) {}
  Status write(std::span<const uint8_t> data);
  Status make_durable();

  FileLocation location_{};
  std::string partial_name_;
  Descriptor file_;
  int64_t bytes_ = 0;
  int64_t written_back_ = 0;  // number of bytes given to start_write_back()
  int64_t header_bytes_ = 0;
  uint64_t header_hash_ = 0;
  std::vector<Row> table_{};
  bool finished_ = false;
};

// Not thread-safe.
class SegmentReader {
 public:
  // Opens a file and checks header and table. NOT_FOUND, DATA_LOSS.
  static StatusOr<std::unique_ptr<SegmentReader>> open(const FileLocation& location);

  const SegmentHeader& header() const { return header_; }
  const std::vector<SegmentPacket>& packets() const { return packets_; }
  const std::string& callers_bytes() const { return callers_bytes_; }
  // Reads packet `index` into `data` and checks its hash. DATA_LOSS.
  Status read(size_t index, std::vector<uint8_t>& data);
  // Reads and checks all packets, for a journal that is opened after a crash.
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
  std::vector<uint64_t> offsets_;  // offsets of packets in the file
  std::vector<uint64_t> hashes_;
  std::string callers_bytes_;
};

}  // namespace weft::media
