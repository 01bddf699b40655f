// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/picture_service.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <unistd.h>

#include "server/rpc/status.h"

namespace weft::rpc {
namespace {

// Sends one picture. Deletes itself after the end of the call, once no callback refers to it.
class PictureWriter final : public grpc::ServerWriteReactor<v1::ReadPictureResponse>,
                            public std::enable_shared_from_this<PictureWriter> {
 public:
  void begin(StatusOr<queue::DecodedPicture> picture) {
    if (!picture.ok()) return Finish(to_grpc(picture.status()));
    picture_ = *std::move(picture);
    *message_.mutable_description() = picture_.description;
    StartWrite(&message_);
  }
  // Keeps itself alive until the call is over.
  void keep() { self_ = shared_from_this(); }

  void OnWriteDone(bool ok) override {
    if (!ok) return finish(grpc::Status(grpc::StatusCode::CANCELLED, "The client is gone."));
    if (sent_ == picture_.bytes) return finish(grpc::Status::OK);
    message_.clear_description();
    std::string& chunk = *message_.mutable_samples();
    chunk.resize(size_t(std::min(kPictureChunkBytes, picture_.bytes - sent_)));
    const ssize_t read = ::pread(picture_.samples.get(), chunk.data(), chunk.size(), off_t(sent_));
    if (read <= 0) return finish(to_grpc(internal_error("The picture is gone: {}.", std::strerror(errno))));
    chunk.resize(size_t(read));
    sent_ += read;
    StartWrite(&message_);
  }
  void OnDone() override { self_.reset(); }

 private:
  // Releases the picture before the end, so that the client may request the next one at once.
  void finish(const grpc::Status& status) {
    picture_ = {};
    Finish(status);
  }

  queue::DecodedPicture picture_;
  v1::ReadPictureResponse message_;
  int64_t sent_ = 0;
  std::shared_ptr<PictureWriter> self_;
};

}  // namespace

grpc::ServerWriteReactor<v1::ReadPictureResponse>* PictureService::ReadPicture(
    grpc::CallbackServerContext* context, const v1::ReadPictureRequest* request) {
  const auto writer = std::make_shared<PictureWriter>();
  writer->keep();
  queue_.get(request->job_id(), [this, writer, request = *request,
                                 caller = callers_.find(context->peer())](StatusOr<v1::Job> job) {
    if (!job.ok()) return writer->begin(job.status());
    pictures_.read(*job, request, caller,
                   [writer](StatusOr<queue::DecodedPicture> picture) { writer->begin(std::move(picture)); });
  });
  return writer.get();
}

}  // namespace weft::rpc
