// SPDX-License-Identifier: Apache-2.0
// The servers that are looked at, and the models that they fill.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/status.h"
#include "client_gui/connection/server_connection.h"
#include "client_gui/models/device_records.h"
#include "client_gui/models/jobs_model.h"
#include "client_gui/models/servers_model.h"

namespace weft::gui {

class Fleet : public QObject {
  Q_OBJECT

 public:
  Fleet();
  ~Fleet() override;

  // The server's number, from 1; the number of one that is there already. An error says what is wrong with the place.
  StatusOr<int> add(const ServerPlace& place);
  StatusOr<int> add(const QString& address);
  static Status check(const ServerPlace& place) { return ServerConnection::check(place); }
  // The server is reached there from now on, as another one with another number. With an error nothing changed.
  StatusOr<int> change(int server, const ServerPlace& place);
  void remove(int server);
  std::vector<int> servers() const;
  const ServerPlace& place(int server) const { return places_.at(server); }
  QString address(int server) const { return connections_.at(server)->address(); }
  Link link(int server) const { return connections_.at(server)->link(); }
  void retry_now(int server) { connections_.at(server)->retry_now(); }
  // True when the models hold what every server has, save those that cannot be reached.
  bool is_settled() const;

  // Orders, a job or device each. What becomes of each is told by order_answered().
  void order(int server, const JobCommand& order) { connections_.at(server)->order(order); }
  void order(int server, const DeviceOrder& order) { connections_.at(server)->order(order); }
  // Jobs to be added; submit_answered() tells what becomes of them. NOT_FOUND: the server is no longer looked at.
  Status submit(int server, const SubmitOrder& order);
  // What the server did in the last days, today included: statistics_came() tells.
  void ask_for_statistics(int server, int days) { connections_.at(server)->fetch_statistics(days); }
  // What was measured on the server: benchmarks_came() tells.
  void ask_for_benchmarks(int server) { connections_.at(server)->fetch_benchmarks(); }
  // Pictures of jobs' files, instead of those that were asked for before and have not come: picture_came() tells.
  void ask_for_pictures(int server, std::vector<PictureOrder> orders);
  // One job at a time is looked at closely: detail_came() and log_came() tell of it. An empty id: none.
  void look_at(int server, const QString& id);
  void look_again();  // at the same one

  JobsModel& jobs() { return jobs_; }
  DeviceRecords& devices() { return devices_; }
  ServersModel& tree() { return tree_; }

 signals:
  // A server came, went, or stands otherwise; also as time goes by while one is not live.
  void links_changed();
  // Before the models know of it.
  void jobs_came(int server, const weft::gui::Delivery& delivery);
  void server_left(int server);
  void order_answered(int server, const weft::gui::OrderAnswer& answer);
  void submit_answered(const weft::gui::SubmitAnswer& answer);
  void statistics_came(int server, const weft::gui::Statistics& statistics);
  void benchmarks_came(int server, std::shared_ptr<const weft::gui::BenchmarkRuns> runs);
  void picture_came(int server, const weft::gui::PictureResult& answer);
  // Of the job that is looked at, as soon as it is known, and again when its state changed.
  void detail_came(const weft::gui::JobDetail& detail);
  // Lines that follow those before.
  void log_came(const std::deque<weft::gui::LogRow>& lines);

 private:
  void take(int server, const Delivery& delivery);
  void show_link(int server);
  void show_ages();

  JobsModel jobs_;
  DeviceRecords devices_;
  ServersModel tree_;
  std::map<int, std::unique_ptr<ServerConnection>> connections_;
  std::map<int, ServerPlace> places_;
  std::set<int> told_;  // servers that told all their jobs once
  int looked_at_server_ = 0;
  QString looked_at_;
  int last_number_ = 0;
  QTimer ages_timer_;
};

}  // namespace weft::gui
