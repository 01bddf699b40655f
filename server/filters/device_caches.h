// SPDX-License-Identifier: Apache-2.0
// What a device keeps for the next jobs: one object of each type that somebody asks for, made then.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <typeindex>

namespace weft::filters {

// Ends before the device does. Any thread.
class DeviceCaches {
 public:
  template <class Cache>
  Cache& get() {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<void>& cache = caches_[std::type_index(typeid(Cache))];
    if (cache == nullptr) cache = std::make_shared<Cache>();
    return *static_cast<Cache*>(cache.get());
  }

 private:
  std::mutex mutex_;
  std::map<std::type_index, std::shared_ptr<void>> caches_;
};

}  // namespace weft::filters
