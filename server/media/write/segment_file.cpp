// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/segment_file.h"

#include <cerrno>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "server/media/bytes.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/frame_hash.h"

namespace weft::media {

namespace {

constexpr std::string_view kMagic = "WEFTSEG2";
// header bytes and hash, table offset, bytes and hash, magic
constexpr size_t kTrailerBytes = 6 * 8;
constexpr size_t kRowBytes = 5 * 8;
constexpr uint64_t kMaxPacketBytes = uint64_t{1} << 31;

std::span<const uint8_t> span_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void write_ratio(ByteWriter& writer, Ratio ratio) {
  writer.integer(ratio.num);
  writer.integer(ratio.den);
}

Ratio read_ratio(ByteReader& reader) {
  const int num = int(reader.integer());
  const int den = int(reader.integer());
  return {num, den};
}

void write_hdr10(ByteWriter& writer, const Hdr10& hdr10) {
  writer.integer(hdr10.has_display_colours);
  for (const Ratio value : hdr10.chromaticities) write_ratio(writer, value);
  writer.integer(hdr10.has_display_light);
  write_ratio(writer, hdr10.darkest);
  write_ratio(writer, hdr10.brightest);
  writer.integer(hdr10.brightest_pixel);
  writer.integer(hdr10.brightest_frame);
}

Hdr10 read_hdr10(ByteReader& reader) {
  Hdr10 hdr10;
  hdr10.has_display_colours = reader.integer() != 0;
  for (Ratio& value : hdr10.chromaticities) value = read_ratio(reader);
  hdr10.has_display_light = reader.integer() != 0;
  hdr10.darkest = read_ratio(reader);
  hdr10.brightest = read_ratio(reader);
  hdr10.brightest_pixel = int(reader.integer());
  hdr10.brightest_frame = int(reader.integer());
  return hdr10;
}

std::string header_bytes(const SegmentHeader& header) {
  ByteWriter writer;
  writer.integer(header.segment);
  writer.integer(header.first_frame);
  writer.text(header.encoder);
  writer.text(header.settings);
  writer.text(header.codec);
  writer.integer(header.format.width);
  writer.integer(header.format.height);
  writer.integer(int64_t(header.format.chroma));
  writer.integer(header.format.bit_depth);
  writer.text(header.pixel_format);
  write_ratio(writer, header.time_base);
  write_ratio(writer, header.frame_rate);
  write_ratio(writer, header.sample_aspect_ratio);
  writer.integer(int64_t(header.field_order));
  writer.integer(header.colour.primaries);
  writer.integer(header.colour.transfer);
  writer.integer(header.colour.matrix);
  writer.integer(int64_t(header.colour.range));
  writer.integer(header.colour.chroma_location);
  write_hdr10(writer, header.hdr10);
  writer.integer(header.profile);
  writer.integer(header.level);
  writer.integer(header.bit_rate);
  writer.text({reinterpret_cast<const char*>(header.extradata.data()), header.extradata.size()});
  return writer.bytes();
}

bool parse_header(std::string_view bytes, SegmentHeader& header) {
  ByteReader reader(bytes);
  header.segment = reader.integer();
  header.first_frame = reader.integer();
  header.encoder = reader.text();
  header.settings = reader.text();
  header.codec = reader.text();
  header.format.width = int(reader.integer());
  header.format.height = int(reader.integer());
  header.format.chroma = Chroma(reader.integer());
  header.format.bit_depth = int(reader.integer());
  header.pixel_format = reader.text();
  header.time_base = read_ratio(reader);
  header.frame_rate = read_ratio(reader);
  header.sample_aspect_ratio = read_ratio(reader);
  header.field_order = ScanOrder(reader.integer());
  header.colour.primaries = int(reader.integer());
  header.colour.transfer = int(reader.integer());
  header.colour.matrix = int(reader.integer());
  header.colour.range = Colour::Range(reader.integer());
  header.colour.chroma_location = int(reader.integer());
  header.hdr10 = read_hdr10(reader);
  header.profile = int(reader.integer());
  header.level = int(reader.integer());
  header.bit_rate = reader.integer();
  const std::string extradata = reader.text();
  header.extradata.assign(extradata.begin(), extradata.end());
  return reader.at_end() && header.time_base.den != 0 && header.frame_rate.den != 0;
}

}  // namespace

StatusOr<std::unique_ptr<SegmentWriter>> SegmentWriter::create(FileLocation location,
                                                               const SegmentHeader& header,
                                                               std::string_view suffix) {
  const std::string partial = fmt::format("{}.partial{}", location.name, suffix);
  const FileCall call("created", partial);
  Descriptor file(
      open_in(location.folder, partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return system_error(errno, "created", partial);
  std::unique_ptr<SegmentWriter> writer(new SegmentWriter(std::move(location), partial, std::move(file)));
  const std::string bytes = header_bytes(header);
  writer->header_bytes_ = int64_t(bytes.size());
  writer->header_hash_ = hash_bytes(span_of(bytes));
  RETURN_IF_ERROR(writer->write(span_of(kMagic)));
  RETURN_IF_ERROR(writer->write(span_of(bytes)));
  return writer;
}

SegmentWriter::~SegmentWriter() {
  const FileCall call("closed", partial_name_);
  file_.reset();
  if (!finished_) remove_in(location_.folder, partial_name_);
}

Status SegmentWriter::write(std::span<const uint8_t> data) {
  const FileCall call("written", partial_name_);
  while (!data.empty()) {
    const ssize_t written = ::write(file_.get(), data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(errno, "written", partial_name_);
    data = data.subspan(size_t(written));
    bytes_ += written;
  }
  start_write_back(file_.get(), bytes_, &written_back_);
  return ok_status();
}

Status SegmentWriter::add(const SegmentPacket& packet, std::span<const uint8_t> data) {
  if (data.size() > kMaxPacketBytes)
    return internal_error("A packet is too large ({} bytes, at most {}).", data.size(), kMaxPacketBytes);
  table_.push_back({packet, hash_bytes(data)});
  table_.back().packet.bytes = data.size();
  FAULT_POINT("segment.add");
  return write(data);
}

Status SegmentWriter::finish(std::string_view callers_bytes) {
  const int64_t table_offset = bytes_;
  ByteWriter table;
  table.integer(int64_t(table_.size()));
  for (const Row& row : table_) {
    table.integer(row.packet.pts);
    table.integer(row.packet.duration);
    table.integer(row.packet.key);
    table.integer(int64_t(row.packet.bytes));
    table.integer(int64_t(row.hash));
  }
  table.text(callers_bytes);
  RETURN_IF_ERROR(write(table.span()));
  ByteWriter trailer;
  trailer.integer(header_bytes_);
  trailer.integer(int64_t(header_hash_));
  trailer.integer(table_offset);
  trailer.integer(int64_t(table.bytes().size()));
  trailer.integer(int64_t(hash_bytes(table.span())));
  RETURN_IF_ERROR(write(trailer.span()));
  RETURN_IF_ERROR(write(span_of(kMagic)));
  return make_durable();
}

Status SegmentWriter::make_durable() {
  FAULT_POINT("segment.before_sync");
  const FileCall call("synced", partial_name_);
  if (::fsync(file_.get()) != 0) return system_error(errno, "synced", partial_name_);
  FAULT_POINT("segment.before_rename");
  if (rename_in(location_.folder, partial_name_, location_.name) != 0)
    return system_error(errno, "renamed", partial_name_);
  finished_ = true;
  FAULT_POINT("segment.after_rename");
  return sync_folder_of(location_);
}

StatusOr<std::unique_ptr<SegmentReader>> SegmentReader::open(const FileLocation& location) {
  const FileCall call("opened", location.name);
  Descriptor file(open_in(location.folder, location.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return system_error(errno, "opened", location.name);
  std::unique_ptr<SegmentReader> reader(new SegmentReader(location.name, std::move(file)));
  RETURN_IF_ERROR(reader->load());
  return reader;
}

Status SegmentReader::damaged(std::string_view what) const {
  return data_loss("The segment file ({}) is damaged: {}; it has to be made again.", name_, what);
}

Status SegmentReader::read_at(uint64_t offset, void* target, size_t count) {
  const FileCall call("read", name_);
  auto* next = static_cast<char*>(target);
  while (count > 0) {
    const ssize_t read = ::pread(file_.get(), next, count, off_t(offset));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return system_error(errno, "read", name_);
    if (read == 0) return damaged("it ends early");
    next += read;
    offset += uint64_t(read);
    count -= size_t(read);
  }
  return ok_status();
}

Status SegmentReader::load() {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return system_error(errno, "examined", name_);
  const auto size = uint64_t(info.st_size);
  if (size < kMagic.size() + kTrailerBytes) return damaged("it is too short");
  std::string trailer(kTrailerBytes, '\0');
  std::string magic(kMagic.size(), '\0');
  const uint64_t trailer_offset = size - kTrailerBytes;
  RETURN_IF_ERROR(read_at(0, magic.data(), magic.size()));
  RETURN_IF_ERROR(read_at(trailer_offset, trailer.data(), trailer.size()));
  if (magic != kMagic || !std::string_view(trailer).ends_with(kMagic)) return damaged("it has no mark");
  ByteReader offsets(trailer);
  const auto header_size = uint64_t(offsets.integer());
  const auto header_hash = uint64_t(offsets.integer());
  const auto table_offset = uint64_t(offsets.integer());
  const auto table_size = uint64_t(offsets.integer());
  const auto table_hash = uint64_t(offsets.integer());
  const uint64_t packets_offset = kMagic.size() + header_size;
  if (header_size > size || packets_offset > table_offset || table_offset > trailer_offset ||
      table_size != trailer_offset - table_offset)
    return damaged("its parts do not fit");
  std::string header(header_size, '\0');
  std::string table(table_size, '\0');
  RETURN_IF_ERROR(read_at(kMagic.size(), header.data(), header.size()));
  RETURN_IF_ERROR(read_at(table_offset, table.data(), table.size()));
  if (hash_bytes(span_of(header)) != header_hash || !parse_header(header, header_))
    return damaged("its header does not match");
  if (hash_bytes(span_of(table)) != table_hash) return damaged("its table does not match");
  return load_table(table, packets_offset, table_offset);
}

// Reads the table. The packets occupy the bytes [begin, end) of the file.
Status SegmentReader::load_table(const std::string& table, uint64_t begin, uint64_t end) {
  ByteReader reader(table);
  const size_t rows = reader.count(kRowBytes);
  uint64_t offset = begin;
  for (size_t i = 0; i < rows; i++) {
    SegmentPacket packet;
    packet.pts = reader.integer();
    packet.duration = reader.integer();
    packet.key = reader.integer() != 0;
    packet.bytes = uint64_t(reader.integer());
    hashes_.push_back(uint64_t(reader.integer()));
    if (packet.bytes > end - offset) return damaged("its packets do not fit");
    packets_.push_back(packet);
    offsets_.push_back(offset);
    offset += packet.bytes;
  }
  callers_bytes_ = reader.text();
  return reader.at_end() && offset == end ? ok_status() : damaged("its table does not fit");
}

Status SegmentReader::read(size_t index, std::vector<uint8_t>& data) {
  if (index >= packets_.size())
    return internal_error("The segment file ({}) has {} packets, not {}.", name_, packets_.size(), index + 1);
  data.resize(packets_[index].bytes);
  RETURN_IF_ERROR(read_at(offsets_[index], data.data(), data.size()));
  return hash_bytes(data) == hashes_[index] ? ok_status()
                                            : damaged(fmt::format("packet {} does not match", index));
}

Status SegmentReader::verify() {
  std::vector<uint8_t> data;
  for (size_t i = 0; i < packets_.size(); i++) RETURN_IF_ERROR(read(i, data));
  return ok_status();
}

}  // namespace weft::media
