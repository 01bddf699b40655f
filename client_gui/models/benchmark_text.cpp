// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/benchmark_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

#include "base/printable.h"
#include "client/benchmark_plots.h"
#include "client/json.h"
#include "client/text.h"
#include "client_gui/texts/utf8.h"
#include "options/option.h"

namespace weft::gui {
namespace {

struct BenchmarkText {
  Q_DECLARE_TR_FUNCTIONS(BenchmarkText)
};

QString shown_text(const std::string& utf8) { return text(printable(utf8)); }

// Returns the value in units of 10^9.
QString per_second(double value) { return QString::number(value / 1e9, 'f', value < 1e11 ? 1 : 0); }

}  // namespace

QString benchmark_kind() { return QLatin1String(client::kBenchmarkKind); }

QString benchmark_name(v1::BenchmarkName benchmark) { return text(options::choice_name(benchmark)); }

QString time_text(const client::BenchmarkRun& run) {
  const double seconds = client::seconds_of(run.result.conditions().time());
  return QDateTime::fromMSecsSinceEpoch(qint64(seconds * 1000)).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString short_title(const client::BenchmarkRun& run) {
  return QStringLiteral("%1, %2").arg(time_text(run), shown_text(run.result.conditions().device()));
}

QString conditions_text(const client::BenchmarkRun& run) {
  const v1::BenchmarkConditions& on = run.result.conditions();
  QStringList parts = {BenchmarkText::tr("%1: %2", "device, its name")
                           .arg(shown_text(on.device()), shown_text(on.device_name())),
                       shown_text(on.driver())};
  // The CPU has no driver version other than that of Weft.
  const QString version = QStringLiteral("Weft %1").arg(shown_text(on.version()));
  if (!parts.back().startsWith(version)) parts += version;
  if (on.has_graphics_clock_before_mhz())
    parts += BenchmarkText::tr("%1 MHz before, %2 MHz after")
                 .arg(on.graphics_clock_before_mhz())
                 .arg(on.graphics_clock_after_mhz());
  if (on.copy_bytes_per_second() > 0)
    parts += BenchmarkText::tr("copies %1 GB/s").arg(per_second(on.copy_bytes_per_second()));
  if (on.fp32_operations_per_second() > 0)
    parts += BenchmarkText::tr("fp32 %1 GFLOP/s").arg(per_second(on.fp32_operations_per_second()));
  if (on.fp16_tensor_operations_per_second() > 0)
    parts += BenchmarkText::tr("fp16 on tensor cores %1 GFLOP/s")
                 .arg(per_second(on.fp16_tensor_operations_per_second()));
  parts.removeAll(QString());
  QString all = parts.join(QStringLiteral(", "));
  if (on.shared())
    all +=
        '\n' +
        BenchmarkText::tr(
            "Other work ran on the device during the measurement; times are longer than on an idle device.");
  return all;
}

QByteArray file_of(BenchmarkFile type, const BenchmarkRuns& all, const client::BenchmarkRun& run,
                   const client::BenchmarkRun* other) {
  switch (type) {
    case BenchmarkFile::kCsv:
      return QByteArray::fromStdString(client::to_csv(run.result));
    case BenchmarkFile::kJson:
      return QByteArray::fromStdString(client::to_json_answer(run.result) + '\n');
    case BenchmarkFile::kHtml:
      break;
  }
  std::vector<client::BenchmarkRun> runs = {run};
  if (other != nullptr) runs.push_back(*other);
  return QByteArray::fromStdString(client::report_html(all.devices, runs));
}

}  // namespace weft::gui
