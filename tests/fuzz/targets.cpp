// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.h"

#include <string>

#include <google/protobuf/util/json_util.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client_cli/pipe/y4m.h"
#include "options/chain.h"
#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "server/config.h"
#include "server/filters/networks/network_file.h"
#include "server/filters/nnedi/nnedi3_weights.h"
#include "server/media/file.h"
#include "server/media/read/pictures/tga.h"
#include "server/media/texture/texture.h"
#include "server/media/write/timecode.h"
#include "server/worker/texture/exception_table.h"
#include "server/worker/video/decision_file.h"
#include "weft/v1/filters.pb.h"
#include "weft/v1/job_service.pb.h"

namespace weft::fuzz {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// An unnamed file in memory with these bytes.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("weft-fuzz", 0)) {
    for (size_t written = 0; written < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
      if (count <= 0) break;
      written += size_t(count);
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

// Splits off the first line.
std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void parse_y4m(std::string_view bytes) {
  const auto header = cli::parse_y4m_header(next_line(bytes));
  if (header.ok()) {
    static_cast<void>(cli::format_y4m_header(*header, header->rate));
    static_cast<void>(cli::parse_y4m_aspect(header->aspect));
  }
  const std::string_view frame = next_line(bytes);
  for (const bool mixed : {false, true}) static_cast<void>(cli::parse_y4m_frame(frame, mixed).ok());
}

void parse_texture(std::string_view bytes, std::string_view name) {
  const auto texture = media::read_texture(bytes, name);
  if (!texture.ok()) return;
  static_cast<void>(media::summary_of(texture->info));
}
void parse_dds(std::string_view bytes) { parse_texture(bytes, "a.dds"); }
void parse_ktx2(std::string_view bytes) { parse_texture(bytes, "a.ktx2"); }

void parse_tga(std::string_view bytes) {
  const MemoryFile memory(bytes);
  const auto file = media::InputFile::open(memory.path());
  if (!file.ok()) return;
  if (media::probe_tga(**file).ok()) static_cast<void>(media::read_tga(**file).ok());
}

void parse_safetensors(std::string_view bytes) {
  auto tensors = filters::networks::Tensors::open(bytes_of(bytes), "1");
  if (!tensors.ok()) return;
  static_cast<void>(tensors->title().ok());
  static_cast<void>(tensors->number("bound", 0, 1).ok());
  static_cast<void>(tensors->take_layer("layer", {.inputs = 1, .outputs = 1, .rows = 1, .columns = 1}).ok());
  static_cast<void>(tensors->expect_no_more().ok());
}

// The first bytes select the network; the file is repeated up to its fixed size.
void parse_nnedi3(std::string_view bytes) {
  if (bytes.size() < 4) return;
  std::string file(filters::nnedi::kNnedi3Bytes, '\0');
  for (size_t i = 0; i < file.size(); i++) file[i] = bytes[i % bytes.size()];
  const filters::nnedi::Nnedi3Choice choice{
      .nsize = bytes[0] & 7, .nns = bytes[1] & 7, .qual = bytes[2] & 3, .etype = bytes[3] & 1, .pscrn = 2};
  if (choice.nsize > 6 || choice.nns > 4 || choice.qual < 1 || choice.qual > 2) return;
  static_cast<void>(filters::nnedi::parse_nnedi3(bytes_of(file), choice).ok());
}

void parse_configuration(std::string_view bytes) {
  const MemoryFile memory(bytes);
  const std::string arguments[] = {"--config", memory.path()};
  static_cast<void>(load_config(arguments, {{"HOME", "/"}}).ok());
}

void parse_chain(std::string_view bytes) {
  v1::VideoJob job;
  const auto* chain = v1::VideoJob::descriptor()->FindFieldByName("filters");
  if (options::parse_chain(bytes, job, *chain).ok()) {
    const std::string printed = options::print_chain(job, *chain);
    v1::VideoJob again;
    // A printed chain is a chain.
    if (!options::parse_chain(printed, again, *chain).ok()) __builtin_trap();
  }
}

void parse_timecode(std::string_view bytes) {
  const std::string text(next_line(bytes));
  for (const media::Ratio rate : {media::Ratio{25, 1}, media::Ratio{30000, 1001}, media::Ratio{120, 1}})
    static_cast<void>(media::timecode_at(text, rate, int64_t(bytes.size()), {60000, 1001}));
}

void parse_decisions(std::string_view bytes) {
  const auto file = worker::parse_decisions(bytes_of(bytes));
  if (file.ok()) static_cast<void>(worker::print_decisions(*file).ok());
}

void parse_exceptions(std::string_view bytes) {
  const auto table = worker::ExceptionTable::parse(bytes, "table.txt");
  if (table.ok()) static_cast<void>(table->reason_of("door_albedo.dds"));
}

// A message of a client, in the form of the wire, or as JSON if it begins with a brace.
void parse_job(std::string_view bytes) {
  v1::SubmitJobRequest request;
  if (bytes.starts_with('{')) {
    if (!google::protobuf::util::JsonStringToMessage(std::string(bytes), &request).ok()) return;
  } else if (!request.ParseFromArray(bytes.data(), int(bytes.size()))) {
    return;
  }
  if (!options::validate(request, "").empty()) return;
  static_cast<void>(options::files_of_job(request.spec()));
  static_cast<void>(options::unit_of(request.spec()));
}

constexpr Target kTargets[] = {
    {"y4m", parse_y4m},
    {"dds", parse_dds},
    {"ktx2", parse_ktx2},
    {"tga", parse_tga},
    {"safetensors", parse_safetensors},
    {"nnedi3", parse_nnedi3},
    {"configuration", parse_configuration},
    {"chain", parse_chain},
    {"timecode", parse_timecode},
    {"decisions", parse_decisions},
    {"exceptions", parse_exceptions},
    {"job", parse_job},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

}  // namespace weft::fuzz
