// SPDX-License-Identifier: Apache-2.0
// What the window tells a person in its status bar, so that nothing is overwritten before it was read: one line, with all of it
// in its tool tip.
#pragma once

#include <QTimer>
#include <QWidget>
#include <list>

class QToolButton;

namespace weft::gui {

inline constexpr std::chrono::milliseconds kReadingTime(15000);
inline constexpr size_t kMostAnnouncements = 20;  // that are kept; the oldest goes first

class Announcements : public QWidget {
  Q_OBJECT

 public:
  enum class Weight {
    kConfirmation,  // the next one takes its place
    kRefusal,       // stands for its reading time, whatever else comes
    kFailure        // of work: stands until a person clears it
  };

  explicit Announcements(QWidget* parent = nullptr);

  void say(const QString& text, Weight weight);
  // All that stands there, in the order in which it came.
  QStringList texts() const;
  void clear();

 private:
  struct Line;
  struct Entry {
    QString text;
    Weight weight{};
    qint64 end = 0;  // of its reading time, milliseconds since 1970; 0: none
  };

  void expire();
  void show_entries();

  std::list<Entry> entries_;
  Line* line_;
  QToolButton* clear_;
  QTimer timer_;
};

}  // namespace weft::gui
