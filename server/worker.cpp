// SPDX-License-Identifier: Apache-2.0
// Runs weft-worker, which weftd starts: the process owns one device, or probes files. With --job it
// runs one job without a daemon, for debuggers.
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
#include "base/thread_share.h"
#include "server/channel/channel.h"
#include "server/media/folder_calls.h"
#include "server/worker/confine.h"
#include "server/worker/device/device_properties.h"
#include "server/worker/device/device_tuning.h"
#include "server/worker/device/presence_watch.h"
#include "server/worker/folder_process.h"
#include "server/worker/foreground_job.h"
#include "server/worker/memory_limit.h"
#include "server/worker/scratch_folder.h"
#include "server/worker/session.h"

namespace {

using namespace weft;

constexpr int kExitUsage = 2;

constexpr const char* kUsage =
    "usage: weft-worker --list-devices [--text]\n"
    "       weft-worker --device ID --channel FD [--cpu-threads N] [--cache FOLDER]\n"
    "                   [--foreign MODE] [--tuning MODE] [--segments-at-once N]\n"
    "                   [--cpu-affinity LIST]\n"
    "       weft-worker --probe --channel FD [--memory BYTES]\n"
    "       weft-worker --job FILE --unconfined [--device ID] [--cpu-threads N] [--cache FOLDER]\n"
    "                   [--tuning MODE] [--segments-at-once N]\n"
    "       weft-worker --help | --version\n"
    "Every form but the last takes --log-level LEVEL and --log-format text|journal|json.\n";

struct Arguments {
  bool list_devices = false;
  bool text = false;
  bool probe = false;
  std::string job;  // path of the order to run in the foreground
  bool unconfined = false;
  int channel = -1;
  int64_t memory_bytes = 0;  // 0: no limit
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
  kExternalLoad,
  kTuning,
  kSegments,
  kAffinity,
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
                               {"foreign", required_argument, nullptr, kExternalLoad},
                               {"tuning", required_argument, nullptr, kTuning},
                               {"segments-at-once", required_argument, nullptr, kSegments},
                               {"cpu-affinity", required_argument, nullptr, kAffinity},
                               {"log-level", required_argument, nullptr, kLevel},
                               {"log-format", required_argument, nullptr, kFormat},
                               {nullptr, 0, nullptr, 0}};

// Returns OK if the arguments are a valid command line. Only a worker without a daemon, which runs
// one job, may be unconfined.
Status check_form(const Arguments& arguments) {
  const bool has_channel = arguments.channel >= 0, has_device = !arguments.session.device_id.empty();
  if (arguments.memory_bytes > 0 && !arguments.probe)
    return invalid_argument("--memory ({}) limits --probe alone; leave it out.", arguments.memory_bytes);
  if (!arguments.job.empty() && !arguments.unconfined)
    return invalid_argument(
        "A job without a daemon ({}) runs without confinement; add --unconfined to accept this.",
        arguments.job);
  if (arguments.job.empty() && arguments.unconfined)
    return invalid_argument("--unconfined runs one job alone; name its file with --job FILE.");
  if (arguments.unconfined && (has_channel || arguments.list_devices || arguments.probe))
    return invalid_argument("--job takes neither --channel, --list-devices nor --probe; leave them out.");
  if (arguments.unconfined) return ok_status();
  const int forms = int(arguments.list_devices) + int(arguments.probe) + int(has_device);
  if (forms != 1)
    return invalid_argument("Give one of --list-devices, --device, --probe and --job ({} are given).", forms);
  if (has_channel == arguments.list_devices)
    return invalid_argument("--channel is needed with --device and --probe, and with nothing else.");
  return ok_status();
}

Status no_number(std::string_view flag) {
  return invalid_argument("{} ({}) is not a whole number from 0 on; give one.", flag, optarg);
}

// Parses the command line. INVALID_ARGUMENT: the message contains the option and the value.
StatusOr<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  ::opterr = 0;
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
        if (!bytes.has_value()) return no_number("--memory");
        arguments.memory_bytes = *bytes;
        break;
      }
      case kThreads: {
        const std::optional<int> threads = number_in(optarg);
        if (!threads.has_value()) return no_number("--cpu-threads");
        arguments.session.open.cpu_threads = *threads;
        break;
      }
      case kCache:
        arguments.session.open.cache_folder = optarg;
        break;
      case kExternalLoad: {
        const std::optional<schedule::ExternalLoadMode> mode = worker::external_load_mode(optarg);
        if (!mode.has_value())
          return invalid_argument("--foreign cannot be '{}'; use yield or share.", optarg);
        arguments.session.external_load = *mode;
        break;
      }
      case kTuning: {
        arguments.session.uses_tables = std::string_view(optarg) == "on";
        if (!arguments.session.uses_tables && std::string_view(optarg) != "off")
          return invalid_argument("--tuning cannot be '{}'; use on or off.", optarg);
        break;
      }
      case kSegments: {
        const std::optional<int> segments = number_in(optarg);
        if (!segments.has_value()) return no_number("--segments-at-once");
        arguments.session.segments_at_once = *segments;
        break;
      }
      case kAffinity: {
        ASSIGN_OR_RETURN(arguments.session.processors, parse_processors(optarg));
        break;
      }
      case kLevel:
        arguments.log_level = optarg;
        break;
      case kFormat: {
        const std::optional<LogFormat> format = log_format(optarg);
        if (!format.has_value())
          return invalid_argument("--log-format cannot be '{}'; use text, journal or json.", optarg);
        arguments.log_format = *format;
        break;
      }
      default:
        return invalid_argument("The option '{}' is unknown or lacks its value.", argv[optind - 1]);
    }
  }
  if (optind != argc)
    return invalid_argument("There is no place for the word '{}'; leave it out.", argv[optind]);
  RETURN_IF_ERROR(check_form(arguments));
  return arguments;
}

// Ignores signals that a service manager or terminal sends to the whole group: the daemon drains
// its workers, and the end of the channel ends them. Also ignores SIGXFSZ and SIGPIPE, so that file
// size limits and closed pipes cause errors instead.
void ignore_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGXFSZ, SIGPIPE}) std::signal(number, SIG_IGN);
}

// Returns the text of `--help` or `--version`, or null if neither is requested.
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

// Returns the folder of the shipped tables, which lies in that of the kernels' modules, or an empty
// string if it is unknown.
std::string folder_of_tables() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : (program.parent_path().parent_path() / "lib" / "weft" / "tuning").string();
}

// Moves the compilation caches of drivers from the user's home, to which a worker may not write.
void move_caches(const std::string& cache_folder) {
  if (cache_folder.empty()) return;
  ::setenv("XDG_CACHE_HOME", cache_folder.c_str(), 0);
  ::setenv("CUDA_CACHE_PATH", (cache_folder + "/cuda").c_str(), 0);
}

// Returns null if there is no place for the folder; jobs that need it then fail.
std::unique_ptr<worker::ScratchFolder> make_scratch(const std::string& cache_folder) {
  auto scratch = worker::ScratchFolder::make(cache_folder);
  if (scratch.ok()) return *std::move(scratch);
  log_warning("The worker has no folder for files of libraries. {}", message_of(scratch.status()));
  return nullptr;
}

// Drops privileges, before any thread starts and any untrusted file is opened. Makes the scratch
// folder. Returns a sentence for each privilege that cannot be dropped.
std::vector<std::string> give_up_rights(const Arguments& arguments,
                                        std::unique_ptr<worker::ScratchFolder>& scratch) {
  const bool computing = arguments.probe || arguments.session.device_id == "cpu";
  const std::string& cache_folder = arguments.session.open.cache_folder;
  move_caches(cache_folder);
  std::vector<std::string> lacking;
  const auto note = [&lacking](const Status& status) {
    if (!status.ok()) lacking.push_back(message_of(status));
  };
  note(worker::end_first_without_memory());
  static std::unique_ptr<worker::FolderProcess> folders;  // exists until the process ends
  auto started = worker::FolderProcess::start(arguments.probe ? worker::kFolderCallsOfProbe
                                                              : worker::kFolderCallsOfDevice);
  if (started.ok()) {
    folders = *std::move(started);
    media::use_folder_calls(folders.get());
  } else {
    note(started.status());
  }
  if (arguments.memory_bytes > 0) note(worker::limit_memory(arguments.memory_bytes));
  // The folder's lock is not inherited by the process that was started above.
  if (!arguments.probe) scratch = make_scratch(cache_folder);
  for (std::string& each :
       worker::confine(computing ? worker::Confinement::kComputing : worker::Confinement::kDevice,
                       cache_folder, scratch != nullptr ? scratch->path() : ""))
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
  StatusOr<Arguments> arguments = parse(argc, argv);
  if (!arguments.ok()) {
    std::fprintf(stderr, "weft-worker: %s `weft-worker --help` shows the usage.\n",
                 message_of(arguments.status()).c_str());
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
  std::unique_ptr<worker::ScratchFolder> scratch;
  if (arguments->unconfined) {
    scratch = make_scratch(arguments->session.open.cache_folder);
    if (scratch != nullptr) arguments->session.scratch_folder = scratch->path();
    return worker::run_foreground_job(arguments->job, arguments->session);
  }

  ignore_signals();
  arguments->session.not_confined = give_up_rights(*arguments, scratch);
  if (scratch != nullptr) arguments->session.scratch_folder = scratch->path();
  ::fcntl(arguments->channel, F_SETFD, FD_CLOEXEC);
  channel::Channel channel{channel::FileDescriptor(arguments->channel)};
  return arguments->probe ? worker::run_probe_session(channel)
                          : worker::run_device_session(channel, arguments->session);
}
