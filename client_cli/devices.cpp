// SPDX-License-Identifier: Apache-2.0
// weft devices [--watch]: the machine's devices and what they do.
#include "client/devices.h"

#include "client_cli/commands.h"
#include "client_cli/exit_codes.h"
#include "client_cli/table.h"
#include "client_cli/text.h"
#include "options/option.h"

namespace weft::cli {
namespace {

Colour device_colour(v1::DeviceState state) {
  switch (state) {
    case v1::DEVICE_STATE_IN_SERVICE:
      return Colour::kGreen;
    case v1::DEVICE_STATE_OUT_OF_SERVICE:
      return Colour::kRed;
    case v1::DEVICE_STATE_TAKEN:
    case v1::DEVICE_STATE_DRAINING:
    case v1::DEVICE_STATE_DRAINED:
      return Colour::kYellow;
    default:
      return Colour::kNone;
  }
}

double busy_percent(const v1::DeviceSample& sample) {
  const double interval = seconds_of(sample.interval());
  return interval > 0 ? std::min(100.0, 100 * seconds_of(sample.busy()) / interval) : 0;
}

std::string format_devices(const Context& context, const v1::ListDevicesResponse& answer) {
  Table table({{"ID"},
               {"STATE"},
               {"BUSY", Align::kRight},
               {"JOBS", Align::kRight},
               {"MEMORY", Align::kRight},
               {"NAME"}});
  std::string reasons;
  for (const v1::Device& device : answer.devices()) {
    const std::string memory = device.memory_bytes() > 0 ? format_bytes(device.memory_bytes()) : "-";
    table.add({{device.id()},
               {options::choice_name(device.state()), device_colour(device.state())},
               {device.has_sample() ? fmt::format("{:.0f}%", busy_percent(device.sample())) : "-"},
               {std::to_string(device.job_ids_size())},
               {memory},
               {device.name()}});
    if (!device.reason().empty()) reasons += fmt::format("{}: {}\n", device.id(), device.reason());
  }
  std::string text = table.format(context.out) + reasons;
  for (const std::string& note : answer.notes()) text += note + "\n";
  return text;
}

int list(const Context& context, client::Devices& devices) {
  const auto answer = devices.list();
  if (!answer.ok()) return context.fail(answer.status());
  if (context.json)
    context.print_json(*answer);
  else
    context.print(format_devices(context, *answer));
  return kExitDone;
}

std::string format_streams(const v1::DeviceSample& sample) {
  std::string text;
  for (const v1::StreamSample& stream : sample.streams())
    text += fmt::format("    stream {} ({}, {}): {} pictures, latency {:.2f} ms, p99 {:.2f} ms, {} missed\n",
                        stream.stream(), options::choice_name(stream.stream_class()), stream.owner(),
                        stream.report().pictures_out(), seconds_of(stream.report().latency_p50()) * 1000,
                        seconds_of(stream.report().latency_p99()) * 1000, stream.report().missed());
  return text;
}

int watch(const Context& context, client::Devices& devices) {
  const auto print = [&](const v1::Device& device) {
    const v1::DeviceSample& sample = device.sample();
    if (context.json)
      context.print_json(device);
    else
      context.print(
          fmt::format("{}  {:<10} {:<12} {:>3.0f}% busy  {:>9} used  batch {:>3}  {:>9.2f} units/s\n",
                      format_time(sample.time()), device.id(), options::choice_name(device.state()),
                      busy_percent(sample), format_bytes(sample.memory_used_bytes()),
                      sample.last_batch_units(), sample.units_per_second()) +
          format_streams(sample));
    return true;
  };
  const Status status = devices.watch({}, print);
  return status.ok() ? int(kExitDone) : context.fail(status);
}

int run(const Context& context, bool watching) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Devices devices(*connection);
  return watching ? watch(context, devices) : list(context, devices);
}

}  // namespace

void add_devices(Command& root, Context& context) {
  const auto watching = std::make_shared<bool>(false);
  Command& command = root.add("devices", "Shows the machine's devices and what they do.");
  command.flag("--watch", *watching, "A line a device and sample, until Ctrl-C.");
  command.run = [&context, watching] { return run(context, *watching); };
}

}  // namespace weft::cli
