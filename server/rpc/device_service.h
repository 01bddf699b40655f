// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.DeviceService: lists, watches, drains and resumes the devices of the queue.
#pragma once

#include <string>
#include <vector>

#include "server/queue/queue.h"
#include "server/rpc/callers.h"
#include "weft/v1/device_service.grpc.pb.h"

namespace weft::rpc {

class DeviceService final : public v1::DeviceService::CallbackService {
 public:
  // `notes` contains a sentence for each device or driver that cannot be used.
  DeviceService(queue::Queue& queue, const Callers& callers, std::vector<std::string> notes);

  grpc::ServerUnaryReactor* ListDevices(grpc::CallbackServerContext* context,
                                        const v1::ListDevicesRequest* request,
                                        v1::ListDevicesResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchDeviceSamplesResponse>* WatchDeviceSamples(
      grpc::CallbackServerContext* context, const v1::WatchDeviceSamplesRequest* request) override;
  grpc::ServerUnaryReactor* DrainDevices(grpc::CallbackServerContext* context,
                                         const v1::DrainDevicesRequest* request,
                                         v1::DrainDevicesResponse* response) override;
  grpc::ServerUnaryReactor* ResumeDevices(grpc::CallbackServerContext* context,
                                          const v1::ResumeDevicesRequest* request,
                                          v1::ResumeDevicesResponse* response) override;
  grpc::ServerUnaryReactor* ListTunedKernels(grpc::CallbackServerContext* context,
                                             const v1::ListTunedKernelsRequest* request,
                                             v1::ListTunedKernelsResponse* response) override;

 private:
  queue::Queue& queue_;
  const Callers& callers_;
  const std::vector<std::string> notes_;
};

}  // namespace weft::rpc
