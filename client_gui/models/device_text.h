// SPDX-License-Identifier: Apache-2.0
// What devices do, in words.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <optional>

#include "client_gui/connection/values.h"

namespace weft::gui {

// "in service".
QString name_of(v1::DeviceState state);

// Who had a device's time.
enum class TimePart { kRealtime, kNormal, kSpare, kOthers, kIdle };
inline constexpr std::array<TimePart, 5> kTimeParts = {TimePart::kRealtime, TimePart::kNormal,
                                                       TimePart::kSpare, TimePart::kOthers, TimePart::kIdle};

QString name_of(TimePart part);
// A sentence about it.
QString help_of(TimePart part);
// 0 to 1.
double share_of(const DeviceSampleRow& sample, TimePart part);

// "realtime 20%, normal 0%, spare 30%, others 0%, idle 50%".
QString words_of(const DeviceSampleRow& sample);
// The part of the time that streams and other programs left which jobs had, 0 to 1; nothing when there was none.
std::optional<double> spare_used(const DeviceSampleRow& sample);
// "82% of spare time used, over the last 10 min 76%". Empty: nothing is known.
QString spare_text(const std::optional<DeviceSampleRow>& now, const std::optional<DeviceSampleRow>& span,
                   double span_seconds);
// What jobs wait for: "decoding", in the language of the window.
QString name_of_limit(const QString& limited_by);
// "budget 500 ms a second, used 400 ms (80%)", the newest batch, rates, what runs and what that waits for.
QString facts_of(const DeviceRow& device, const QStringList& limits);
// "1.0 GiB of 80.0 GiB, all programs 3.1 GiB".
QString memory_text(const DeviceRow& device);
QString percent(double part);
QString milliseconds_text(double seconds);

}  // namespace weft::gui
