// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/decision_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "client_gui/texts/declared.h"

namespace weft::gui {
namespace {

struct DecisionText {
  Q_DECLARE_TR_FUNCTIONS(DecisionText)
};

constexpr int kSectionDecimals = 2;
constexpr double kAxisSteps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,   2,    5,    10,
                                 15,   30,   60,   120, 300, 600, 900, 1800, 3600, 7200};

}  // namespace

QString term_text(const QString& name) { return choice_text(name.toStdString()); }

QString value_number(double value) { return QString::number(value, 'g', 4); }

QString position_text(double seconds, int decimals) {
  const auto parts = qint64(std::llround(std::pow(10, decimals)));
  const auto all = qint64(std::llround(seconds * double(parts)));
  const qint64 whole = all / parts;
  QString text = QStringLiteral("%1:%2:%3")
                     .arg(whole / 3600)
                     .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
                     .arg(whole % 60, 2, 10, QLatin1Char('0'));
  if (decimals > 0) text += QStringLiteral(".%1").arg(all % parts, decimals, 10, QLatin1Char('0'));
  return text;
}

std::vector<double> shares_of(const DecisionRow& decision) {
  std::vector<double> shares(size_t(decision.kinds.size()));
  int64_t frames = 0;
  for (const DecisionSectionRow& section : decision.sections) {
    shares[size_t(section.kind)] += double(section.frames);
    frames += section.frames;
  }
  for (double& share : shares) share /= double(std::max<int64_t>(frames, 1));
  return shares;
}

QString share_text(double share) { return QStringLiteral("%1%").arg(100 * share, 0, 'f', 1); }

QString words_of_section(const DecisionRow& decision, const DecisionSectionRow& section) {
  QStringList words;
  words +=
      DecisionText::tr("%1 to %2", "two times")
          .arg(position_text(section.begin, kSectionDecimals), position_text(section.end, kSectionDecimals));
  words += section.frames == 1 ? DecisionText::tr("frame %1").arg(section.first_frame)
                               : DecisionText::tr("frames %1 to %2")
                                     .arg(section.first_frame)
                                     .arg(section.first_frame + section.frames - 1);
  words += term_text(decision.kinds[section.kind]);
  for (size_t i = 0; i < decision.series.size(); i++)
    words += DecisionText::tr("%1 %2", "name and value")
                 .arg(term_text(decision.series[i].name), value_number(section.values[i]));
  return words.join(DecisionText::tr(", ", "between the parts of a list"));
}

std::pair<double, double> axis_ends(const DecisionRow& decision, size_t series) {
  std::vector<double> values;
  for (const DecisionSectionRow& section : decision.sections) values.push_back(section.values[series]);
  if (values.empty()) return {0, 1};
  std::ranges::sort(values);
  // `end` is the extreme value, and a 20th of the values exceed that of `index`.
  const auto bound = [&](double end, size_t index) {
    const double typical = 2 * values[index];
    if (typical * end <= 0) return end;
    return end < 0 ? std::max(end, typical) : std::min(end, typical);
  };
  const size_t few = values.size() / 20;
  const double least = std::min(0.0, bound(values.front(), few));
  const double most = std::max(0.0, bound(values.back(), values.size() - 1 - few));
  return {least, least < most ? most : least + 1};
}

double axis_step(double least) {
  const auto* step = std::ranges::lower_bound(kAxisSteps, least);
  return step == std::end(kAxisSteps) ? *std::prev(step) * std::ceil(least / *std::prev(step)) : *step;
}

QString axis_text(double seconds, double step) {
  return position_text(seconds, step >= 1 ? 0 : step >= 0.1 ? 1 : 2);
}

}  // namespace weft::gui
