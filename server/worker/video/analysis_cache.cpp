// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/analysis_cache.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fault_point.h"
#include "options/canonical_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/frame_hash.h"
#include "server/media/write/segment_file.h"
#include "server/worker/job/source_journal.h"

namespace weft::worker {
namespace {

// Increased when the records that an analysis makes of the same input change.
constexpr int kRecordsVersion = 2;
constexpr std::string_view kEntrySuffix = ".analysis";

std::string name_of(const std::string& key) { return fmt::format("{}{}", key, kEntrySuffix); }

// The packets of segments that follow each other.
struct Packets {
  std::vector<media::SegmentPacket> table{};
  std::vector<std::vector<uint8_t>> data{};
  std::string record{};  // the caller's bytes of the last segment
};

Status append(const media::FileLocation& location, Packets& packets) {
  ASSIGN_OR_RETURN(const auto reader, media::SegmentReader::open(location));
  for (size_t i = 0; i < reader->packets().size(); i++) {
    packets.table.push_back(reader->packets()[i]);
    RETURN_IF_ERROR(reader->read(i, packets.data.emplace_back()));
  }
  packets.record = reader->callers_bytes();
  return ok_status();
}

Status write(const media::FileLocation& location, const Packets& packets, std::string_view record) {
  media::SegmentHeader header;
  header.encoder = "records";
  ASSIGN_OR_RETURN(const auto writer, media::SegmentWriter::create(location, header));
  for (size_t i = 0; i < packets.table.size(); i++)
    RETURN_IF_ERROR(writer->add(packets.table[i], packets.data[i]));
  return writer->finish(record);
}

}  // namespace

StatusOr<bool> AnalysisCache::copy_to(const SegmentJournal& journal, const std::string& key,
                                      internal::v1::SegmentRecord record) const {
  if (folder_ < 0 || key.empty()) return false;
  Packets packets;
  internal::v1::SegmentRecord kept;
  if (!append({folder_, name_of(key)}, packets).ok() || !kept.ParseFromString(packets.record)) return false;
  record.set_outputs(int64_t(packets.table.size()));
  record.set_source_frames(kept.source_frames());
  record.set_hardware_decoder(kept.hardware_decoder());
  record.set_corrupt_packets(kept.corrupt_packets());
  record.set_last(true);
  RETURN_IF_ERROR(write(journal.location(0), packets, record.SerializeAsString()));
  // Written again, the entry is the newest.
  write({folder_, name_of(key)}, packets, packets.record).IgnoreError();
  return true;
}

Status AnalysisCache::add(const SegmentJournal& journal, int64_t segments, const std::string& key) const {
  if (folder_ < 0 || key.empty()) return ok_status();
  Packets packets;
  int64_t corrupt_packets = 0;
  internal::v1::SegmentRecord last;
  for (int64_t segment = 0; segment < segments; segment++) {
    RETURN_IF_ERROR(append(journal.location(segment), packets));
    if (!last.ParseFromString(packets.record)) return data_loss("Segment {} has no record.", segment);
    corrupt_packets += last.corrupt_packets();
  }
  internal::v1::SegmentRecord kept;
  kept.set_source_frames(last.source_frames());
  kept.set_hardware_decoder(last.hardware_decoder());
  kept.set_corrupt_packets(corrupt_packets);
  FAULT_POINT("worker.analysis.before_keep");
  RETURN_IF_ERROR(write({folder_, name_of(key)}, packets, kept.SerializeAsString()));
  return remove_oldest();
}

Status AnalysisCache::add_decisions(const std::string& job_id, std::string_view text) const {
  if (folder_ < 0) return ok_status();
  RETURN_IF_ERROR(media::write_whole_file({folder_, options::decisions_name(job_id)}, text));
  return remove_oldest();
}

// Removes the files that were written first until the others are within the limit.
Status AnalysisCache::remove_oldest() const {
  struct File {
    int64_t written_ns = 0, bytes = 0;
    std::string name;
  };
  std::vector<File> files;
  int64_t bytes = 0;
  ASSIGN_OR_RETURN(const std::vector<std::string> names, media::list_in(folder_, "."));
  for (const std::string& name : names) {
    const media::Descriptor file(
        media::open_in(folder_, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files.push_back(
        {int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec, int64_t{info.st_size}, name});
    bytes += files.back().bytes;
  }
  std::ranges::sort(files, {}, &File::written_ns);
  for (const File& file : files) {
    if (bytes <= most_bytes_) break;
    if (media::remove_in(folder_, file.name) != 0 && errno != ENOENT)
      return media::system_error(errno, "removed", file.name);
    bytes -= file.bytes;
  }
  return ok_status();
}

StatusOr<std::string> analysis_key(const VideoPlan& plan, const OpenJobFile& input,
                                   const internal::v1::InputState& state, const v1::VideoJob& job,
                                   std::string_view device) {
  const bool has_files =
      plan.chain.files != nullptr && !(plan.chain.files->files.empty() && plan.chain.files->pictures.empty());
  if (plan.decisions || has_files) return "";
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  ASSIGN_OR_RETURN(const FileIdentity identity, identity_of(*file));
  const bool is_hardware = plan.source.hardware && plan.source.cuda_ordinal >= 0;
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", WEFT_VERSION, kRecordsVersion, plan.chain.analysis,
                  measured_filters(plan.chain), state.bytes(), state.changed_ns(), state.mark(),
                  identity.inode, job.from(), job.to(), is_hardware);
  if (!plan.chain.inexact_filter.empty()) text += device;
  text += options::canonical_bytes(job.decoding());
  std::string key;
  for (const uint64_t seed : {1, 2, 3, 4}) {
    media::Hasher hasher(seed);
    hasher.add(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
    key += fmt::format("{:016x}", hasher.value());
  }
  return key;
}

}  // namespace weft::worker
