// SPDX-License-Identifier: Apache-2.0
// Measures the dashboard's busy time with many jobs: the first snapshot, a delivery with changes
// (applied and painted), a search, a sort. Deliveries are synthetic, without a daemon. The window
// is drawn off-screen, on the processor.
//
//   dashboard_bench [JOBS ...]     (10000 and 100000)
#include <QApplication>
#include <QElapsedTimer>
#include <QTableView>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "bench/command_line.h"
#include "client_gui/models/fleet.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/theme.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr int kRounds = 100;
// changes per delivery: 1,000 events a second, delivered ten times a second
constexpr int kChanges = 100;

JobRow make_job(int number, int64_t revision) {
  JobRow job;
  job.id = QString::asprintf("01JB%022d", number);
  job.revision = revision;
  job.state = v1::JobState(1 + (number + int(revision)) % 6);
  job.submit_time = 1790000000.0 + number;
  job.done = double((number + revision) % 1000) / 1000;
  job.files = QString::asprintf("programme-%d.ts -> programme-%d.mkv", number, number);
  job.kind = QStringLiteral("video");
  job.owner = number % 2 == 0 ? QStringLiteral("ann") : QStringLiteral("bob");
  job.device = QStringLiteral("cuda:%1").arg(number % 8);
  job.note = QStringLiteral("The device is busy; others stand before.");
  return job;
}

double milliseconds(const std::function<void()>& work) {
  QElapsedTimer timer;
  timer.start();
  work();
  return double(timer.nsecsElapsed()) * 1e-6;
}

void report(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto part = [&](double p) { return times[size_t(p * double(times.size() - 1))]; };
  printf("  %-44s %8.2f ms  p99 %8.2f ms\n", what, part(0.5), part(0.99));
}

void measure(int jobs) {
  Fleet fleet;
  JobsModel& model = fleet.jobs();
  JobsView view(fleet);
  view.resize(1280, 720);
  view.show();
  model.add_server(1, QStringLiteral("unix:/run/weft/weft.sock"));
  fleet.tree().add_server(1, QStringLiteral("unix:/run/weft/weft.sock"));
  model.set_live(1, true);
  printf("%d jobs\n", jobs);
  Delivery snapshot;
  snapshot.snapshot_begins = snapshot.snapshot_ends = true;
  for (int i = 0; i < jobs; i++) snapshot.jobs.push_back(make_job(i, 1));
  const auto frame = [] { QApplication::processEvents(); };
  report("the first snapshot, until it is painted", {milliseconds([&] {
           model.apply(1, snapshot);
           frame();
         })});
  int64_t revision = 1;
  const auto next_delivery = [&] {
    Delivery delivery;
    revision++;
    for (int i = 0; i < kChanges; i++)
      delivery.jobs.push_back(make_job(int((revision * 7919 + i * 104729) % jobs), revision));
    return delivery;
  };
  for (const JobColumn column : {JobColumn::kAge, JobColumn::kState, JobColumn::kDone, JobColumn::kFiles}) {
    const double sorting = milliseconds([&] {
      model.sort(int(column), Qt::AscendingOrder);
      frame();
    });
    std::vector<double> applying, painting;
    for (int i = 0; i < kRounds; i++) {
      const Delivery delivery = next_delivery();
      applying.push_back(milliseconds([&] { model.apply(1, delivery); }));
      painting.push_back(applying.back() + milliseconds(frame));
    }
    const std::string by = title_of(column).toStdString();
    report(("sorted by " + by + " anew").c_str(), {sorting});
    report(("100 changes, sorted by " + by + ": applied").c_str(), applying);
    report("  and painted", painting);
  }
  std::vector<double> searches;
  for (int i = 0; i < kRounds / 10; i++)
    searches.push_back(milliseconds([&] {
      JobScope scope;
      scope.text = i % 2 == 0 ? QStringLiteral("cuda:3 programme") : QString();
      model.set_scope(scope);
      frame();
    }));
  report("a search, or the end of one", searches);
}

}  // namespace
}  // namespace weft::gui

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 1);
  const QApplication application(argc, argv);
  weft::gui::apply_theme(weft::gui::Theme::kLight);
  std::vector<int> sizes = {10000, 100000};
  weft::bench::CommandLine line("Measures how long the dashboard's window is busy.");
  line.add_option("JOBS", sizes, "Numbers of jobs")->check(CLI::Range(1000, 10'000'000));
  line.read(argc, argv);
  for (const int jobs : sizes) weft::gui::measure(jobs);
  return 0;
}
