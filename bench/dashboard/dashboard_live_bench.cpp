// SPDX-License-Identifier: Apache-2.0
// Measures the dashboard's window with a real daemon: the time to the first row, the interface's
// busy time per frame while jobs change, its memory, and its recovery after the daemon was killed
// and restarted, without a missed change.
//
//   dashboard_live_bench [--jobs N] [--rate CHANGES] [--minutes M] [--restarts N] [--folder FOLDER]
//
// The program starts the weftd of its own folder and drains its device, so that jobs stay queued.
// The window is drawn off-screen, on the processor, which the daemon and the clients that make the
// changes also use. A frame is one turn of the event loop that painted.
#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QTableView>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

#include "bench/daemon.h"
#include "bench/dashboard/live_load.h"
#include "client/devices.h"
#include "client_gui/models/fleet.h"
#include "client_gui/models/wait_until.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"

namespace weft::gui {
namespace {

using std::chrono::milliseconds;

struct Options {
  int jobs = 10'000;
  double rate = 1000;  // changes a second
  double minutes = 1;
  int restarts = 100;
  std::string folder = ".";
};

double part(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[size_t(p * double(values.size() - 1))];
}

void report(const char* what, const std::vector<double>& times) {
  printf("  %-38s %7zu   p50 %8.1f   p99 %8.1f   longest %8.1f ms\n", what, times.size(), part(times, 0.5),
         part(times, 0.99), part(times, 1));
  fflush(stdout);
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Times the work of this thread's event loop between two waits.
class Application : public QApplication {
 public:
  using QApplication::QApplication;

  void clear() {
    end_turn();
    frames_.clear();
    longest_other_ = 0;
  }
  const std::vector<double>& frames() const { return frames_; }  // busy times in milliseconds
  double longest_other() const { return longest_other_; }        // longest turn without painting

  bool notify(QObject* receiver, QEvent* event) override {
    if (depth_ == 0) begin_event();
    depth_++;
    painted_ = painted_ || event->type() == QEvent::Paint;
    const bool result = QApplication::notify(receiver, event);
    if (--depth_ == 0) end_ = clock_.nsecsElapsed();
    return result;
  }

 private:
  // Events without a wait in between belong to one turn.
  void begin_event() {
    constexpr int64_t kWait = 100'000;  // shortest wait in nanoseconds
    if (!clock_.isValid()) clock_.start();
    const int64_t now = clock_.nsecsElapsed();
    if (now - end_ < kWait) return;
    end_turn();
    begin_ = now;
  }
  void end_turn() {
    const double time = double(end_ - begin_) * 1e-6;
    if (painted_)
      frames_.push_back(time);
    else
      longest_other_ = std::max(longest_other_, time);
    begin_ = end_;
    painted_ = false;
  }

  QElapsedTimer clock_;
  int64_t begin_ = 0, end_ = 0;
  int depth_ = 0;
  bool painted_ = false;
  std::vector<double> frames_;
  double longest_other_ = 0;
};

class Bench {
 public:
  Bench(Application& application, Options options, std::string folder)
      : application_(application),
        options_(std::move(options)),
        folder_(std::move(folder)),
        daemon_(folder_) {}

  Status run() {
    bench::make_input(folder_ + "/in.y4m");
    RETURN_IF_ERROR(start());
    ASSIGN_OR_RETURN(const std::shared_ptr<client::Connection> connection,
                     client::Connection::open({.server = daemon_.address()}));
    RETURN_IF_ERROR(client::Devices(connection).drain({}).status());
    ASSIGN_OR_RETURN(ids_, bench::submit_jobs(daemon_.address(), folder_, options_.jobs));
    RETURN_IF_ERROR(measure_first_row());
    measure_frames();
    client::Jobs jobs(connection);
    return measure_restarts(jobs);
  }

 private:
  Status start() {
    if (!daemon_.start() || !wait_until([this] { return daemon_.is_listening(); }))
      return unavailable("The daemon ({}) does not start.", bench::Daemon::program());
    return ok_status();
  }

  Status measure_first_row() {
    QElapsedTimer timer;
    timer.start();
    window_.resize(1280, 800);
    window_.show();
    QApplication::processEvents();
    const double shown = double(timer.nsecsElapsed()) * 1e-6;
    ASSIGN_OR_RETURN(server_, fleet_.add(QString::fromStdString(daemon_.address())));
    if (!wait_until([this] { return fleet_.jobs().rowCount() > 0; })) return unavailable("No row came.");
    QApplication::processEvents();  // the window is painted
    const double first = double(timer.nsecsElapsed()) * 1e-6;
    if (!wait_until([this] { return fleet_.jobs().rowCount() == options_.jobs; }))
      return unavailable("Of {} rows only {} came.", options_.jobs, fleet_.jobs().rowCount());
    printf("%d jobs: the window after %.0f ms, the first row after %.0f ms, all after %.0f ms\n",
           options_.jobs, shown, first, double(timer.nsecsElapsed()) * 1e-6);
    return ok_status();
  }

  void measure_frames() {
    const bench::Load load(daemon_.address(), ids_, options_.rate);
    const milliseconds span(int64_t(options_.minutes * 60e3 / 2));
    for (const JobColumn column : {JobColumn::kAge, JobColumn::kPriority}) {
      window_.jobs().table().sortByColumn(int(column), Qt::DescendingOrder);
      let_pass(std::chrono::seconds(2));
      application_.clear();
      const int64_t before = load.changes();
      printf("sorted by %s; resident memory in MiB:", title_of(column).toStdString().c_str());
      constexpr int kSamples = 10;
      for (int i = 0; i < kSamples; i++) {
        let_pass(span / kSamples);
        printf(" %.1f", resident_mib());
        fflush(stdout);
      }
      printf("\n  %.0f changes a second\n",
             double(load.changes() - before) / std::chrono::duration<double>(span).count());
      report("turns that painted", application_.frames());
      printf("  the longest other turn %.1f ms\n", application_.longest_other());
    }
  }

  // Returns true if the window has the daemon's state of every job.
  bool knows_all(const std::map<std::string, v1::Job>& jobs) {
    return std::all_of(jobs.begin(), jobs.end(), [this](const auto& each) {
      const int row = fleet_.jobs().row_of(server_, QString::fromStdString(each.first));
      if (row < 0) return false;
      const JobRow& job = fleet_.jobs().job_at(row).job;
      return job.revision == each.second.revision() && job.state == each.second.state();
    });
  }

  // Kills and restarts the daemon, changes jobs before the window has reconnected, and waits until
  // the window has all changes.
  Status measure_restarts(client::Jobs& jobs) {
    constexpr int kChanges = 10;
    std::vector<double> starts, lives, knowns;
    for (int round = 0; round < options_.restarts; round++) {
      daemon_.kill();
      if (!wait_until([this] { return fleet_.link(server_).state == LinkState::kOffline; }))
        return unavailable("In round {} the window does not see that the daemon is gone.", round);
      QElapsedTimer timer;
      timer.start();
      RETURN_IF_ERROR(start());
      const double listening = double(timer.nsecsElapsed()) * 1e-6;
      if (!wait_until([&] { return bench::all_jobs(jobs).ok(); }))
        return unavailable("The daemon does not answer.");
      for (int i = 0; i < kChanges; i++)
        RETURN_IF_ERROR(
            bench::change_job(jobs, ids_[size_t(round * kChanges + i) % ids_.size()], round * kChanges + i));
      ASSIGN_OR_RETURN(const auto all, bench::all_jobs(jobs));
      if (!wait_until([this] { return fleet_.link(server_).state == LinkState::kLive; }))
        return unavailable("In round {} the window does not come back.", round);
      lives.push_back(double(timer.nsecsElapsed()) * 1e-6 - listening);
      if (!wait_until([&] { return knows_all(all); }))
        return internal_error("In round {} the window misses a change.", round);
      starts.push_back(listening);
      knowns.push_back(double(timer.nsecsElapsed()) * 1e-6 - listening);
    }
    if (starts.empty()) return ok_status();
    printf("the daemon killed and restarted\n");
    report("its own start", starts);
    report("from then until live", lives);
    report("from then until every change is known", knowns);
    return ok_status();
  }

  Application& application_;
  const Options options_;
  const std::string folder_;
  bench::Daemon daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
  std::vector<std::string> ids_;
};

Options parse(const QApplication& application) {
  Options options;
  QCommandLineParser parser;
  const QCommandLineOption jobs("jobs", "Jobs in the daemon.", "N", QString::number(options.jobs));
  const QCommandLineOption rate("rate", "Changes a second.", "CHANGES", QString::number(options.rate));
  const QCommandLineOption minutes("minutes", "How long they change.", "M", QString::number(options.minutes));
  const QCommandLineOption restarts("restarts", "How often the daemon is killed.", "N",
                                    QString::number(options.restarts));
  const QCommandLineOption folder("folder", "Where the daemon keeps its files.", "FOLDER", ".");
  parser.addOptions({jobs, rate, minutes, restarts, folder});
  parser.addHelpOption();
  parser.process(application);
  options.jobs = std::max(100, parser.value(jobs).toInt());
  options.rate = std::max(1.0, parser.value(rate).toDouble());
  options.minutes = std::max(0.1, parser.value(minutes).toDouble());
  options.restarts = std::max(0, parser.value(restarts).toInt());
  options.folder = parser.value(folder).toStdString();
  return options;
}

}  // namespace
}  // namespace weft::gui

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 1);
  weft::gui::Application application(argc, argv);
  const weft::gui::Options options = weft::gui::parse(application);
  std::string folder = std::filesystem::absolute(options.folder) / "dashboard-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    fprintf(stderr, "dashboard_live_bench: no folder can be made in %s\n", options.folder.c_str());
    return 73;
  }
  const weft::Status status = weft::gui::Bench(application, options, folder).run();
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!status.ok()) fprintf(stderr, "dashboard_live_bench: %s\n", weft::message_of(status).c_str());
  return status.ok() ? 0 : 1;
}
