// SPDX-License-Identifier: Apache-2.0
// Formats the use of devices as text.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <optional>

#include "client_gui/connection/values.h"

namespace weft::gui {

// Returns the name of a state: "in service".
QString name_of(v1::DeviceState state);

// The classes of device time.
enum class TimePart { kRealtime, kNormal, kSpare, kExternalLoad, kIdle };
inline constexpr std::array<TimePart, 5> kTimeParts = {
    TimePart::kRealtime, TimePart::kNormal, TimePart::kSpare, TimePart::kExternalLoad, TimePart::kIdle};

QString name_of(TimePart part);
// Returns an explanation of the class in one sentence.
QString help_of(TimePart part);
// Returns the class's fraction of the interval, 0 to 1.
double share_of(const DeviceSampleRow& sample, TimePart part);

// Returns the fractions of all classes: "realtime 20%, normal 0%, spare 30%, other programs 0%,
// idle 50%".
QString words_of(const DeviceSampleRow& sample);
// Returns the fraction that jobs used of the time left by realtime streams and other programs, 0 to
// 1. Returns nothing if no time was left.
std::optional<double> spare_used(const DeviceSampleRow& sample);
// Returns the used fraction of idle time: "82% of idle time used (76% in 10 min)". Returns an empty
// string if it is unknown.
QString spare_text(const std::optional<DeviceSampleRow>& now, const std::optional<DeviceSampleRow>& span,
                   double span_seconds);
// Returns the translated name of a job's bottleneck: "decoding".
QString name_of_limit(const QString& limited_by);
// Returns the state of a device's work: "time available to jobs 50%, used 80%", batch size, rates,
// number of running jobs and their bottlenecks (`limits`).
QString info_of(const DeviceRow& device, const QStringList& limits);
// Returns the use of the device's memory: "1.0 GiB of 80.0 GiB, all programs 3.1 GiB".
QString memory_text(const DeviceRow& device);
QString percent(double part);
QString milliseconds_text(double seconds);

}  // namespace weft::gui
