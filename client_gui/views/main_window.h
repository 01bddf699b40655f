// SPDX-License-Identifier: Apache-2.0
// The window: the tree of servers beside the view that was chosen, and above both how it stands with the servers.
#pragma once

#include <QMainWindow>
#include <QTimer>

#include "client_gui/models/fleet.h"
#include "client_gui/views/theme.h"

class QAction;
class QActionGroup;
class QMenu;
class QSplitter;
class QTabWidget;
class QTreeView;

namespace weft::gui {

class Announcements;
class BenchmarksView;
class CompareView;
class DeviceActions;
class DevicesView;
class JobsView;
class Notices;
class StatisticsView;
class SubmitView;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(Fleet& fleet, QWidget* parent = nullptr);

  JobsView& jobs() { return *jobs_; }
  DevicesView& devices() { return *devices_; }
  SubmitView& submit() { return *submit_; }
  StatisticsView& statistics() { return *statistics_; }
  CompareView& compare() { return *compare_; }
  BenchmarksView& benchmarks() { return *benchmarks_; }
  Notices& notices() { return *notices_; }
  Announcements& announcements() { return *announcements_; }
  QTreeView& tree() { return *tree_; }
  // The views by the names that show_view() takes: "jobs", "devices", "submit", "statistics", "compare",
  // "benchmarks".
  QStringList views() const;
  // False: there is no such view.
  bool show_view(const QString& name);
  // Nothing that is to be shown is on its way.
  bool is_settled() const;

  // What a person arranged, from one start to the next: from here on it is saved soon after it changed. The servers too, where
  // `servers` asks for them; else they are of this start alone, and those that were saved stay.
  void restore(bool servers);
  void save() const;
  void set_theme(Theme theme);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void moveEvent(QMoveEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void add_view(QWidget* view, const QString& name, const QString& title);
  void show_counts();
  void make_tree();
  void make_menus();
  void make_view_menu(QMenu& menu);
  void make_language_menu(QMenu& menu);
  void add_server();
  void edit_server(int server);
  void choose_server(const StatusOr<int>& server);
  void remove_server();
  void follow_tree();
  void watch_arrangement();
  void save_soon();
  QModelIndex selected_node() const;

  Fleet& fleet_;
  QTreeView* tree_;
  QTabWidget* tabs_;
  QSplitter* splitter_;
  JobsView* jobs_;
  DevicesView* devices_;
  SubmitView* submit_;
  StatisticsView* statistics_;
  CompareView* compare_;
  BenchmarksView* benchmarks_;
  DeviceActions* device_actions_ = nullptr;
  Announcements* announcements_;
  Notices* notices_;
  QAction* edit_ = nullptr;
  QAction* notify_ = nullptr;
  QAction* remove_ = nullptr;
  QActionGroup* themes_ = nullptr;
  QActionGroup* languages_ = nullptr;
  Theme theme_ = Theme::kSystem;
  bool keeps_servers_ = true;
  bool is_restored_ = false;  // changes are a person's from here on
  QTimer saving_;             // runs while more changes may come
};

}  // namespace weft::gui
