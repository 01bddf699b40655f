// SPDX-License-Identifier: Apache-2.0
// Starts weft-dashboard, the graphical client of one or more daemons.
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include <sysexits.h>

#include "client_gui/models/fleet.h"
#include "client_gui/views/language.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/screenshot.h"
#include "client_gui/views/submit_view.h"
#include "client_gui/views/theme.h"

namespace weft::gui {
namespace {

struct Main {
  Q_DECLARE_TR_FUNCTIONS(Main)
};

struct Arguments {
  QStringList servers;
  std::optional<Theme> theme;
  QStringList added;
  QString kind;
  QString screenshot_view;
  QString decisions_id;  // job with the decisions to write as a picture
  QString picture_file;
  std::chrono::seconds watch{0};  // delay before the screenshot
};

// Sets the language before any text is made. A screenshot ignores the stored language.
Status choose_asked_language(const QApplication& application) {
  const QCommandLineOption language("language", {}, "NAME");
  const QCommandLineOption screenshot("screenshot", {}, "VIEW"), decisions("decisions", {}, "ID");
  QCommandLineParser parser;
  parser.addOptions({language, screenshot, decisions});
  // returns false for options that this parser does not declare
  parser.parse(application.arguments());
  QString name =
      parser.isSet(screenshot) || parser.isSet(decisions) ? languages().front().name : stored_language();
  if (parser.isSet(language)) name = parser.value(language);
  if (choose_language(name)) return ok_status();
  return invalid_argument("The language ({}) is not known; give one of: {}.", name.toStdString(),
                          language_names().toStdString());
}

Status parse(const QApplication& application, Arguments& arguments) {
  const QCommandLineOption server({"s", "server"},
                                  Main::tr("Address of a daemon to show; may be given several times."),
                                  "unix:PATH|HOST:PORT");
  const QCommandLineOption theme("theme", Main::tr("Colours: system, light or dark."), "NAME");
  const QCommandLineOption language(
      "language", Main::tr("Language of the window: %1. Not stored.").arg(language_names()), "NAME");
  const QCommandLineOption add("add", Main::tr("Input file of a new job; may be given several times."), "IN");
  const QCommandLineOption kind("kind", Main::tr("Kind of the new jobs (see --add)."), "KIND");
  const QCommandLineOption screenshot("screenshot",
                                      Main::tr("Write a screenshot of the view to FILE and quit."), "VIEW");
  const QCommandLineOption after("after", Main::tr("Delay before the screenshot."), "SECONDS", "0");
  const QCommandLineOption decisions(
      "decisions", Main::tr("Write a picture of the decisions of the job's analyses to FILE and quit."),
      "ID");
  QCommandLineParser parser;
  parser.setApplicationDescription(Main::tr("Shows and controls the jobs and devices of Weft daemons."));
  parser.addOptions({server, theme, language, add, kind, screenshot, after, decisions});
  parser.addPositionalArgument("FILE", Main::tr("Output file of the picture (PNG)."), "[FILE]");
  parser.addHelpOption();
  parser.addVersionOption();
  parser.process(application);
  arguments.servers = parser.values(server);
  for (const QString& file : parser.values(add))
    arguments.added.push_back(QFileInfo(file).absoluteFilePath());
  arguments.kind = parser.value(kind);
  if (parser.isSet(theme)) {
    arguments.theme = find_theme(parser.value(theme));
    if (!arguments.theme)
      return invalid_argument("The theme ({}) is not known; give system, light or dark.",
                              parser.value(theme).toStdString());
  }
  bool is_number = false;
  arguments.watch = std::chrono::seconds(parser.value(after).toInt(&is_number));
  if (!is_number || arguments.watch < arguments.watch.zero() || arguments.watch > kLongestWatch)
    return invalid_argument("--after takes a number of seconds from 0 to {} ({} is given).",
                            kLongestWatch.count(), parser.value(after).toStdString());
  if (parser.isSet(screenshot) && parser.isSet(decisions))
    return invalid_argument(
        "--screenshot and --decisions are given, and one run writes one picture; leave one out.");
  const bool wants_picture = parser.isSet(screenshot) || parser.isSet(decisions);
  const QStringList files = parser.positionalArguments();
  if (files.size() != (wants_picture ? 1 : 0))
    return invalid_argument(
        "--screenshot takes a view and one file, and --decisions a job and one file ({} files are given); "
        "without them there is no file.",
        files.size());
  arguments.screenshot_view = parser.value(screenshot);
  arguments.decisions_id = parser.value(decisions);
  if (wants_picture) arguments.picture_file = files[0];
  return ok_status();
}

Status add_servers(Fleet& fleet, const QStringList& addresses) {
  for (const QString& address : addresses) RETURN_IF_ERROR(fleet.add(address).status());
  // Without --server, the daemon of this machine is shown.
  return fleet.servers().empty() ? fleet.add(QString()).status() : ok_status();
}

Status add_files(MainWindow& window, const Arguments& arguments) {
  if (!arguments.kind.isEmpty() && !window.submit().choose_kind(arguments.kind))
    return invalid_argument("The kind of job ({}) is not known; `weft submit --help` lists them.",
                            arguments.kind.toStdString());
  if (arguments.added.isEmpty()) return ok_status();
  window.submit().files().add_files(arguments.added);
  window.show_view(window.submit().objectName());
  return ok_status();
}

int fail(const Status& status) {
  fprintf(stderr, "weft-dashboard: %s\n", message_of(status).c_str());
  return status.code() == StatusCode::kInvalidArgument ? EX_USAGE : EX_UNAVAILABLE;
}

// Prints messages of Qt, except warnings about a platform without a screen and about a missing
// session.
void say_what_matters(QtMsgType, const QMessageLogContext&, const QString& text) {
  if (text.startsWith("This plugin does not support") || text.contains("XDG_RUNTIME_DIR")) return;
  fprintf(stderr, "weft-dashboard: %s\n", qUtf8Printable(text));
}

bool shows_no_window(std::string_view word) {
  return word.starts_with("--screenshot") || word.starts_with("--decisions") || word.starts_with("--help") ||
         word == "-h" || word == "--version" || word == "-v";
}

bool has_no_screen() {
  return qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
         qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

int run(QApplication& application) {
  Arguments arguments;
  if (const Status status = choose_asked_language(application); !status.ok()) return fail(status);
  if (const Status status = parse(application, arguments); !status.ok()) return fail(status);
  const bool is_picture = !arguments.picture_file.isEmpty();
  Fleet fleet;
  MainWindow window(fleet);
  if (!is_picture) window.restore(arguments.servers.empty());
  if (is_picture || arguments.theme) window.set_theme(arguments.theme.value_or(Theme::kLight));
  if (const Status status = add_servers(fleet, arguments.servers); !status.ok()) return fail(status);
  if (const Status status = add_files(window, arguments); !status.ok()) return fail(status);
  if (is_picture) {
    const Status status =
        arguments.decisions_id.isEmpty()
            ? take_screenshot(window, arguments.screenshot_view, arguments.picture_file, arguments.watch)
            : save_decisions(fleet, arguments.decisions_id, arguments.picture_file);
    return status.ok() ? EX_OK : fail(status);
  }
  window.show();
  return QApplication::exec();
}

}  // namespace
}  // namespace weft::gui

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (std::any_of(words.begin(), words.end(), weft::gui::shows_no_window)) {
    qInstallMessageHandler(weft::gui::say_what_matters);
    if (weft::gui::has_no_screen()) qputenv("QT_QPA_PLATFORM", "offscreen");
  } else if (weft::gui::has_no_screen()) {
    fputs(
        "weft-dashboard: There is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set); use `weft top` in "
        "a terminal, "
        "or --screenshot VIEW FILE.\n",
        stderr);
    return EX_UNAVAILABLE;
  }
  QApplication application(argc, argv);
  QCoreApplication::setOrganizationName("weft");
  QCoreApplication::setApplicationName("weft-dashboard");
  QCoreApplication::setApplicationVersion(WEFT_VERSION);
  return weft::gui::run(application);
}
