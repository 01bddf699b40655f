// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/size_scan.h"

#include <algorithm>
#include <string_view>

#include "server/media/read/packets/demuxer.h"

namespace weft::media {

namespace {

// Largest size of a file that is read completely. A larger file is read at kSizeSamples points,
// kSizeScanBytes each.
constexpr int64_t kWholeBytes = 48 << 20;
constexpr int64_t kSizeSamples = 24, kSizeScanBytes = 2 << 20;

constexpr std::string_view kFormats[] = {"mpegts", "mpeg", "mpegvideo", "h264", "hevc"};

class SizeScan {
 public:
  SizeScan(Demuxer& demuxer, PacketPtr packet)
      : demuxer_(demuxer), packet_(std::move(packet)), start_(double(demuxer.start()) / AV_TIME_BASE) {}

  // Reads `bytes` bytes of packets. Returns false at the end of the file.
  StatusOr<bool> read(int64_t bytes) {
    for (int64_t read = 0; read < bytes && !change_; read += packet_->size) {
      ASSIGN_OR_RETURN(const bool more, demuxer_.read(*packet_));
      if (!more) return false;
      if (packet_->stream_index == demuxer_.video().index) inspect();
    }
    return true;
  }
  const std::optional<LaterSize>& change() const { return change_; }

 private:
  void inspect() {
    const AVCodecParserContext* const parser = av_stream_get_parser(&demuxer_.video());
    if (parser == nullptr || parser->width <= 0 || parser->height <= 0) return;
    if (width_ == 0) {
      width_ = parser->width;
      height_ = parser->height;
    }
    if (parser->width == width_ && parser->height == height_) return;
    const int64_t time = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
    const double seconds =
        time != AV_NOPTS_VALUE ? double(time) * av_q2d(demuxer_.video().time_base) - start_ : 0;
    change_ = LaterSize{parser->width, parser->height,
                        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))};
  }

  Demuxer& demuxer_;
  PacketPtr packet_;
  double start_;
  int width_ = 0, height_ = 0;  // size of the first frame
  std::optional<LaterSize> change_;
};

}  // namespace

StatusOr<std::optional<LaterSize>> find_size_change(const InputFilePtr& file, int programme) {
  ASSIGN_OR_RETURN(const auto demuxer, Demuxer::open(file, programme));
  if (std::ranges::count(kFormats, demuxer->context().iformat->name) == 0) return std::optional<LaterSize>();
  PacketPtr packet(av_packet_alloc());
  if (!packet) return resource_exhausted("There is no memory to read the input ({}).", file->name());
  SizeScan scan(*demuxer, std::move(packet));
  if (file->bytes() <= kWholeBytes) {
    RETURN_IF_ERROR(scan.read(kWholeBytes).status());
    return scan.change();
  }
  const LogScope log;
  for (int64_t i = 0; i < kSizeSamples && !scan.change(); i++) {
    if (i > 0 &&
        av_seek_frame(&demuxer->context(), -1, file->bytes() / kSizeSamples * i, AVSEEK_FLAG_BYTE) < 0)
      break;
    RETURN_IF_ERROR(scan.read(kSizeScanBytes).status());
  }
  return scan.change();
}

}  // namespace weft::media
