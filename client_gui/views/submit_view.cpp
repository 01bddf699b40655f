// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/submit_view.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "base/printable.h"
#include "client_gui/forms/home_path.h"
#include "client_gui/forms/job_form.h"
#include "client_gui/forms/note_label.h"
#include "client_gui/forms/profile_bar.h"
#include "client_gui/models/text.h"
#include "client_gui/views/row_table.h"

namespace weft::gui {
namespace {

constexpr std::chrono::milliseconds kTypingPause(400);
constexpr int kLeftWidth = 430, kRightWidth = 570;
constexpr int kNameWidth = 130, kFoundWidth = 210;

QLabel* make_note(QWidget* parent, QPalette::ColorRole role) {
  auto* note = new QLabel(parent);
  note->setWordWrap(true);
  note->setForegroundRole(role);
  return note;
}

}  // namespace

SubmitView::SubmitView(Fleet& fleet, QWidget* parent) : QWidget(parent), fleet_(fleet), files_(fleet) {
  auto* splitter = new QSplitter(this);
  splitter->addWidget(make_left());
  splitter->addWidget(make_right());
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({kLeftWidth, kRightWidth});
  splitter->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addWidget(splitter);
  setFocusProxy(table_);
  changing_.setSingleShot(true);
  connect(&changing_, &QTimer::timeout, this, [this] { check(false); });
  connect(&files_, &DraftModel::files_changed, this, &SubmitView::change);
  connect(&files_, &DraftModel::answered, this, &SubmitView::show_answers);
  connect(&files_, &DraftModel::submitted, this, [this](int added, int refused) {
    const QString queued = counted(added, tr("1 job is queued"), tr("%1 jobs are queued"));
    const QString not_queued = counted(refused, tr("1 was refused"), tr("%1 were refused"));
    say(refused == 0 ? tr("%1.", "jobs are queued").arg(queued)
                     : tr("%1, %2.", "jobs are queued, others refused").arg(queued, not_queued));
  });
  connect(&fleet_, &Fleet::links_changed, this, &SubmitView::list_servers);
  connect(&fleet_.devices(), &DeviceRecords::changed, this, &SubmitView::list_devices);
  connect(server_, &QComboBox::currentIndexChanged, this, &SubmitView::list_devices);
  connect(form_, &JobForm::edited, this, &SubmitView::change);
  connect(form_, &JobForm::kind_chosen, this, &SubmitView::change);
  connect(output_, &QLineEdit::textChanged, this, &SubmitView::change);
  connect(server_, &QComboBox::activated, this, &SubmitView::change);
  list_servers();
  show_state();
}

// --- Construction --------------------------------------------------------------------------------

QWidget* SubmitView::make_left() {
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 6, 0);
  server_ = new QComboBox(left);
  server_->setAccessibleName(tr("Server"));
  table_ = new QTableView(left);
  table_->setAccessibleName(tr("Files"));
  table_->setModel(&files_);
  make_row_table(*table_, 8);
  table_->setWordWrap(false);
  table_->setAlternatingRowColors(true);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->setColumnWidth(int(DraftColumn::kFile), kNameWidth);
  table_->setColumnWidth(int(DraftColumn::kFound), kFoundWidth);
  invitation_ = make_note(table_, QPalette::PlaceholderText);
  invitation_->setText(tr("Drop files anywhere on the window, or add them below."));
  invitation_->setAlignment(Qt::AlignCenter);
  auto* over = new QVBoxLayout(table_);
  over->addWidget(invitation_);
  estimate_ = new QLabel(left);
  estimate_->setWordWrap(true);
  estimate_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  estimate_->setAccessibleName(tr("Estimate"));
  estimate_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  said_ = make_note(left, QPalette::WindowText);
  check_ = new QPushButton(tr("&Check all files"), left);
  submit_ = new QPushButton(left);
  submit_->setObjectName(QStringLiteral("submit"));
  // The shortcut is separate from the button, since a button loses its shortcut when its text
  // changes.
  auto* key = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
  key->setWhatsThis(tr("Add the jobs"));
  connect(key, &QShortcut::activated, submit_, &QPushButton::click);
  connect(check_, &QPushButton::clicked, this, [this] { check(true); });
  connect(submit_, &QPushButton::clicked, this, &SubmitView::submit);
  auto* last = new QHBoxLayout;
  last->addWidget(said_, 1);
  last->addWidget(check_);
  last->addWidget(submit_);
  column->addWidget(server_);
  column->addWidget(table_, 1);
  file_buttons_ = make_file_buttons();
  output_widgets_ = make_output();
  // Widgets that appear and disappear are above the buttons, and only the height of the list
  // changes.
  column->addWidget(estimate_);
  column->addWidget(file_buttons_);
  column->addWidget(output_widgets_);
  column->addLayout(last);
  return left;
}

QWidget* SubmitView::make_file_buttons() {
  auto* buttons = new QWidget(this);
  path_ = new QLineEdit(this);
  path_->setAccessibleName(tr("File path"));
  path_->setPlaceholderText(tr("Path or pattern such as frame.####.exr, then Enter"));
  connect(path_, &QLineEdit::returnPressed, this, [this] {
    if (files_.add_files({with_home(path_->text().trimmed())}) > 0) path_->clear();
  });
  auto* add = new QPushButton(tr("Add &files ..."), this);
  add->setShortcut(QKeySequence(Qt::Key_Insert));
  connect(add, &QPushButton::clicked, this, &SubmitView::add_by_dialog);
  auto* join = new QAction(tr("&Treat as image sequence"), table_);
  connect(join, &QAction::triggered, this, [this] { files_.join_sequences(selected_rows()); });
  auto* remove = new QAction(tr("&Remove"), table_);
  remove->setShortcut(Qt::Key_Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  connect(remove, &QAction::triggered, this, [this] { files_.remove_files(selected_rows()); });
  join->setObjectName(QStringLiteral("join"));
  remove->setObjectName(QStringLiteral("remove"));
  table_->addActions({remove, join});
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* line = new QHBoxLayout(buttons);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(path_, 1);
  line->addWidget(add);
  return buttons;
}

QWidget* SubmitView::make_output() {
  auto* widgets = new QWidget(this);
  auto* label = new QLabel(tr("&Output:"), this);
  output_ = new QLineEdit(QStringLiteral("{dir}/{stem}.out.{ext}"), this);
  output_->setAccessibleName(tr("Output"));
  output_->setCursorPosition(0);
  label->setBuddy(output_);
  auto* browse = new QPushButton(tr("Folder ..."), this);
  connect(browse, &QPushButton::clicked, this, [this] {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Output folder"));
    if (!folder.isEmpty()) output_->setText(folder + "/{stem}.{ext}");
  });
  output_note_ = new NoteLabel(
      tr("Placeholders: {dir}, {name}, {stem}, {ext}, {index}, and the name of any option, for its value."),
      this);
  auto* line = new QHBoxLayout;
  line->addWidget(label);
  line->addWidget(output_, 1);
  line->addWidget(browse);
  auto* both = new QVBoxLayout(widgets);
  both->setContentsMargins(0, 0, 0, 0);
  both->addLayout(line);
  both->addWidget(output_note_);
  return widgets;
}

QWidget* SubmitView::make_right() {
  auto* right = new QWidget(this);
  form_ = new JobForm(right);
  profiles_ = new ProfileBar([this] { return form_->profile(output_name()); }, right);
  connect(profiles_, &ProfileBar::loaded, this, [this](const v1::SubmitJobRequest& profile) {
    const QString output = form_->show_profile(profile);
    if (!output.isEmpty()) output_->setText(output);
  });
  connect(profiles_, &ProfileBar::said, this, &SubmitView::say);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(6, 0, 0, 0);
  column->addWidget(profiles_);
  column->addWidget(form_, 1);
  return right;
}

bool SubmitView::choose_kind(const QString& kind) { return form_->choose_kind(kind); }

void SubmitView::choose_server(int server) {
  const int index = server_->findData(server);
  if (index < 0 || index == server_->currentIndex()) return;
  server_->setCurrentIndex(index);
  change();
}

// --- Files ---------------------------------------------------------------------------------------

void SubmitView::take_files(const QMimeData& dragged) {
  QStringList paths;
  for (const QUrl& url : dragged.urls())
    if (url.isLocalFile()) paths.push_back(url.toLocalFile());
  files_.add_files(paths);
}

void SubmitView::add_by_dialog() { files_.add_files(QFileDialog::getOpenFileNames(this, tr("Add files"))); }

std::vector<int> SubmitView::selected_rows() const {
  std::vector<int> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  return rows;
}

// --- The server ----------------------------------------------------------------------------------

void SubmitView::list_servers() {
  const int chosen = server();
  const std::vector<int> numbers = fleet_.servers();
  if (int(numbers.size()) != server_->count() || server_->findData(chosen) < 0) {
    server_->clear();
    for (const int number : numbers) server_->addItem(fleet_.address(number), number);
    server_->setCurrentIndex(std::max(0, server_->findData(chosen)));
  }
  server_->setVisible(server_->count() != 1);
  show_state();
}

void SubmitView::list_devices() {
  std::vector<std::pair<QString, QString>> devices;
  for (const DeviceRecord& record : fleet_.devices().devices(server()))
    devices.emplace_back(record.device.id,
                         tr("%1: %2", "device, its name").arg(record.device.id, record.device.name));
  if (devices == devices_) return;
  devices_ = devices;
  form_->set_devices(devices);
}

// Returns the output with "~" expanded, because the server does not expand it.
QString SubmitView::output_name() const { return with_home(output_->text()); }

int SubmitView::server() const { return server_->currentData().toInt(); }

void SubmitView::change() {
  say({});  // clears the message about the former state
  changing_.start(kTypingPause);
  profiles_->show_changes();
  show_state();
}

void SubmitView::check(bool all) {
  changing_.stop();
  if (files_.is_submitting() || form_->wrong() > 0) return;
  if (const Status status = files_.check(server(), form_->draft(output_name()), all); !status.ok())
    say(QString::fromStdString(printable_lines(message_of(status))));
  show_answers();
}

void SubmitView::submit() {
  changing_.stop();
  const Status status = files_.submit_files(server(), form_->draft(output_name()));
  say(status.ok() ? tr("Adding ...") : QString::fromStdString(printable_lines(message_of(status))));
  // Moves the focus, which a disabled button would pass to an arbitrary field.
  if (status.ok())
    (table_->isVisible() ? static_cast<QWidget*>(table_) : check_)->setFocus(Qt::OtherFocusReason);
  show_answers();
}

void SubmitView::show_answers() {
  const auto others = form_->show_errors(files_.violations());
  const std::string output = form_->output_field();
  const auto wrong =
      std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.field == output; });
  output_note_->show_error(
      wrong == others.end() ? QString() : QString::fromStdString(printable_lines(wrong->description)));
  if (!files_.problem().isEmpty()) say(files_.problem());
  estimate_->setText(files_.estimate().join('\n'));
  show_state();
}

void SubmitView::show_state() {
  const bool reads = form_->reads_files();
  table_->setVisible(reads);
  file_buttons_->setVisible(reads);
  output_widgets_->setVisible(!form_->output_field().empty());
  const int count = reads ? files_.rowCount() : 1;
  const int wrong = form_->wrong();
  invitation_->setVisible(count == 0);
  // The number of jobs is known only after submission if the files of one folder may become one
  // job.
  const bool is_open = count > 1 && client::takes_several_files(form_->kind());
  submit_->setText(is_open ? tr("Add the jobs") : counted(count, tr("Add the job"), tr("Add %1 jobs")));
  const bool can = count > 0 && wrong == 0 && server() > 0 && !files_.is_submitting();
  submit_->setEnabled(can);
  check_->setEnabled(can);
  if (wrong > 0) say(counted(wrong, tr("1 option is invalid."), tr("%1 options are invalid.")));
}

void SubmitView::say(const QString& sentence) { said_->setText(sentence); }

}  // namespace weft::gui
