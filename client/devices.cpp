// SPDX-License-Identifier: Apache-2.0
#include "client/devices.h"

#include "client/channel.h"

namespace weft::client {
namespace {

template <class Request, class Response>
StatusOr<std::vector<v1::DeviceStatus>> call_with_ids(
    const Connection& connection, const std::vector<std::string>& ids,
    grpc::Status (v1::DeviceService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
    Request request = {}) {
  request.mutable_ids()->Assign(ids.begin(), ids.end());
  ASSIGN_OR_RETURN(const Response response, call(connection.stubs(), *connection.stubs().devices, method,
                                                 request, connection.options().deadline));
  return std::vector<v1::DeviceStatus>(response.devices().begin(), response.devices().end());
}

}  // namespace

Devices::Devices(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

StatusOr<v1::ListDevicesResponse> Devices::list() {
  const Stubs& stubs = connection_->stubs();
  return call(stubs, *stubs.devices, &v1::DeviceService::Stub::ListDevices, v1::ListDevicesRequest(),
              connection_->options().deadline);
}

StatusOr<v1::ListTunedKernelsResponse> Devices::tuned_kernels(const std::string& id) {
  const Stubs& stubs = connection_->stubs();
  v1::ListTunedKernelsRequest request;
  request.set_id(id);
  return call(stubs, *stubs.devices, &v1::DeviceService::Stub::ListTunedKernels, request,
              connection_->options().deadline);
}

StatusOr<std::vector<v1::DeviceStatus>> Devices::drain(const std::vector<std::string>& ids) {
  return call_with_ids(*connection_, ids, &v1::DeviceService::Stub::DrainDevices);
}

StatusOr<std::vector<v1::DeviceStatus>> Devices::resume(const std::vector<std::string>& ids, bool take) {
  v1::ResumeDevicesRequest request;
  request.set_take(take);
  return call_with_ids(*connection_, ids, &v1::DeviceService::Stub::ResumeDevices, std::move(request));
}

Status Devices::watch(const std::vector<std::string>& ids,
                      const std::function<bool(const v1::DeviceStatus&)>& receive, std::stop_token stop) {
  v1::WatchDeviceSamplesRequest request;
  request.mutable_ids()->Assign(ids.begin(), ids.end());
  const std::function<bool(const v1::WatchDeviceSamplesResponse&)> unwrap =
      [&](const v1::WatchDeviceSamplesResponse& response) { return receive(response.device()); };
  const Stubs& stubs = connection_->stubs();
  return read_stream(stubs, *stubs.devices, &v1::DeviceService::Stub::WatchDeviceSamples, request, unwrap,
                     std::move(stop));
}

}  // namespace weft::client
