// SPDX-License-Identifier: Apache-2.0
// Owns the primary context of a device. Every thread has to make the context current before it
// calls the driver.
#pragma once

#include "server/device/cuda/api.h"

namespace weft::device::cuda {

class Context {
 public:
  Context(const Api& api, CuDevice device, CuContext context)
      : api_(api), device_(device), context_(context) {}
  ~Context() { api_.context_release(device_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Api& api() const { return api_; }

  // Calls a function of the driver in this context: context.call("cuMemFree", &Api::memory_free,
  // address).
  template <class... Parameters, class... Arguments>
  Status call(std::string_view name, CuResult (*Api::*function)(Parameters...),
              Arguments... arguments) const {
    return status_of(api_, call_raw(function, arguments...), name);
  }
  template <class... Parameters, class... Arguments>
  CuResult call_raw(CuResult (*Api::*function)(Parameters...), Arguments... arguments) const {
    const CuResult result = api_.context_set_current(context_);
    return result == kCudaSuccess ? (api_.*function)(arguments...) : result;
  }

 private:
  const Api& api_;
  CuDevice device_;
  CuContext context_;
};

}  // namespace weft::device::cuda
