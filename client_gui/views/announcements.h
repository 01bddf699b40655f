// SPDX-License-Identifier: Apache-2.0
// Shows messages in the status bar: one line, with the full text in its tool tip. A new message
// does not hide an unread one.
#pragma once

#include <QTimer>
#include <QWidget>
#include <list>

class QToolButton;

namespace weft::gui {

inline constexpr std::chrono::milliseconds kReadingTime(15000);
inline constexpr size_t kMostAnnouncements = 20;  // limit; the oldest message is removed

class Announcements : public QWidget {
  Q_OBJECT

 public:
  enum class Weight {
    kConfirmation,  // replaced by the next confirmation
    kRefusal,       // shown for the reading time
    kFailure        // shown until clear()
  };

  explicit Announcements(QWidget* parent = nullptr);

  void say(const QString& text, Weight weight);
  // Returns all messages in the order of arrival.
  QStringList texts() const;
  void clear();

 private:
  struct Line;
  struct Entry {
    QString text;
    Weight weight{};
    qint64 end = 0;  // end of the reading time, milliseconds since 1970; 0: no end
  };

  void expire();
  void show_entries();

  std::list<Entry> entries_;
  Line* line_;
  QToolButton* clear_;
  QTimer timer_;
};

}  // namespace weft::gui
