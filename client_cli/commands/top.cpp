// SPDX-License-Identifier: Apache-2.0
// weft top: devices, streams and the queue, as they are and change.
#include <future>
#include <optional>

#include <unistd.h>

#include "client/jobs.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"
#include "client_cli/output/text.h"
#include "client_cli/top/screen.h"
#include "client_cli/top/top_feed.h"
#include "options/option.h"

namespace weft::cli {
namespace {

constexpr double kShortestInterval = 0.1;  // seconds
constexpr double kLongestInterval = 3600;
// polling interval until they arrive
constexpr Duration kFirstAnswers = std::chrono::milliseconds(50);

struct Top {
  bool once = false;
  std::string interval = "1s";
  std::string work_class;
  std::string owner;
};

// Cancels, pauses or lets go on, without holding up the screen.
std::future<std::string> carry_out(const std::shared_ptr<client::Connection>& connection,
                                   const TopOrder& order) {
  return std::async(std::launch::async, [connection, order] {
    client::Jobs jobs(connection);
    const auto job = order.kind == TopOrder::Kind::kCancel  ? jobs.cancel(order.job)
                     : order.kind == TopOrder::Kind::kPause ? jobs.pause(order.job)
                                                            : jobs.resume(order.job);
    return job.ok() ? fmt::format("{} is {}.", job->id(), options::choice_name(job->state()))
                    : message_of(job.status());
  });
}

class LiveView {
 public:
  LiveView(Screen& screen, std::shared_ptr<client::Connection> connection, TopChoices choices,
           Duration interval)
      : screen_(screen),
        connection_(connection),
        choices_(std::move(choices)),
        interval_(interval),
        feed_(std::move(connection)) {}

  // Until a key, a signal or an error ends it. The exit code; `error` says why the feed failed.
  int run(std::optional<Status>& error);

 private:
  bool draw();  // true if all is known
  // False: to the end.
  bool take(const std::vector<Key>& keys);

  Screen& screen_;
  const std::shared_ptr<client::Connection> connection_;
  TopChoices choices_;
  const Duration interval_;
  SystemClock clock_;
  std::future<std::string> order_;
  TopFeed feed_;
};

int LiveView::run(std::optional<Status>& error) {
  while (true) {
    const Duration wait = draw() ? interval_ : std::min(interval_, kFirstAnswers);
    std::vector<Key> keys;
    switch (screen_.wait_until(clock_.now() + wait, keys)) {
      case Screen::Event::kEnded:
        return kExitInterrupted;
      case Screen::Event::kKeys:
        if (!take(keys)) return kExitDone;
        break;
      default:
        break;
    }
    if (error = feed_.failure(); error) return kExitDone;
  }
}

bool LiveView::draw() {
  if (order_.valid() && order_.wait_for(Duration(0)) == std::future_status::ready)
    choices_.message = order_.get();
  bool complete = false;
  std::vector<TableRow> lines;
  feed_.visit([&](const TopState& state) {
    settle(state, choices_);
    lines = lay_out_top(state, choices_, {screen_.columns(), screen_.rows()});
    complete = state.complete && !order_.valid();
  });
  screen_.draw(lines);
  return complete;
}

bool LiveView::take(const std::vector<Key>& keys) {
  for (const Key key : keys) {
    TopOrder order;
    feed_.visit([&](const TopState& state) {
      order = press(key, state, {screen_.columns(), screen_.rows()}, choices_);
    });
    if (order.kind == TopOrder::Kind::kQuit) return false;
    if (order.kind == TopOrder::Kind::kNone) continue;
    if (order_.valid()) order_.wait();
    order_ = carry_out(connection_, order);
  }
  return true;
}

int print_once(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
               const TopChoices& choices) {
  TopFeed feed(connection);
  feed.wait_until_complete();
  if (const auto error = feed.failure()) return context.fail(*error);
  feed.visit([&](const TopState& state) {
    if (context.json) {
      std::vector<v1::Job> jobs;
      for (const v1::Job* job : chosen_jobs(state, choices)) jobs.push_back(*job);
      context.print(json_line({{"devices", json_list(state.devices)}, {"jobs", json_list(jobs)}}));
      return;
    }
    for (const TableRow& line :
         lay_out_top(state, choices, {context.out.is_terminal ? context.out.width : kAnyWidth, kAnyWidth}))
      context.print(paint(context.out, line) + "\n");
  });
  return kExitDone;
}

// The screen comes first: the connection starts threads, and theirs must not be the ones that
// signals end.
int show_live(const CommandContext& context, const TopChoices& choices, Duration interval) {
  std::optional<Status> error;
  int code = kExitDone;
  {
    const auto screen = Screen::open(context.out);
    if (!screen.ok()) return context.fail(screen.status());
    const auto connection = context.connect();
    if (connection.ok())
      code = LiveView(**screen, *connection, choices, interval).run(error);
    else
      error = connection.status();
  }
  return error ? context.fail(*error) : code;
}

int run(const CommandContext& context, const Top& top) {
  const auto seconds = parse_seconds(top.interval);
  if (!seconds.ok()) return context.fail_usage(seconds.status());
  if (*seconds < kShortestInterval || *seconds > kLongestInterval)
    return context.fail_usage(invalid_argument("The interval ({}) is out of range; give {} to {} s.",
                                               top.interval, kShortestInterval, kLongestInterval));
  TopChoices choices;
  choices.work_class = top.work_class;
  choices.owner = top.owner;
  const bool live = context.out.can_redraw && isatty(STDIN_FILENO) == 1 && !top.once && !context.json;
  if (live)
    return show_live(context, choices,
                     std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds)));
  const auto connection = context.connect();
  return connection.ok() ? print_once(context, *connection, choices)
                         : context.fail_usage(connection.status());
}

}  // namespace

void add_top(Command& root, CommandContext& context) {
  const auto top = std::make_shared<Top>();
  Command& command = root.add("top", "Shows devices, streams and the queue, live; ? lists the keys.");
  command.flag("--once", top->once,
               "Print one view as text and exit; default without a terminal and with --json.");
  command.value("--interval", "TIME", top->interval, "Refresh interval: 0.5s, 2s. Default: 1s.");
  Argument& work_class =
      command.value("--class", "CLASS", top->work_class, "Only streams and jobs of this class.");
  command.choose(work_class, top->work_class, {{"realtime", "", 0}, {"normal", "", 0}, {"spare", "", 0}});
  command.value("--owner", "NAME", top->owner, "Only streams and jobs of this user.");
  command.run = [&context, top] { return run(context, *top); };
}

}  // namespace weft::cli
