// SPDX-License-Identifier: Apache-2.0
// Transfers NVDEC's frames from its surfaces under control of the GPU's scheduler. NVDEC and the
// copy engines are separate units, but each frame needs one launch between them, which delays other
// programs on the GPU by 0.4 ms.
#pragma once

#include <memory>

#include "base/status.h"
#include "base/video_format.h"
#include "server/media/frame_hash.h"

namespace weft::media {

// The decoding thread calls all functions but release().
class FrameFetch {
 public:
  virtual ~FrameFetch() = default;

  // Returns a CUstream of the GPU's primary context, which is used only for transfers.
  virtual void* cuda_stream() const = 0;
  // Announces that a transfer may be enqueued next, so that it can be delayed until its turn.
  // Repeated calls without enqueued() or keep() between them count as one.
  virtual void expect() = 0;
  // Called when the transfer is enqueued, before the frame is copied to host memory. Blocks until
  // the transfer's turn.
  virtual void enqueued() = 0;
  // Called when the transfer is enqueued. Copies the frame to device memory and returns a handle
  // when the copy is done, so that the surface may be reused. The memory exists as long as the
  // handle. Returns null if the frame is not kept; the decoder then calls enqueued().
  virtual std::shared_ptr<const void> keep(const Surface& surface) = 0;
  // Returns the samples of a kept frame, valid until the next call. Errors are those of the GPU.
  virtual StatusOr<PictureView> read(const void* kept) = 0;
  // Releases delayed work, because the decoder will wait for all of it. May be called by any
  // thread.
  virtual void release() = 0;
};

}  // namespace weft::media
