// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/device_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "client_gui/models/text.h"
#include "client_gui/texts/declared.h"
#include "options/option.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {
namespace {

struct DeviceText {
  Q_DECLARE_TR_FUNCTIONS(DeviceText)
};

}  // namespace

QString name_of(v1::DeviceState state) { return choice_text(options::choice_name(state)); }

QString name_of(TimePart part) {
  switch (part) {
    case TimePart::kRealtime:
      return DeviceText::tr("realtime");
    case TimePart::kNormal:
      return DeviceText::tr("normal");
    case TimePart::kSpare:
      return DeviceText::tr("spare");
    case TimePart::kExternalLoad:
      return DeviceText::tr("other programs");
    case TimePart::kIdle:
      break;
  }
  return DeviceText::tr("idle");
}

QString help_of(TimePart part) {
  switch (part) {
    case TimePart::kRealtime:
      return DeviceText::tr("Frames of streams with deadlines.");
    case TimePart::kNormal:
      return DeviceText::tr("Jobs of class normal and streams without deadlines.");
    case TimePart::kSpare:
      return DeviceText::tr("Jobs of class spare, which use idle time only.");
    case TimePart::kExternalLoad:
      return DeviceText::tr("Other programs, as reported by the driver.");
    case TimePart::kIdle:
      break;
  }
  return DeviceText::tr("No work on the device.");
}

double share_of(const DeviceSampleRow& sample, TimePart part) {
  switch (part) {
    case TimePart::kRealtime:
      return sample.realtime;
    case TimePart::kNormal:
      return sample.normal;
    case TimePart::kSpare:
      return sample.spare;
    case TimePart::kExternalLoad:
      return sample.external_load;
    case TimePart::kIdle:
      break;
  }
  return std::max(0.0, 1 - sample.realtime - sample.normal - sample.spare - sample.external_load);
}

QString words_of(const DeviceSampleRow& sample) {
  QStringList words;
  for (const TimePart part : kTimeParts)
    words.push_back(QStringLiteral("%1 %2").arg(name_of(part), percent(share_of(sample, part))));
  return words.join(QStringLiteral(", "));
}

std::optional<double> spare_used(const DeviceSampleRow& sample) {
  if (sample.left <= 0) return std::nullopt;
  return std::min(1.0, (sample.normal + sample.spare) / sample.left);
}

QString spare_text(const std::optional<DeviceSampleRow>& now, const std::optional<DeviceSampleRow>& span,
                   double span_seconds) {
  const std::optional<double> used = now ? spare_used(*now) : std::nullopt;
  const std::optional<double> usual = span ? spare_used(*span) : std::nullopt;
  if (!used || !usual) return {};
  return DeviceText::tr("%1 of idle time used (%2 in %3)")
      .arg(percent(*used), percent(*usual), age_text(span_seconds));
}

QString name_of_limit(const QString& limited_by) {
  if (limited_by == QLatin1String("decoding")) return DeviceText::tr("decoding");
  if (limited_by == QLatin1String("copying")) return DeviceText::tr("copying to the device");
  if (limited_by == QLatin1String("device")) return DeviceText::tr("the device");
  if (limited_by == QLatin1String("encoding")) return DeviceText::tr("encoding");
  if (limited_by == QLatin1String("disk")) return DeviceText::tr("the disk");
  return limited_by;  // a name that only a newer daemon uses
}

QString info_of(const DeviceRow& device, const QStringList& limits) {
  QStringList properties;
  if (device.sample && device.sample->budget > 0) {
    const double used = device.sample->normal + device.sample->spare;
    properties.push_back(
        DeviceText::tr("time available to jobs %1, used %2")
            .arg(percent(device.sample->budget), percent(std::min(1.0, used / device.sample->budget))));
  }
  if (device.sample) {
    properties.push_back(DeviceText::tr("batch size %1").arg(device.last_batch));
    properties.push_back(DeviceText::tr("%1 units/s").arg(device.rate, 0, 'f', 1));
  }
  properties.push_back(DeviceText::tr("jobs %1").arg(device.jobs));
  QStringList names;
  for (const QString& limit : limits) names.push_back(name_of_limit(limit));
  if (!names.empty())
    properties.push_back(DeviceText::tr("waiting for %1").arg(names.join(QStringLiteral(", "))));
  if (device.load > 0)
    properties.push_back(
        DeviceText::tr("reserved for streams and other programs: %1").arg(percent(device.load)));
  if (device.worker_starts > 1)
    properties.push_back(DeviceText::tr("worker started %1 times").arg(device.worker_starts));
  return properties.join(QStringLiteral(" · "));
}

QString memory_text(const DeviceRow& device) {
  if (device.memory_bytes <= 0) return {};
  if (!device.sample) return bytes_text(device.memory_bytes);
  const QString text =
      DeviceText::tr("%1 of %2").arg(bytes_text(device.memory_used_bytes), bytes_text(device.memory_bytes));
  return device.total_memory_used_bytes < 0
             ? text
             : DeviceText::tr("%1, all programs %2").arg(text, bytes_text(device.total_memory_used_bytes));
}

QString percent(double part) { return QStringLiteral("%1%").arg(100 * part, 0, 'f', 0); }

QString milliseconds_text(double seconds) {
  if (seconds >= 10) return DeviceText::tr("%1 s").arg(seconds, 0, 'f', 0);
  return DeviceText::tr("%1 ms").arg(1000 * seconds, 0, 'f', seconds >= 0.1 ? 0 : 1);
}

}  // namespace weft::gui
