// SPDX-License-Identifier: Apache-2.0
// weft-worker: owns one device, or probes files; started by weftd. With --job it runs one job by itself, for debuggers.
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include "base/log.h"
#include "server/channel/channel.h"
#include "server/media/folder_calls.h"
#include "server/worker/confine.h"
#include "server/worker/device/device_facts.h"
#include "server/worker/device/device_tuning.h"
#include "server/worker/device/presence_watch.h"
#include "server/worker/folder_process.h"
#include "server/worker/foreground_job.h"
#include "server/worker/memory_limit.h"
#include "server/worker/session.h"

namespace {

using namespace weft;

constexpr int kExitUsage = 2;

constexpr const char* kUsage =
    "usage: weft-worker --list-devices [--text]\n"
    "       weft-worker --device ID --channel FD [--cpu-threads N] [--cache FOLDER]\n"
    "                   [--foreign MODE] [--tuning MODE]\n"
    "       weft-worker --probe --channel FD [--memory BYTES]\n"
    "       weft-worker --job FILE --unconfined [--device ID] [--cpu-threads N] [--cache FOLDER]\n"
    "                   [--tuning MODE]\n"
    "       weft-worker --help | --version\n"
    "Every form but the last takes --log-level LEVEL and --log-format text|journal|json.\n";

struct Arguments {
  bool list_devices = false;
  bool text = false;
  bool probe = false;
  std::string job;  // a file with the order of a job that runs in the foreground
  bool unconfined = false;
  int channel = -1;
  int64_t memory_bytes = 0;  // 0: as much as there is
  std::string log_level = "info";
  LogFormat log_format = LogFormat::kText;
  worker::SessionOptions session;
};

template <class Number = int>
std::optional<Number> number_in(const char* text) {
  Number value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end && value >= 0 ? std::optional(value) : std::nullopt;
}

enum Flag {
  kList = 1,
  kText,
  kDevice,
  kProbe,
  kJob,
  kUnconfined,
  kChannel,
  kMemory,
  kThreads,
  kCache,
  kForeign,
  kTuning,
  kLevel,
  kFormat
};
constexpr option kOptions[] = {{"list-devices", no_argument, nullptr, kList},
                               {"text", no_argument, nullptr, kText},
                               {"device", required_argument, nullptr, kDevice},
                               {"probe", no_argument, nullptr, kProbe},
                               {"job", required_argument, nullptr, kJob},
                               {"unconfined", no_argument, nullptr, kUnconfined},
                               {"channel", required_argument, nullptr, kChannel},
                               {"memory", required_argument, nullptr, kMemory},
                               {"cpu-threads", required_argument, nullptr, kThreads},
                               {"cache", required_argument, nullptr, kCache},
                               {"foreign", required_argument, nullptr, kForeign},
                               {"tuning", required_argument, nullptr, kTuning},
                               {"log-level", required_argument, nullptr, kLevel},
                               {"log-format", required_argument, nullptr, kFormat},
                               {nullptr, 0, nullptr, 0}};

// Whether they are one form of the command line. A confined worker has a daemon, and an unconfined one has none.
bool makes_sense(const Arguments& arguments) {
  const bool has_channel = arguments.channel >= 0, has_device = !arguments.session.device_id.empty();
  if (arguments.memory_bytes > 0 && !arguments.probe) return false;
  if (arguments.unconfined == arguments.job.empty()) return false;
  if (arguments.unconfined) return !has_channel && !arguments.list_devices && !arguments.probe;
  const int forms = int(arguments.list_devices) + int(arguments.probe) + int(has_device);
  return forms == 1 && has_channel != arguments.list_devices;
}

// Nothing: the arguments make no sense.
std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int found; (found = ::getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    switch (found) {
      case kList:
        arguments.list_devices = true;
        break;
      case kText:
        arguments.text = true;
        break;
      case kDevice:
        arguments.session.device_id = optarg;
        break;
      case kProbe:
        arguments.probe = true;
        break;
      case kJob:
        arguments.job = optarg;
        break;
      case kUnconfined:
        arguments.unconfined = true;
        break;
      case kChannel:
        arguments.channel = number_in(optarg).value_or(-1);
        break;
      case kMemory: {
        const std::optional<int64_t> bytes = number_in<int64_t>(optarg);
        if (!bytes.has_value()) return std::nullopt;
        arguments.memory_bytes = *bytes;
        break;
      }
      case kThreads: {
        const std::optional<int> threads = number_in(optarg);
        if (!threads.has_value()) return std::nullopt;
        arguments.session.open.cpu_threads = *threads;
        break;
      }
      case kCache:
        arguments.session.open.cache_folder = optarg;
        break;
      case kForeign: {
        const std::optional<schedule::ForeignMode> mode = worker::foreign_mode(optarg);
        if (!mode.has_value()) return std::nullopt;
        arguments.session.foreign = *mode;
        break;
      }
      case kTuning: {
        arguments.session.uses_tables = std::string_view(optarg) == "on";
        if (!arguments.session.uses_tables && std::string_view(optarg) != "off") return std::nullopt;
        break;
      }
      case kLevel:
        arguments.log_level = optarg;
        break;
      case kFormat: {
        const std::optional<LogFormat> format = log_format(optarg);
        if (!format.has_value()) return std::nullopt;
        arguments.log_format = *format;
        break;
      }
      default:
        return std::nullopt;
    }
  }
  if (optind != argc || !makes_sense(arguments)) return std::nullopt;
  return arguments;
}

// Whom the daemon drains, a service manager's or a terminal's signal to the whole group must not end first; the channel's end
// does. Writing past a limit on file sizes, or to a pipe that nobody reads, is an error and not a death.
void ignore_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGXFSZ, SIGPIPE}) std::signal(number, SIG_IGN);
}

// What `--help` or `--version` alone ask for; nothing: they do not.
const char* asked_text(int argc, char** argv) {
  if (argc != 2) return nullptr;
  if (std::strcmp(argv[1], "--help") == 0) return kUsage;
  return std::strcmp(argv[1], "--version") == 0 ? "weft-worker " WEFT_VERSION "\n" : nullptr;
}

int list_devices(bool text) {
  const internal::v1::DeviceList list = worker::list_all_devices();
  if (text) {
    std::cout << worker::as_text(list) << std::flush;
  } else {
    list.SerializeToOstream(&std::cout);
    std::cout.flush();
  }
  return std::cout.good() ? worker::kExitDone : 1;
}

// Beside the modules of kernels.
std::string folder_of_tables() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : (program.parent_path().parent_path() / "lib" / "weft" / "tuning").string();
}

// Drivers keep what they compile, by default in the user's home, where a worker may not write.
void move_caches(const std::string& cache_folder) {
  if (cache_folder.empty()) return;
  ::setenv("XDG_CACHE_HOME", cache_folder.c_str(), 0);
  ::setenv("CUDA_CACHE_PATH", (cache_folder + "/cuda").c_str(), 0);
}

// Before any thread, and before any file of a stranger. What cannot be given up, a sentence each.
std::vector<std::string> give_up_rights(const Arguments& arguments) {
  const bool computing = arguments.probe || arguments.session.device_id == "cpu";
  const std::string& cache_folder = arguments.session.open.cache_folder;
  move_caches(cache_folder);
  std::vector<std::string> lacking;
  const auto note = [&lacking](const Status& status) {
    if (!status.ok()) lacking.push_back(message_of(status));
  };
  note(worker::end_first_without_memory());
  static std::unique_ptr<worker::FolderProcess> folders;  // as long as the process
  auto started = worker::FolderProcess::start(arguments.probe ? worker::kFolderCallsOfProbe
                                                              : worker::kFolderCallsOfDevice);
  if (started.ok()) {
    folders = *std::move(started);
    media::use_folder_calls(folders.get());
  } else {
    note(started.status());
  }
  if (arguments.memory_bytes > 0) note(worker::limit_memory(arguments.memory_bytes));
  for (std::string& each : worker::confine(
           computing ? worker::Confinement::kComputing : worker::Confinement::kDevice, cache_folder))
    lacking.push_back(std::move(each));
  for (const std::string& each : lacking)
    log_warning("The worker is less confined than it should be. {}", each);
  return lacking;
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* text = asked_text(argc, argv)) {
    std::fputs(text, stdout);
    return worker::kExitDone;
  }
  std::optional<Arguments> arguments = parse(argc, argv);
  if (!arguments.has_value()) {
    std::fputs(kUsage, stderr);
    return kExitUsage;
  }
  const Status log = start_log({.program = "weft-worker",
                                .level = arguments->log_level,
                                .format = arguments->log_format,
                                .device = arguments->session.device_id});
  if (!log.ok()) {
    std::fprintf(stderr, "weft-worker: %s\n", message_of(log).c_str());
    return kExitUsage;
  }
  if (arguments->list_devices) return list_devices(arguments->text);

  arguments->session.shipped_tables = folder_of_tables();
  if (arguments->unconfined) return worker::run_foreground_job(arguments->job, arguments->session);

  ignore_signals();
  arguments->session.not_confined = give_up_rights(*arguments);
  ::fcntl(arguments->channel, F_SETFD, FD_CLOEXEC);
  channel::Channel channel{channel::FileDescriptor(arguments->channel)};
  return arguments->probe ? worker::run_probe_session(channel)
                          : worker::run_device_session(channel, arguments->session);
}
