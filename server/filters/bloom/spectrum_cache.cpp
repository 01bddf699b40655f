// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/spectrum_cache.h"

namespace weft::filters::bloom {

std::shared_ptr<const KernelSpectrum> SpectrumCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().spectrum;
}

void SpectrumCache::insert(const std::string& key, std::shared_ptr<const KernelSpectrum> spectrum) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) forget(found->second);
  const size_t bytes = spectrum->buffer->size_bytes();
  if (bytes > most_bytes_) return;
  while (bytes_ + bytes > most_bytes_) forget(std::prev(entries_.end()));
  entries_.push_front({key, std::move(spectrum)});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
}

void SpectrumCache::forget(std::list<Entry>::iterator entry) {
  bytes_ -= entry->spectrum->buffer->size_bytes();
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

size_t SpectrumCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

size_t SpectrumCache::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace weft::filters::bloom
