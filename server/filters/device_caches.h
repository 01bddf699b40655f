// SPDX-License-Identifier: Apache-2.0
// Holds the objects that a device keeps for later jobs: one of each requested type, created on
// demand.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <typeindex>

namespace weft::filters {

// Is destroyed before its device. Any thread may call get().
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
