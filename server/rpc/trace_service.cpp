// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/trace_service.h"

#include <memory>
#include <utility>

#include "server/rpc/status.h"

namespace weft::rpc {
namespace {

// Sends one timeline. Deletes itself after the end of the call, once no callback refers to it.
class TraceWriter final : public grpc::ServerWriteReactor<v1::ReadTraceResponse>,
                          public std::enable_shared_from_this<TraceWriter> {
 public:
  void begin(StatusOr<queue::TraceChunks> chunks) {
    if (!chunks.ok()) return Finish(to_grpc(chunks.status()));
    chunks_ = *std::move(chunks);
    write_next();
  }
  // Keeps itself alive until the call is over.
  void keep() { self_ = shared_from_this(); }

  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status(grpc::StatusCode::CANCELLED, "The client is gone."));
    write_next();
  }
  void OnDone() override { self_.reset(); }

 private:
  void write_next() {
    if (written_ == chunks_.size()) return Finish(grpc::Status::OK);
    StartWrite(&chunks_[written_++]);
  }

  queue::TraceChunks chunks_;
  size_t written_ = 0;
  std::shared_ptr<TraceWriter> self_;
};

StatusOr<queue::TraceChunks> check_events_of(const v1::Job& job, StatusOr<queue::TraceChunks> chunks) {
  if (!chunks.ok()) return chunks;
  for (const v1::ReadTraceResponse& chunk : *chunks)
    if (chunk.lanes_size() > 0) return chunks;
  return failed_precondition(
      "The device {} keeps no event of the job {} any more: newer events replaced them, or its worker "
      "started again. Ask while the "
      "job runs, or soon after.",
      job.device(), job.id());
}

}  // namespace

grpc::ServerWriteReactor<v1::ReadTraceResponse>* TraceService::ReadTrace(
    grpc::CallbackServerContext*, const v1::ReadTraceRequest* request) {
  const auto writer = std::make_shared<TraceWriter>();
  writer->keep();
  const auto begin = [writer](StatusOr<queue::TraceChunks> chunks) { writer->begin(std::move(chunks)); };
  switch (request->subject_case()) {
    case v1::ReadTraceRequest::kDevice:
      traces_.read_trace(request->device(), "", begin);
      break;
    case v1::ReadTraceRequest::kJobId:
      queue_.get(request->job_id(), [this, begin](const StatusOr<v1::Job>& job) {
        if (!job.ok()) return begin(job.status());
        if (job->device().empty())
          return begin(failed_precondition("The job {} has run on no device yet; `weft explain {}` says why.",
                                           job->id(), job->id()));
        traces_.read_trace(job->device(), job->id(),
                           [begin, job = *job](StatusOr<queue::TraceChunks> chunks) {
                             begin(check_events_of(job, std::move(chunks)));
                           });
      });
      break;
    default:
      begin(
          invalid_argument("The request for a timeline names neither a job nor a device; name one of them."));
  }
  return writer.get();
}

}  // namespace weft::rpc
