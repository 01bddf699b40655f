// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_journal.h"

#include <cerrno>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/write/segment_file.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;

constexpr std::string_view kSuffix = ".weft";

}  // namespace

// The index in "segment-000012.weft" and in "segment-000012.weft.partial"; nothing for other files.
std::optional<int64_t> SegmentJournal::index_of(std::string_view name) const {
  if (!name.starts_with(prefix_)) return std::nullopt;
  name.remove_prefix(prefix_.size());
  int64_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || !std::string_view(end).starts_with(kSuffix)) return std::nullopt;
  return index;
}

media::FilePlace SegmentJournal::place(int64_t index) const {
  return {folder_, fmt::format("{}{:06}{}", prefix_, index, kSuffix)};
}

StatusOr<SegmentRecord> SegmentJournal::check(int64_t index, std::string_view key,
                                              const std::function<Status()>& alive) const {
  ASSIGN_OR_RETURN(auto reader, media::SegmentReader::open(place(index)));
  SegmentRecord record;
  if (!record.ParseFromString(reader->callers_bytes()))
    return data_loss("Segment {} carries a record that cannot be read.", index);
  if (record.key() != key)
    return failed_precondition(
        "Segment {} belongs to other settings, another input or another version of Weft.", index);
  if (reader->header().segment != index || record.outputs() != int64_t(reader->packets().size()))
    return data_loss("Segment {} is not what its record says.", index);
  std::vector<uint8_t> data;
  for (size_t i = 0; i < reader->packets().size(); i++) {
    RETURN_IF_ERROR(alive());
    RETURN_IF_ERROR(reader->read(i, data));
  }
  return record;
}

std::optional<SegmentRecord> SegmentJournal::first_record() const {
  const auto reader = media::SegmentReader::open(place(0));
  SegmentRecord record;
  if (!reader.ok() || !record.ParseFromString((*reader)->callers_bytes())) return std::nullopt;
  return record;
}

StatusOr<std::vector<SegmentRecord>> SegmentJournal::scan(
    std::string_view key, const std::function<Status()>& alive,
    const std::function<void(std::string)>& note) const {
  std::vector<SegmentRecord> records;
  while (records.empty() || !records.back().last()) {
    RETURN_IF_ERROR(alive());
    StatusOr<SegmentRecord> record = check(int64_t(records.size()), key, alive);
    if (!record.ok()) {
      RETURN_IF_ERROR(alive());  // a stop is no damage
      if (record.status().code() != StatusCode::kNotFound)
        note(fmt::format("{} It is made again, and what follows it.", message_of(record.status())));
      break;
    }
    records.push_back(*std::move(record));
  }
  RETURN_IF_ERROR(remove_from(int64_t(records.size())));
  return records;
}

StatusOr<std::vector<std::byte>> SegmentJournal::read(int64_t segments) const {
  std::vector<std::byte> all;
  std::vector<uint8_t> data;
  for (int64_t segment = 0; segment < segments; segment++) {
    ASSIGN_OR_RETURN(auto reader, media::SegmentReader::open(place(segment)));
    for (size_t i = 0; i < reader->packets().size(); i++) {
      RETURN_IF_ERROR(reader->read(i, data));
      const auto bytes = std::as_bytes(std::span(data));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
  }
  return all;
}

Status SegmentJournal::remove_from(int64_t first) const {
  const media::FileCall call("listed", "");
  ASSIGN_OR_RETURN(const std::vector<std::string> names, media::list_in(folder_, "."));
  for (const std::string& name : names) {
    const std::optional<int64_t> index = index_of(name);
    if (!index.has_value() || (name.ends_with(kSuffix) && *index < first)) continue;
    if (media::remove_in(folder_, name) != 0 && errno != ENOENT)
      return media::system_error(errno, "removed", name);
  }
  return ok_status();
}

}  // namespace weft::worker
