// SPDX-License-Identifier: Apache-2.0
// Defines a sequence that may discard its oldest elements. The others keep their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace weft::graph {

// Elements numbered from 0. Not thread-safe.
template <class T>
class Numbered {
 public:
  using const_reference = typename std::vector<T>::const_reference;
  using const_iterator = typename std::vector<T>::const_iterator;

  Numbered() = default;
  Numbered(std::initializer_list<T> elements) : elements_(elements) {}
  Numbered(std::vector<T> elements) : elements_(std::move(elements)) {}

  // Returns the number after the newest element's, which counts discarded elements.
  size_t size() const { return discarded_ + elements_.size(); }
  bool empty() const { return size() == 0; }
  // Returns the number of the oldest element that is not discarded.
  size_t first() const { return discarded_; }
  // The element must not be discarded.
  const_reference operator[](size_t number) const { return elements_[number - discarded_]; }
  typename std::vector<T>::reference operator[](size_t number) { return elements_[number - discarded_]; }
  const_reference back() const { return elements_.back(); }
  typename std::vector<T>::reference back() { return elements_.back(); }
  const_reference front() const { return elements_.front(); }

  // Iterate over the elements that are not discarded.
  const_iterator begin() const { return elements_.begin(); }
  const_iterator end() const { return elements_.end(); }
  auto begin() { return elements_.begin(); }
  auto end() { return elements_.end(); }

  void push_back(T element) { elements_.push_back(std::move(element)); }
  // Permits the discarding of elements before `number`, except for the newest element.
  void discard(size_t number) {
    if (size() == 0 || number <= discarded_) return;
    const size_t count = std::min(number, size() - 1) - discarded_;
    if (count <= elements_.size() / 2) return;  // each element is moved once on average
    elements_.erase(elements_.begin(), elements_.begin() + ptrdiff_t(count));
    discarded_ += count;
  }

  bool operator==(const Numbered&) const = default;

 private:
  size_t discarded_ = 0;
  std::vector<T> elements_;
};

}  // namespace weft::graph
