// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <array>

#include "client_gui/views/contrast.h"
#include "client_gui/views/outlined_style.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr std::array<const char*, 3> kNames = {"system", "light", "dark"};

struct Shades {
  QRgb window, base, alternate, text, dim, button, highlight, highlighted, link, wrong, outline;
};
constexpr Shades kLightShades = {0xffefeff1, 0xffffffff, 0xfff6f7f9, 0xff1c1e21, 0xff666b74, 0xffe6e7ea,
                                 0xff2f6fd6, 0xffffffff, 0xff1d5fc4, 0xffc4342b, 0xff6f747c};
constexpr Shades kDarkShades = {0xff26282c, 0xff1d1f22, 0xff23262a, 0xffe4e6ea, 0xff9096a0, 0xff33363b,
                                0xff3668b8, 0xffffffff, 0xff7fb0ff, 0xffef6b62, 0xff7d838c};

QPalette palette_of(const Shades& shades) {
  QPalette palette;
  palette.setColor(QPalette::Window, shades.window);
  palette.setColor(QPalette::WindowText, shades.text);
  palette.setColor(QPalette::Base, shades.base);
  palette.setColor(QPalette::AlternateBase, shades.alternate);
  palette.setColor(QPalette::Text, shades.text);
  palette.setColor(QPalette::PlaceholderText, shades.dim);
  palette.setColor(QPalette::Button, shades.button);
  palette.setColor(QPalette::ButtonText, shades.text);
  palette.setColor(QPalette::ToolTipBase, shades.button);
  palette.setColor(QPalette::ToolTipText, shades.text);
  palette.setColor(QPalette::Highlight, shades.highlight);
  palette.setColor(QPalette::HighlightedText, shades.highlighted);
  palette.setColor(QPalette::Link, shades.link);
  palette.setColor(QPalette::BrightText, shades.wrong);
  // Colours of the outlines that the style draws.
  const QColor button(shades.button);
  palette.setColor(QPalette::Light, button.lighter(115));
  palette.setColor(QPalette::Midlight, button.lighter(107));
  palette.setColor(QPalette::Mid, button.darker(125));
  palette.setColor(QPalette::Dark, button.darker(150));
  palette.setColor(QPalette::Shadow, button.darker(250));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, shades.dim);
  return palette;
}

// Returns the desktop's palette with readable texts: the BrightText of a desktop is undefined
// (mostly white), and its colour for help is often too pale.
QPalette with_readable_texts(QPalette palette) {
  const QColor base = palette.color(QPalette::Base), window = palette.color(QPalette::Window);
  const bool dark = palette.color(QPalette::Text).lightness() > base.lightness();
  const QColor help = flattened(palette.color(QPalette::PlaceholderText), base);
  palette.setColor(QPalette::PlaceholderText, readable(help, {base, window}));
  palette.setColor(QPalette::BrightText, readable((dark ? kDarkShades : kLightShades).wrong, {base, window}));
  return palette;
}

}  // namespace

QString name_of(Theme theme) { return QString::fromLatin1(kNames[size_t(theme)]); }

std::optional<Theme> find_theme(const QString& name) {
  for (size_t i = 0; i < kNames.size(); i++)
    if (name == QLatin1String(kNames[i])) return Theme(i);
  return std::nullopt;
}

void apply_theme(Theme theme) {
  static const QString system_style = QApplication::style()->objectName();
  static const QPalette system_palette = QApplication::palette();
  if (theme == Theme::kSystem) {
    QApplication::setStyle(QStyleFactory::create(system_style));
    QApplication::setPalette(with_readable_texts(system_palette));
    return;
  }
  const Shades& shades = theme == Theme::kLight ? kLightShades : kDarkShades;
  QApplication::setStyle(new OutlinedStyle(shades.outline));
  QApplication::setPalette(palette_of(shades));
}

bool is_dark() {
  const QPalette palette = QApplication::palette();
  return palette.color(QPalette::Text).lightness() > palette.color(QPalette::Base).lightness();
}

QColor colour_of(v1::JobState state) {
  const bool dark = is_dark();
  switch (state) {
    case v1::JOB_STATE_RUNNING:
      return QColor(dark ? 0xff5b9bf0 : 0xff2f6fd6);
    case v1::JOB_STATE_SUCCEEDED:
      return QColor(dark ? 0xff5fbf7a : 0xff23874a);
    case v1::JOB_STATE_FAILED:
      return QColor(dark ? 0xffef6b62 : 0xffc4342b);
    case v1::JOB_STATE_PAUSED:
      return QColor(dark ? 0xffe0b04f : 0xffb07a0c);
    case v1::JOB_STATE_CANCELLED:
      return QColor(dark ? 0xffa58acb : 0xff7b5ea7);
    default:
      return QColor(dark ? 0xff9aa1ab : 0xff6a717b);
  }
}

// Colours of Okabe and Ito ("Color Universal Design", 2008), which people with colour blindness can
// distinguish. Their sky blue replaces the blue on dark grounds.
QColor colour_of(TimePart part) {
  const bool dark = is_dark();
  switch (part) {
    case TimePart::kRealtime:
      return QColor(0xff009e73);
    case TimePart::kNormal:
      return QColor(dark ? 0xff56b4e9 : 0xff0072b2);
    case TimePart::kSpare:
      return QColor(0xffe69f00);
    case TimePart::kExternalLoad:
      return QColor(0xffcc79a7);
    case TimePart::kIdle:
      break;
  }
  return QColor(dark ? 0xff3a3e44 : 0xffdfe2e6);
}

QColor colour_of_kind(size_t number) {
  constexpr std::array<TimePart, 3> kParts = {TimePart::kNormal, TimePart::kSpare, TimePart::kRealtime};
  constexpr std::array<QRgb, 2> kMore = {0xffcc79a7, 0xffd55e00};  // reddish purple and vermilion
  const size_t index = number % (kParts.size() + kMore.size());
  return index < kParts.size() ? colour_of(kParts[index]) : QColor(kMore[index - kParts.size()]);
}

// Every theme defines this colour as BrightText.
QColor alarm_colour() { return QApplication::palette().color(QPalette::BrightText); }

}  // namespace weft::gui
