// SPDX-License-Identifier: Apache-2.0
#include "client_cli/pipe/pipe_ends.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/errors.h"
#include "client/server.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

// time for the devices of a private daemon to pass their self-tests
constexpr std::chrono::seconds kDeviceStart(30);
constexpr std::chrono::milliseconds kPipePollInterval(50);

// Returns true unless `path` is a device or a pipe, which have no content to lose.
bool is_replaced_by_writing(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
}

}  // namespace

PipeFile::PipeFile(PipeFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

PipeFile::~PipeFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

StatusOr<PipeFile> PipeFile::open_input(const std::string& path, std::string_view what) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return not_found("The input cannot be opened ({}): {}.", path, std::strerror(errno));
  if (::isatty(descriptor) == 1)
    return invalid_argument("Standard input is a terminal; pipe {} into it, or name a file with -i.", what);
  return PipeFile(descriptor);
}

StatusOr<PipeFile> PipeFile::open_output(const std::string& path, bool overwrite, std::string_view what) {
  constexpr mode_t kMode = 0666;  // reduced by the umask
  const bool replaces = overwrite || !is_replaced_by_writing(path);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL);
  const int descriptor = path == "-" ? STDOUT_FILENO : ::open(path.c_str(), flags, kMode);
  if (descriptor < 0 && errno == EEXIST)
    return already_exists("The output exists already ({}); choose another, or replace it with -y.", path);
  if (descriptor < 0) return not_found("The output cannot be made ({}): {}.", path, std::strerror(errno));
  if (::isatty(descriptor) == 1)
    return invalid_argument(
        "{} not written to a terminal; pipe the output into a program, or name a file with -o.", what);
  return PipeFile(descriptor);
}

void PipePaths::declare(Command& command, std::string_view content) {
  command.value("-i,--input", "IN", input, fmt::format("File to read: {}. Default: standard input.", content))
      .completed_by(Values::Kind::kFile);
  command
      .value("-o,--output", "OUT", output,
             fmt::format("File to write: {}. Default: standard output.", content))
      .completed_by(Values::Kind::kFile);
  command.flag("-y,--overwrite", overwrite, "Replace an existing output.");
}

StatusOr<StreamServer> StreamServer::find(const CommandContext& context) {
  StreamServer server;
  ASSIGN_OR_RETURN(server.connection_, context.connect());
  ASSIGN_OR_RETURN(const bool is_there, client::Server(server.connection_).is_there());
  if (is_there) return server;
  context.note(
      fmt::format("No daemon answers at {}; starting one for this stream.", server.connection_->server()));
  // The signals must not end the program without stopping the daemon and removing its folder.
  server.signals_ = std::make_unique<Signals>();
  ASSIGN_OR_RETURN(server.daemon_, PrivateDaemon::start(*server.signals_));
  server.connection_ = server.daemon_->connection();
  return server;
}

// Opens a stream. A private daemon answers before its devices are ready, so the opening is
// repeated.
StatusOr<std::unique_ptr<client::FrameStream>> StreamServer::open(const v1::OpenStream& request) {
  const auto end = std::chrono::steady_clock::now() + kDeviceStart;
  while (true) {
    auto stream = client::FrameStream::open(connection_, request);
    if (stream.ok() && signals_ == nullptr) signals_ = std::make_unique<Signals>();
    if (stream.ok() || daemon_ == nullptr) return stream;
    if (signals_->pending()) return cancelled("Interrupted by a signal.");
    const bool may_come = client::retry_delay(stream.status()).has_value();
    if (!may_come || std::chrono::steady_clock::now() > end) return stream.status();
    std::this_thread::sleep_for(kPipePollInterval);
  }
}

const Status& PipeEnds::root() const {
  const bool input_is_root = !input.ok() && (output.ok() || output.code() == StatusCode::kCancelled);
  return input_is_root ? input : output;
}

PipeEnds run_both(Signals& signals, client::FrameStream& stream, DescriptorReader& reader,
                  const std::function<Status()>& push, const std::function<Status()>& pull) {
  PipeEnds ends;
  const auto give_up = [&] {
    stream.cancel();
    reader.wake();
  };
  std::thread watcher([&] {
    if (signals.wait_until(TimePoint::max()) != Signals::Event::kSignal) return;
    ends.interrupted = true;
    give_up();
  });
  std::thread pusher([&] {
    ends.input = push();
    if (!ends.input.ok()) give_up();
  });
  ends.output = pull();
  if (!ends.output.ok()) give_up();
  pusher.join();
  signals.stop();
  watcher.join();
  return ends;
}

int report_pipe_end(const CommandContext& context, const PipeEnds& ends) {
  if (ends.interrupted) return kExitInterrupted;
  const Status& root = ends.root();
  if (root.ok()) return kExitDone;
  const int code = context.fail(root);
  return code == kExitUnreachable ? code : kExitJobFailed;
}

}  // namespace weft::cli
