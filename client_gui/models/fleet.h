// SPDX-License-Identifier: Apache-2.0
// Manages the servers of the dashboard and fills the models with their data.
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

  // Adds a server and returns its number (from 1). Returns the same number for a server that is
  // already present, and an error for an invalid endpoint.
  StatusOr<int> add(const ServerEndpoint& endpoint);
  StatusOr<int> add(const QString& address);
  static Status check(const ServerEndpoint& endpoint) { return ServerConnection::check(endpoint); }
  // Changes the server's endpoint and returns its new number. An error changes nothing.
  StatusOr<int> change(int server, const ServerEndpoint& endpoint);
  void remove(int server);
  std::vector<int> servers() const;
  const ServerEndpoint& endpoint(int server) const { return places_.at(server); }
  QString address(int server) const { return connections_.at(server)->address(); }
  Link link(int server) const { return connections_.at(server)->link(); }
  void retry_now(int server) { connections_.at(server)->retry_now(); }
  // Returns true if the models contain all data of every reachable server.
  bool is_settled() const;

  // Sends an order for one job or device. order_answered() reports the result.
  void order(int server, const JobCommand& order) { connections_.at(server)->order(order); }
  void order(int server, const DeviceOrder& order) { connections_.at(server)->order(order); }
  // Submits jobs. submit_answered() reports the results. NOT_FOUND: the server was removed.
  Status submit(int server, const SubmitOrder& order);
  // Requests the statistics of the last `days` days, today included. statistics_came() reports
  // them.
  void ask_for_statistics(int server, int days) { connections_.at(server)->fetch_statistics(days); }
  // Requests the benchmark runs. benchmarks_came() reports them.
  void ask_for_benchmarks(int server) { connections_.at(server)->fetch_benchmarks(); }
  // Requests pictures of jobs' files in place of the pending requests. picture_came() reports them.
  void ask_for_pictures(int server, std::vector<PictureOrder> orders);
  // Requests the decisions of a job's analyses. decisions_came() reports them.
  void ask_for_decisions(int server, const QString& id);
  // Selects the job of detail_came() and log_came(). An empty ID selects none.
  void select_job(int server, const QString& id);
  void refresh_selected();  // requests the details of the selected job again

  JobsModel& jobs() { return jobs_; }
  DeviceRecords& devices() { return devices_; }
  ServersModel& tree() { return tree_; }

 signals:
  // Reports that a server was added or removed, or that its link changed. Also emitted periodically
  // while a server is not connected.
  void links_changed();
  // Reports changes before the models are updated.
  void jobs_came(int server, const weft::gui::Delivery& delivery);
  void server_left(int server);
  void order_answered(int server, const weft::gui::OrderAnswer& answer);
  void submit_answered(const weft::gui::SubmitAnswer& answer);
  void statistics_came(int server, const weft::gui::Statistics& statistics);
  void benchmarks_came(int server, std::shared_ptr<const weft::gui::BenchmarkRuns> runs);
  void decisions_came(int server, std::shared_ptr<const weft::gui::JobDecisions> decisions);
  void picture_came(int server, const weft::gui::PictureResult& answer);
  // Reports the details of the selected job, again after each change of its state.
  void detail_came(const weft::gui::JobDetail& detail);
  // Reports new lines of the selected job's log.
  void log_came(const std::deque<weft::gui::LogRow>& lines);

 private:
  void take(int server, const Delivery& delivery);
  void show_link(int server);
  void show_ages();

  JobsModel jobs_;
  DeviceRecords devices_;
  ServersModel tree_;
  std::map<int, std::unique_ptr<ServerConnection>> connections_;
  std::map<int, ServerEndpoint> places_;
  std::set<int> synced_;  // numbers of the servers that have sent all their jobs
  int selected_server_ = 0;
  QString selected_;
  int last_number_ = 0;
  QTimer ages_timer_;
};

}  // namespace weft::gui
