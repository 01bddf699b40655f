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

// Returns the index in "segment-000012.weft" or "segment-000012.weft.partial", or nullopt for other
// names.
std::optional<int64_t> SegmentJournal::index_of(std::string_view name) const {
  if (!name.starts_with(prefix_)) return std::nullopt;
  name.remove_prefix(prefix_.size());
  int64_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || !std::string_view(end).starts_with(kSuffix)) return std::nullopt;
  return index;
}

media::FileLocation SegmentJournal::location(int64_t index) const {
  return {folder_, fmt::format("{}{:06}{}", prefix_, index, kSuffix)};
}

StatusOr<SegmentRecord> SegmentJournal::check(int64_t index, std::string_view key,
                                              const std::function<Status()>& alive) const {
  ASSIGN_OR_RETURN(auto reader, media::SegmentReader::open(location(index)));
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
  const auto reader = media::SegmentReader::open(location(0));
  SegmentRecord record;
  if (!reader.ok() || !record.ParseFromString((*reader)->callers_bytes())) return std::nullopt;
  return record;
}

StatusOr<std::map<int64_t, SegmentRecord>> SegmentJournal::scan(
    std::string_view key, const std::function<Status()>& alive,
    const std::function<void(std::string)>& note) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list());
  std::map<int64_t, SegmentRecord> records;
  Status first_error;
  for (const std::string& name : names) {
    const std::optional<int64_t> index = index_of(name);
    if (!index.has_value() || !name.ends_with(kSuffix)) continue;
    RETURN_IF_ERROR(alive());
    StatusOr<SegmentRecord> record = check(*index, key, alive);
    RETURN_IF_ERROR(alive());  // a stop is not damage
    if (record.ok())
      records[*index] = *std::move(record);
    else if (first_error.ok() && record.status().code() != StatusCode::kNotFound)
      first_error = record.status();
  }
  if (!first_error.ok()) note(fmt::format("{} It is made again.", message_of(first_error)));
  RETURN_IF_ERROR(remove_all_but(
      [&](int64_t segment, bool is_complete) { return is_complete && records.contains(segment); }));
  return records;
}

StatusOr<std::vector<std::byte>> SegmentJournal::read(int64_t segments) const {
  std::vector<std::byte> all;
  std::vector<uint8_t> data;
  for (int64_t segment = 0; segment < segments; segment++) {
    ASSIGN_OR_RETURN(auto reader, media::SegmentReader::open(location(segment)));
    for (size_t i = 0; i < reader->packets().size(); i++) {
      RETURN_IF_ERROR(reader->read(i, data));
      const auto bytes = std::as_bytes(std::span(data));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
  }
  return all;
}

Status SegmentJournal::remove_from(int64_t first) const {
  return remove_all_but(
      [first](int64_t segment, bool is_complete) { return is_complete && segment < first; });
}

StatusOr<std::vector<std::string>> SegmentJournal::list() const {
  const media::FileCall call("listed", "");
  return media::list_in(folder_, ".");
}

Status SegmentJournal::remove_all_but(
    const std::function<bool(int64_t segment, bool is_complete)>& is_wanted) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list());
  const media::FileCall call("removed", "");
  for (const std::string& name : names) {
    const std::optional<int64_t> index = index_of(name);
    if (!index.has_value() || is_wanted(*index, name.ends_with(kSuffix))) continue;
    if (media::remove_in(folder_, name) != 0 && errno != ENOENT)
      return media::system_error(errno, "removed", name);
  }
  return ok_status();
}

}  // namespace weft::worker
