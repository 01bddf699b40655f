// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/recording.h"

#include <dlfcn.h>

#include "server/device/cuda/api.h"

namespace weft::device::cuda {
namespace {

using CuGraph = struct CuGraphHandle*;
using CuGraphExec = struct CuGraphExecHandle*;

inline constexpr int kCaptureOfThread = 1;  // does not check calls of other threads

// Not part of Api, since a driver without graphs supports everything else.
#define WEFT_CUDA_GRAPH_FUNCTIONS(X)                                          \
  X(stream_context, "cuStreamGetCtx", (CuStream stream, CuContext * context)) \
  X(begin, "cuStreamBeginCapture_v2", (CuStream stream, int mode))            \
  X(end, "cuStreamEndCapture", (CuStream stream, CuGraph * graph))            \
  X(instantiate, "cuGraphInstantiateWithFlags",                               \
    (CuGraphExec * made, CuGraph graph, unsigned long long flags))            \
  X(launch, "cuGraphLaunch", (CuGraphExec made, CuStream stream))             \
  X(destroy_exec, "cuGraphExecDestroy", (CuGraphExec made))                   \
  X(destroy_graph, "cuGraphDestroy", (CuGraph graph))

struct GraphApi {
  const Api* api = nullptr;
#define WEFT_CUDA_POINTER(name, symbol, arguments) CuResult(*name) arguments = nullptr;
  WEFT_CUDA_GRAPH_FUNCTIONS(WEFT_CUDA_POINTER)
#undef WEFT_CUDA_POINTER
};

StatusOr<GraphApi> load_graph_api() {
  GraphApi graphs;
  ASSIGN_OR_RETURN(graphs.api, load_api());
  // It is already open, and stays open.
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#define WEFT_CUDA_FIND(name, symbol, arguments)                                                       \
  graphs.name =                                                                                       \
      library == nullptr ? nullptr : reinterpret_cast<CuResult(*) arguments>(dlsym(library, symbol)); \
  if (graphs.name == nullptr)                                                                         \
    return unavailable("The NVIDIA driver is too old: libcuda.so.1 has no {}; install a newer one.", symbol);
  WEFT_CUDA_GRAPH_FUNCTIONS(WEFT_CUDA_FIND)
#undef WEFT_CUDA_FIND
  return graphs;
}

class GraphRecording final : public Recording {
 public:
  explicit GraphRecording(const GraphApi& graphs) : graphs_(graphs) {}
  ~GraphRecording() override {
    if (made_ == nullptr || !make_current().ok()) return;
    static_cast<void>(graphs_.destroy_exec(made_));
  }

  Status capture(Stream& stream, const std::function<void()>& enqueue) {
    const auto handle = static_cast<CuStream>(stream.native());
    RETURN_IF_ERROR(checked(graphs_.stream_context(handle, &context_), "cuStreamGetCtx"));
    RETURN_IF_ERROR(make_current());
    RETURN_IF_ERROR(checked(graphs_.begin(handle, kCaptureOfThread), "cuStreamBeginCapture"));
    enqueue();
    CuGraph graph = nullptr;
    RETURN_IF_ERROR(checked(graphs_.end(handle, &graph), "cuStreamEndCapture"));
    const Status made = checked(graphs_.instantiate(&made_, graph, 0), "cuGraphInstantiate");
    static_cast<void>(graphs_.destroy_graph(graph));
    return made;
  }

  Status replay(Stream& stream) override {
    RETURN_IF_ERROR(make_current());
    return checked(graphs_.launch(made_, static_cast<CuStream>(stream.native())), "cuGraphLaunch");
  }

 private:
  Status checked(CuResult result, std::string_view call) const {
    return status_of(*graphs_.api, result, call);
  }
  Status make_current() const {
    return checked(graphs_.api->context_set_current(context_), "cuCtxSetCurrent");
  }

  const GraphApi graphs_;
  CuContext context_ = nullptr;
  CuGraphExec made_ = nullptr;
};

}  // namespace

StatusOr<std::unique_ptr<Recording>> record(Stream& stream, const std::function<void()>& enqueue) {
  ASSIGN_OR_RETURN(const GraphApi graphs, load_graph_api());
  auto recording = std::make_unique<GraphRecording>(graphs);
  RETURN_IF_ERROR(recording->capture(stream, enqueue));
  return recording;
}

}  // namespace weft::device::cuda
