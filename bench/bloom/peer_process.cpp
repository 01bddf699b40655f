// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/peer_process.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::bench {
namespace {

enum class Verb { kMake, kConvolve, kMeasure, kForget };

struct Request {
  Verb verb{};
  int way = 0;  // method number of the caller
  int mode = 0, iterations = 0;
  int width = 0, height = 0, reach = 0, points_x = 0, points_y = 0, frames = 0;
  bool has_channel_kernels = false;
};

// The characters of the text and the halves of the pixels follow.
struct ReplyHead {
  double us = 0;
  size_t characters = 0, halves = 0;
};

struct Reply {
  std::string trouble = {};
  double us = 0;
  std::vector<uint16_t> pixels = {};
};

bool read_all(int socket, void* to, size_t bytes) {
  for (auto* address = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::read(socket, address, bytes);
    if (got <= 0) return false;
    address += got;
    bytes -= size_t(got);
  }
  return true;
}

bool write_all(int socket, const void* from, size_t bytes) {
  for (const auto* address = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t sent = ::send(socket, address, bytes, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    address += sent;
    bytes -= size_t(sent);
  }
  return true;
}

Reply ask(int socket, const Request& request) {
  Reply reply;
  ReplyHead head;
  bool well = write_all(socket, &request, sizeof request) && read_all(socket, &head, sizeof head);
  if (well) {
    reply.us = head.us;
    reply.trouble.resize(head.characters);
    reply.pixels.resize(head.halves);
    well = read_all(socket, reply.trouble.data(), head.characters) &&
           read_all(socket, reply.pixels.data(), head.halves * sizeof(uint16_t));
  }
  if (!well) reply.trouble = "the peer's process ended";
  return reply;
}

// The part that runs in the separate process.
class Server {
 public:
  Server(int socket, PeerProcess::Make make) : socket_(socket), make_(std::move(make)) {}

  void serve() {
    Request request;
    while (read_all(socket_, &request, sizeof request)) {
      const Reply reply = answer(request);
      const ReplyHead head{reply.us, reply.trouble.size(), reply.pixels.size()};
      if (!write_all(socket_, &head, sizeof head) ||
          !write_all(socket_, reply.trouble.data(), head.characters) ||
          !write_all(socket_, reply.pixels.data(), head.halves * sizeof(uint16_t)))
        return;
    }
  }

 private:
  Reply answer(const Request& request) {
    Reply reply;
    if (request.verb == Verb::kMake) {
      Made made = make_(problem_of(request), request.mode);
      if (made.way) ways_[request.way] = std::move(made.way);
      reply.trouble = made.trouble;
    } else if (request.verb == Verb::kForget) {
      ways_.erase(request.way);
    } else if (request.verb == Verb::kConvolve) {
      reply.trouble = ways_.at(request.way)->convolve(reply.pixels);
    } else {
      reply.trouble = ways_.at(request.way)->measure(request.iterations, reply.us);
    }
    return reply;
  }
  Problem problem_of(const Request& request) {
    Problem problem{.name = "",
                    .width = request.width,
                    .height = request.height,
                    .reach = request.reach,
                    .points_x = request.points_x,
                    .points_y = request.points_y,
                    .has_channel_kernels = request.has_channel_kernels,
                    .frames = request.frames};
    const size_t count = size_t(request.width) * size_t(request.height);
    auto [pixels, is_new] = pixels_.try_emplace(count);
    if (is_new) pixels->second = random_pixels(count);
    problem.pixels = pixels->second;
    problem.taps = random_taps(problem);
    return problem;
  }

  const int socket_;
  const PeerProcess::Make make_;
  std::map<size_t, std::vector<uint16_t>> pixels_;
  std::map<int, std::unique_ptr<Way>> ways_;
};

class RemoteWay final : public Way {
 public:
  RemoteWay(int socket, int number) : socket_(socket), number_(number) {}
  ~RemoteWay() override { ask(socket_, {.verb = Verb::kForget, .way = number_}); }

  std::string convolve(std::vector<uint16_t>& pixels) override {
    Reply reply = ask(socket_, {.verb = Verb::kConvolve, .way = number_});
    pixels = std::move(reply.pixels);
    return reply.trouble;
  }
  std::string measure(int iterations, double& us) override {
    const Reply reply = ask(socket_, {.verb = Verb::kMeasure, .way = number_, .iterations = iterations});
    us = reply.us;
    return reply.trouble;
  }

 private:
  const int socket_, number_;
};

}  // namespace

PeerProcess::PeerProcess(Make make) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  std::fflush(nullptr);
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[0]);
    Server(ends[1], std::move(make)).serve();
    std::fflush(nullptr);
    std::_Exit(0);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

PeerProcess::~PeerProcess() {
  if (socket_ >= 0) ::close(socket_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

Made PeerProcess::make(const Problem& problem, int mode) {
  const Request request{.verb = Verb::kMake,
                        .way = ++ways_,
                        .mode = mode,
                        .width = problem.width,
                        .height = problem.height,
                        .reach = problem.reach,
                        .points_x = problem.points_x,
                        .points_y = problem.points_y,
                        .frames = problem.frames,
                        .has_channel_kernels = problem.has_channel_kernels};
  if (Reply reply = ask(socket_, request); !reply.trouble.empty()) return {nullptr, reply.trouble};
  return {std::make_unique<RemoteWay>(socket_, request.way), ""};
}

}  // namespace weft::bench
