// SPDX-License-Identifier: Apache-2.0
#include "server/media/file_calls.h"

#include <cerrno>
#include <utility>

namespace weft::media {
namespace {

thread_local FileCalls* watched = nullptr;

}  // namespace

WatchFileCalls::WatchFileCalls(FileCalls* calls) : before_(std::exchange(watched, calls)) {}
WatchFileCalls::~WatchFileCalls() { watched = before_; }

void chunk_done() {
  if (watched != nullptr) watched->chunks_.fetch_add(1, std::memory_order_relaxed);
}

FileCall::FileCall(std::string_view doing, std::string_view file) : calls_(watched) {
  if (calls_ == nullptr) return;
  FileCalls::Call call{std::string(doing), std::string(file), std::chrono::steady_clock::now()};
  const std::lock_guard lock(calls_->mutex_);
  call_ = calls_->calls_.insert(calls_->calls_.end(), std::move(call));
}

FileCall::~FileCall() {
  if (calls_ == nullptr) return;
  const int error = errno;
  {
    const std::lock_guard lock(calls_->mutex_);
    calls_->ended_ += std::chrono::steady_clock::now() - call_->since;
    calls_->calls_.erase(call_);
  }
  errno = error;
}

}  // namespace weft::media
