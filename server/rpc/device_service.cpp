// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/device_service.h"

#include "server/rpc/reactors.h"

namespace weft::rpc {
namespace {

using DeviceStatuses = std::vector<v1::DeviceStatus>;

template <class Response>
auto answer_devices(grpc::ServerUnaryReactor* reactor, Response* response) {
  return answer<DeviceStatuses>(reactor, [response](DeviceStatuses devices) {
    for (v1::DeviceStatus& device : devices) *response->add_devices() = std::move(device);
  });
}

v1::WatchDeviceSamplesResponse to_response(v1::DeviceStatus device) {
  v1::WatchDeviceSamplesResponse response;
  *response.mutable_device() = std::move(device);
  return response;
}

}  // namespace

DeviceService::DeviceService(queue::Queue& queue, const Callers& callers, std::vector<std::string> notes)
    : queue_(queue), callers_(callers), notes_(std::move(notes)) {}

grpc::ServerUnaryReactor* DeviceService::ListDevices(grpc::CallbackServerContext* context,
                                                     const v1::ListDevicesRequest*,
                                                     v1::ListDevicesResponse* response) {
  auto* reactor = context->DefaultReactor();
  for (const std::string& note : notes_) response->add_notes(note);
  queue_.list_devices(answer_devices(reactor, response));
  return reactor;
}

grpc::ServerWriteReactor<v1::WatchDeviceSamplesResponse>* DeviceService::WatchDeviceSamples(
    grpc::CallbackServerContext* context, const v1::WatchDeviceSamplesRequest* request) {
  StatusOr<std::shared_ptr<void>> permit = callers_.begin_watch(context->peer());
  if (!permit.ok()) return new RefusedReactor<v1::WatchDeviceSamplesResponse>(permit.status());
  auto source = queue_.watch_devices({request->ids().begin(), request->ids().end()});
  return new StreamReactor<v1::DeviceStatus, v1::WatchDeviceSamplesResponse>(std::move(source), to_response,
                                                                             *std::move(permit));
}

grpc::ServerUnaryReactor* DeviceService::DrainDevices(grpc::CallbackServerContext* context,
                                                      const v1::DrainDevicesRequest* request,
                                                      v1::DrainDevicesResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_devices(reactor, response);
  const Status allowed = queue::check_operator(callers_.find(context->peer()), "Devices cannot be drained");
  if (allowed.ok())
    queue_.drain_devices({request->ids().begin(), request->ids().end()}, reply);
  else
    reply(allowed);
  return reactor;
}

grpc::ServerUnaryReactor* DeviceService::ResumeDevices(grpc::CallbackServerContext* context,
                                                       const v1::ResumeDevicesRequest* request,
                                                       v1::ResumeDevicesResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_devices(reactor, response);
  const Status allowed =
      queue::check_operator(callers_.find(context->peer()), "Devices cannot be put to work");
  if (!allowed.ok())
    reply(allowed);
  else if (request->take() && request->ids().empty())
    reply(invalid_argument("No device is named to be taken from another daemon; name each."));
  else
    queue_.resume_devices({request->ids().begin(), request->ids().end()}, request->take(), reply);
  return reactor;
}

grpc::ServerUnaryReactor* DeviceService::ListTunedKernels(grpc::CallbackServerContext* context,
                                                          const v1::ListTunedKernelsRequest* request,
                                                          v1::ListTunedKernelsResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto write = [response](internal::v1::DeviceReport report) {
    response->mutable_kernels()->Swap(report.mutable_tuning()->mutable_kernels());
    response->set_driver(report.tuning().driver());
  };
  queue_.device_report(request->id(), answer<internal::v1::DeviceReport>(reactor, write));
  return reactor;
}

}  // namespace weft::rpc
