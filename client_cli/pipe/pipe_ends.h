// SPDX-License-Identifier: Apache-2.0
// Contains code shared by the forms of `weft pipe`: input and output, the daemon of the stream, and
// the two threads that push and pull.
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

// Owns a descriptor and closes it unless it is a standard stream.
class PipeFile {
 public:
  // Opens the input; "-" is standard input. `what` names the data: "y4m". INVALID_ARGUMENT: the
  // descriptor is a terminal.
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

// The paths of input and output: the flags -i, -o and -y.
struct PipePaths {
  std::string input = "-";
  std::string output = "-";
  bool overwrite = false;

  // Declares the flags. `content` names the data of input and output: "video in y4m". The object
  // must exist until the command has run.
  void declare(Command& command, std::string_view content);
};

// The daemon of a stream: the one that answers, or a private one. The object must outlive its
// streams.
class StreamServer {
 public:
  // Finds or starts a daemon. CANCELLED: a signal arrived during the start of a private daemon.
  static StatusOr<StreamServer> find(const CommandContext& context);
  // Opens a stream. After a success, signals end the stream instead of the process. Errors are
  // those of FrameStream::open.
  StatusOr<std::unique_ptr<client::FrameStream>> open(const v1::OpenStream& request);
  Signals& signals() { return *signals_; }

 private:
  StreamServer() = default;
  std::shared_ptr<client::Connection> connection_;
  std::unique_ptr<Signals> signals_;
  std::unique_ptr<PrivateDaemon> daemon_;
};

// The results of the pushing and the pulling side.
struct PipeEnds {
  Status input;
  Status output;
  bool interrupted = false;

  // Returns the error that occurred first: an error of one side cancels the other side.
  const Status& root() const;
};
// Runs `push` on a thread of its own and `pull` on this thread, until both have returned. A signal,
// or an error of either, cancels the stream and wakes the reader.
PipeEnds run_both(Signals& signals, client::FrameStream& stream, DescriptorReader& reader,
                  const std::function<Status()>& push, const std::function<Status()>& pull);
// Prints the error, if any, and returns the exit code. An output that its reader has closed is an
// error.
int report_pipe_end(const CommandContext& context, const PipeEnds& ends);

}  // namespace weft::cli
