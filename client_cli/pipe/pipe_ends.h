// SPDX-License-Identifier: Apache-2.0
// What the forms of `weft pipe` share: input and output, the daemon that serves the stream, and both sides at work.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "client/stream.h"
#include "client_cli/command_line/command.h"
#include "client_cli/context/context.h"
#include "client_cli/context/private_daemon.h"
#include "client_cli/context/signals.h"
#include "client_cli/pipe/byte_stream.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::cli {

// A descriptor that is closed unless it is a standard stream.
class PipeFile {
 public:
  // "-" is a standard stream. `what` is piped: "y4m". INVALID_ARGUMENT: a terminal.
  static StatusOr<PipeFile> open_input(const std::string& path, std::string_view what);
  static StatusOr<PipeFile> open_output(const std::string& path, bool overwrite, std::string_view what);
  PipeFile(PipeFile&& other) noexcept;
  PipeFile& operator=(PipeFile&&) = delete;
  ~PipeFile();
  int get() const { return descriptor_; }

 private:
  explicit PipeFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Where a pipe reads and writes: -i, -o and -y.
struct PipePaths {
  std::string input = "-";
  std::string output = "-";
  bool overwrite = false;

  // `what` is read: "y4m". Lives as long as the command.
  void declare(Command& command, std::string_view what);
};

// The daemon there is, or one of our own. Ends after its streams.
class StreamServer {
 public:
  // CANCELLED: a signal came while a daemon was started.
  static StatusOr<StreamServer> find(const CommandContext& context);
  // From here on a signal does not end us, but the stream. Errors are FrameStream::open's.
  StatusOr<std::unique_ptr<client::FrameStream>> open(const v1::OpenStream& request);
  Signals& signals() { return *signals_; }

 private:
  StreamServer() = default;
  std::shared_ptr<client::Connection> connection_;
  std::unique_ptr<Signals> signals_;
  std::unique_ptr<PrivateDaemon> daemon_;
};

// How both sides ended.
struct PipeEnds {
  Status input;
  Status output;
  bool interrupted = false;

  // The root of what went wrong: a stream that ends by an error cancels the other side.
  const Status& root() const;
};
// `push` on a thread of its own, `pull` on this one, until both have returned. A signal, or an error of either, ends the stream and wakes the
// reader.
PipeEnds run_both(Signals& signals, client::FrameStream& stream, DescriptorReader& reader,
                  const std::function<Status()>& push, const std::function<Status()>& pull);
// The exit code, after what went wrong was told; kExitDone: nothing did, or nobody reads any more.
int tell_pipe_end(const CommandContext& context, const PipeEnds& ends);

}  // namespace weft::cli
