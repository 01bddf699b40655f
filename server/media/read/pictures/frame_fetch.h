// SPDX-License-Identifier: Apache-2.0
// How frames that NVDEC decoded leave its surfaces, for whoever plans the GPU's time. NVDEC is an engine of its own, and so are those
// that copy; but every frame costs one launch between them, which others on the GPU feel: a program of its own by 0.4 ms.
#pragma once

#include <memory>

#include "base/status.h"
#include "base/video_format.h"
#include "server/media/frame_hash.h"

namespace weft::media {

// All but release() are called by the thread that decodes.
class FrameFetch {
 public:
  virtual ~FrameFetch() = default;

  // A CUstream of the GPU's primary context: fetches are enqueued there, and nothing else.
  virtual void* cuda_stream() const = 0;
  // A fetch may be enqueued next. It can be held back until its turn; calls without enqueued() or keep() between them are one.
  virtual void expect() = 0;
  // It is enqueued, and the frame is copied to memory next. Returns once its turn has come.
  virtual void enqueued() = 0;
  // It is enqueued. Copies the frame to memory of the GPU, where it stays as long as what is returned, and returns when that is done: the
  // surface may go. Null: the frame is not kept, and enqueued() is called.
  virtual std::shared_ptr<const void> keep(const Surface& surface) = 0;
  // The samples of a frame that was kept, until the next call. Errors are the GPU's.
  virtual StatusOr<PictureView> read(const void* kept) = 0;
  // Any thread: what is held back goes on, as the decoder is about to wait for everything.
  virtual void release() = 0;
};

}  // namespace weft::media
