// SPDX-License-Identifier: Apache-2.0
// How frames that NVDEC decoded come off the GPU, for whoever plans the GPU's time. NVDEC is an engine of its own, and so are those
// that copy; but every frame costs one launch between them, which others on the GPU feel: a program of its own by 0.4 ms.
#pragma once

namespace weft::media {

// All but release() are called by the thread that decodes.
class FrameFetch {
 public:
  virtual ~FrameFetch() = default;

  // A CUstream of the GPU's primary context: fetches are enqueued there, and nothing else.
  virtual void* cuda_stream() const = 0;
  // A fetch may be enqueued next. It can be held back until its turn; calls without enqueued() between them are one.
  virtual void expect() = 0;
  // It is enqueued. Returns once its turn has come.
  virtual void enqueued() = 0;
  // Any thread: what is held back goes on, as the decoder is about to wait for everything.
  virtual void release() = 0;
};

}  // namespace weft::media
