// SPDX-License-Identifier: Apache-2.0
// Shows the main window: banner about connections, tree of servers and the selected view.
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
  // Returns the names of the views for show_view(): "jobs", "devices", "submit", "statistics",
  // "compare", "benchmarks".
  QStringList views() const;
  // Shows a view. Returns false for an unknown name.
  bool show_view(const QString& name);
  // Returns true if no requested data is pending.
  bool is_settled() const;

  // Restores the window's state, and saves later changes soon after they occur. If `servers` is
  // false, the servers belong to this run only, and the stored servers are neither read nor
  // changed.
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
  bool is_restored_ = false;  // true: later changes are made by the user and saved
  QTimer saving_;             // saves a change when it expires
};

}  // namespace weft::gui
