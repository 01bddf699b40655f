// SPDX-License-Identifier: Apache-2.0
// weft devices [DEVICE...] [--watch]: the machine's devices and their load.
#include "client/devices.h"

#include <algorithm>
#include <map>
#include <utility>

#include "client/device_text.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"
#include "options/option.h"

namespace weft::cli {
namespace {

double busy_percent(const v1::DeviceSample& sample) {
  const double interval = seconds_of(sample.interval());
  return interval > 0 ? std::min(100.0, 100 * seconds_of(sample.busy()) / interval) : 0;
}

// Returns the line with the code of a device's kernels.
std::string format_code(const v1::DeviceStatus& device) {
  const std::string first_load =
      device.has_first_load()
          ? fmt::format("; the first kernel loaded in {:.0f} ms", 1000 * seconds_of(device.first_load()))
          : "";
  return fmt::format("{}: {}{}\n", device.id(), printable(device.kernel_code()), first_load);
}

std::string format_devices(const CommandContext& context, const v1::ListDevicesResponse& answer) {
  std::vector<Table::Column> columns{{"ID"},
                                     {"STATE"},
                                     {"BUSY", Align::kRight},
                                     {"JOBS", Align::kRight},
                                     {"STREAMS", Align::kRight},
                                     {"MEMORY", Align::kRight},
                                     {"NAME"}};
  const auto readings_of = [](const v1::DeviceStatus& device) {
    return client::format_readings(device.sample().readings());
  };
  if (std::any_of(answer.devices().begin(), answer.devices().end(),
                  [&](const v1::DeviceStatus& device) { return !readings_of(device).empty(); }))
    columns.push_back({"HARDWARE"});
  Table table(std::move(columns));
  std::string reasons, codes;
  std::map<std::string, std::vector<std::string>> not_confined;  // devices by sentence
  for (const v1::DeviceStatus& device : answer.devices()) {
    std::string memory = device.memory_bytes() > 0 ? format_bytes(device.memory_bytes()) : "-";
    if (device.has_memory_free_bytes())
      memory += fmt::format(", {} free", format_bytes(device.memory_free_bytes()));
    table.add({{device.id()},
               {options::choice_name(device.state()), state_colour(device.state())},
               {device.has_sample() ? fmt::format("{:.0f}%", busy_percent(device.sample())) : "-"},
               {std::to_string(device.job_ids_size())},
               {std::to_string(device.streams())},
               {memory},
               {device.name()},
               {readings_of(device)}});
    if (!device.reason().empty()) reasons += fmt::format("{}: {}\n", device.id(), printable(device.reason()));
    if (device.encoder_session_limit() > 0)
      reasons += fmt::format("{}: running jobs have {} of {} encoder sessions\n", device.id(),
                             device.encoder_sessions(), device.encoder_session_limit());
    if (!device.kernel_code().empty()) codes += format_code(device);
    for (const std::string& lacking : device.not_confined()) not_confined[lacking].push_back(device.id());
  }
  std::string text = table.format(context.out) + reasons + codes;
  for (const auto& [lacking, ids] : not_confined)
    text += fmt::format("{}: not fully confined: {}\n", fmt::join(ids, ", "), printable(lacking));
  for (const std::string& note : answer.notes()) text += printable(note) + "\n";
  return text;
}

// Returns all, or those with these ids, which must exist.
StatusOr<v1::ListDevicesResponse> devices_of(client::Devices& devices, const std::vector<std::string>& ids) {
  ASSIGN_OR_RETURN(v1::ListDevicesResponse answer, devices.list());
  if (ids.empty()) return answer;
  std::vector<std::string> known;
  for (const v1::DeviceStatus& device : answer.devices()) known.push_back(device.id());
  for (const std::string& id : ids)
    if (std::ranges::find(known, id) == known.end())
      return not_found("There is no device '{}'; there are: {}.", id, fmt::join(known, ", "));
  const auto others = std::remove_if(
      answer.mutable_devices()->begin(), answer.mutable_devices()->end(),
      [&](const v1::DeviceStatus& device) { return std::ranges::find(ids, device.id()) == ids.end(); });
  answer.mutable_devices()->erase(others, answer.mutable_devices()->end());
  answer.clear_notes();
  return answer;
}

int list(const CommandContext& context, client::Devices& devices, const std::vector<std::string>& ids) {
  const auto answer = devices_of(devices, ids);
  if (!answer.ok()) return context.fail(answer.status());
  if (context.json)
    context.print_json(*answer);
  else
    context.print(format_devices(context, *answer));
  return kExitDone;
}

std::string format_streams(const v1::DeviceSample& sample) {
  std::string text;
  for (const v1::StreamSample& stream : sample.streams()) {
    text += fmt::format("    stream {} ({}, {}): {}, latency {:.2f} ms, p99 {:.2f} ms, {} missed",
                        stream.stream(), options::choice_name(stream.stream_class()),
                        printable(stream.owner()), format_count(stream.report().pictures_out(), "picture"),
                        seconds_of(stream.report().latency_p50()) * 1000,
                        seconds_of(stream.report().latency_p99()) * 1000, stream.report().missed());
    if (stream.reserved() > 0)
      text += fmt::format(", {:.0f}% of the device kept free for it", 100 * stream.reserved());
    text += "\n";
  }
  return text;
}

std::string format_sample(const v1::DeviceStatus& device) {
  const v1::DeviceSample& sample = device.sample();
  std::string text = fmt::format(
      "{}  {:<10} {:<12} {:>3.0f}% busy  {:>9} used  batch {:>3}  {:>9.2f} units/s",
      device.has_sample() ? format_time(sample.time()) : fmt::format("{:<19}", "no sample yet"), device.id(),
      options::choice_name(device.state()), busy_percent(sample), format_bytes(sample.memory_used_bytes()),
      sample.last_batch_units(), sample.units_per_second());
  const v1::ScheduleSample& schedule = sample.schedule();
  if (schedule.frames() > 0)
    text +=
        fmt::format("  {}, {} late; spare {:.0f} ms, used {:.0f}", format_count(schedule.frames(), "frame"),
                    schedule.misses(), 1000 * seconds_of(schedule.spare()),
                    1000 * (seconds_of(schedule.normal_busy()) + seconds_of(schedule.spare_busy())));
  if (const std::string readings = client::format_readings(sample.readings()); !readings.empty())
    text += "  " + readings;
  text += "\n" + format_streams(sample);
  for (const v1::StarvingJob& job : schedule.starving())
    text += fmt::format("    job {} waits: a unit takes {:.2f} ms and would make frames late\n", job.job_id(),
                        1000 * seconds_of(job.unit()));
  return text;
}

// A line for each, times in milliseconds; "-" if absent.
std::string format_decisions(const v1::DeviceStatus& device) {
  const auto time = [](bool is_there, const google::protobuf::Duration& duration) {
    return is_there ? fmt::format("{:.3f}", 1000 * seconds_of(duration)) : "-";
  };
  std::string text;
  for (const v1::ScheduleDecision& decision : device.sample().schedule().decisions()) {
    const std::string what = decision.units() == 0 ? "nothing starts"
                                                   : fmt::format("{} of {}", decision.units(),
                                                                 options::choice_name(decision.work_class()));
    text += fmt::format(
        "  {}  {:<14} {:<16} gap {} budget {} spare {} predicted {} real {} ms\n",
        format_rfc3339(decision.time()), decision.reason(), what, time(decision.has_gap(), decision.gap()),
        time(decision.has_budget(), decision.budget()), time(decision.has_spare(), decision.spare()),
        time(decision.has_predicted(), decision.predicted()), time(decision.has_real(), decision.real()));
  }
  if (const int64_t more = device.sample().schedule().decisions_left_out(); more > 0)
    text += fmt::format("  ... and {} before them\n", more);
  return text;
}

int watch(const CommandContext& context, client::Devices& devices, const std::vector<std::string>& ids,
          bool decisions) {
  if (!ids.empty()) {
    const auto there = devices_of(devices, ids);
    if (!there.ok()) return context.fail(there.status());
  }
  std::map<std::string, double>
      last_sample_time;  // the time of each device's last sample: a change brings the same again
  const auto is_new = [&last_sample_time](const v1::DeviceStatus& device) {
    const double time = seconds_of(device.sample().time());
    return std::exchange(last_sample_time[device.id()], time) != time;
  };
  const auto print = [&](const v1::DeviceStatus& device) {
    if (context.json)
      context.print_json(device);
    else
      context.print(format_sample(device) + (decisions && is_new(device) ? format_decisions(device) : ""));
    return true;
  };
  const Status status = devices.watch(ids, print);
  return status.ok() ? int(kExitDone) : context.fail(status);
}

int run(const CommandContext& context, const std::vector<std::string>& ids, bool watching, bool decisions) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Devices devices(*connection);
  return watching || decisions ? watch(context, devices, ids, decisions) : list(context, devices, ids);
}

}  // namespace

void add_devices(Command& root, CommandContext& context) {
  const auto ids = std::make_shared<std::vector<std::string>>();
  const auto watching = std::make_shared<bool>(false);
  const auto decisions = std::make_shared<bool>(false);
  Command& command = root.add("devices", "Shows the machine's devices and their load.");
  command.words("DEVICE", *ids, "Only this device: cpu, cuda:0, vulkan:0 ...")
      .completed_by(Values::Kind::kDevice);
  command.flag("--watch", *watching, "Print a line for each device and sample until Ctrl-C.");
  command.flag(
      "--decisions", *decisions,
      "As --watch, with the scheduler's decisions: started batches and their costs, or the reason for none.");
  command.run = [&context, ids, watching, decisions] { return run(context, *ids, *watching, *decisions); };
}

}  // namespace weft::cli
