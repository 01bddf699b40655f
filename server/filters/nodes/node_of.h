// SPDX-License-Identifier: Apache-2.0
// Implements a node that consists of its parts; one part is its descriptor.
#pragma once

#include <utility>

#include "server/filters/engine.h"
#include "server/graph/node.h"

namespace weft::filters {

template <class Parts>
class NodeOf : public Node {
 public:
  explicit NodeOf(Parts parts) : parts_(std::move(parts)) {}
  const NodeDescriptor& descriptor() const final { return parts_.descriptor; }

 protected:
  Parts parts_;
};

}  // namespace weft::filters
