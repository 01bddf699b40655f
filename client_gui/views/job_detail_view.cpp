// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/job_detail_view.h"

#include <QAction>
#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "client_gui/views/decisions_view.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

// Interval between requests for a queued job's details, since the server does not report a change
// of its position in the queue.
constexpr std::chrono::seconds kRefreshInterval(5);
constexpr int kValueMargin = 12;

// A delegate that makes rows as high as their wrapped values.
class WrappedValues final : public QStyledItemDelegate {
 public:
  explicit WrappedValues(QTreeView* tree) : QStyledItemDelegate(tree), tree_(*tree) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() != 1) return size;
    const QRect bounds(0, 0, tree_.columnWidth(1) - kValueMargin, std::numeric_limits<int>::max());
    const QRect text =
        option.fontMetrics.boundingRect(bounds, int(Qt::TextWordWrap), index.data().toString());
    return {size.width(), std::max(option.fontMetrics.height(), text.height())};
  }

 private:
  const QTreeView& tree_;
};

void add_item(QTreeWidget& tree, QTreeWidgetItem*& title, const Property& property) {
  QTreeWidgetItem* item = nullptr;
  if (property.is_part && title != nullptr)
    item = new QTreeWidgetItem(title, {property.name, property.value});
  else
    item = new QTreeWidgetItem(&tree, {property.name, property.value});
  item->setToolTip(1, property.value);
  if (!property.value.isEmpty() || property.is_part) return;
  title = item;
  item->setFirstColumnSpanned(true);
  item->setExpanded(true);
  QFont font = tree.font();
  font.setBold(true);
  item->setFont(0, font);
}

QPlainTextEdit* make_text(QWidget* parent, const QString& name) {
  auto* text = new QPlainTextEdit(parent);
  text->setReadOnly(true);
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setAccessibleName(name);
  return text;
}

}  // namespace

JobDetailView::JobDetailView(Fleet& fleet, QWidget* parent)
    : QTabWidget(parent),
      fleet_(fleet),
      invitation_(new QLabel(tr("Select a job to see its details."))),
      properties_(new QTreeWidget(this)),
      log_(make_text(this, tr("Log"))),
      decisions_(new DecisionsView(fleet, this)),
      specification_(make_text(this, tr("Settings (JSON)"))) {
  setDocumentMode(true);
  properties_->setAccessibleName(tr("Details"));
  properties_->setHeaderHidden(true);
  properties_->setColumnCount(2);
  properties_->setRootIsDecorated(false);
  properties_->setWordWrap(true);
  properties_->setItemDelegate(new WrappedValues(properties_));
  connect(properties_->header(), &QHeaderView::sectionResized, properties_, &QTreeWidget::doItemsLayout);
  auto* copy = new QAction(tr("Copy the value"), properties_);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this, [this] {
    if (const QTreeWidgetItem* item = properties_->currentItem())
      QGuiApplication::clipboard()->setText(item->text(1));
  });
  properties_->addAction(copy);
  properties_->setContextMenuPolicy(Qt::ActionsContextMenu);
  properties_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  invitation_->setAlignment(Qt::AlignCenter);
  invitation_->setForegroundRole(QPalette::PlaceholderText);
  (new QVBoxLayout(properties_))->addWidget(invitation_);
  log_->setMaximumBlockCount(int(kMostLogLines));
  addTab(properties_, tr("Details"));
  addTab(log_, tr("Log"));
  addTab(decisions_, tr("Decisions"));
  addTab(specification_, tr("Settings (JSON)"));
  connect(&fleet_, &Fleet::detail_came, this, &JobDetailView::show_detail);
  connect(&fleet_.jobs(), &JobsModel::dataChanged, this, &JobDetailView::show_properties);
  again_.setSingleShot(true);
  connect(&again_, &QTimer::timeout, &fleet_, &Fleet::refresh_selected);
  connect(&fleet_, &Fleet::log_came, this, &JobDetailView::add_lines);
}

void JobDetailView::select_job(int server, const QString& id) {
  if (server == server_ && id == id_) return;
  server_ = server;
  id_ = id;
  detail_ = {};
  shown_.clear();
  again_.stop();
  properties_->clear();
  log_->clear();
  log_->setPlaceholderText({});
  specification_->clear();
  waits_ = !id.isEmpty();
  invitation_->setVisible(id.isEmpty());
  fleet_.select_job(server, id);
  decisions_->select_job(server, id);
  show_properties();
}

bool JobDetailView::is_settled() const { return !waits_ && decisions_->is_settled(); }

void JobDetailView::show_log() {
  setCurrentWidget(log_);
  log_->setFocus(Qt::ShortcutFocusReason);
}

void JobDetailView::show_detail(const JobDetail& detail) {
  waits_ = false;
  detail_ = detail;
  show_properties();
  if (specification_->toPlainText() != detail.specification)
    specification_->setPlainText(detail.specification);
}

// Shows the properties. The lines are rebuilt only after a change, so that selections of text
// persist.
void JobDetailView::show_properties() {
  if (id_.isEmpty()) return;
  const JobRow* row = fleet_.jobs().find(server_, id_);
  log_->setPlaceholderText(missing_log_text(row));
  if (detail_.id != id_) return;
  // The server does not report a change of the position in the queue.
  const bool is_queued = row != nullptr && row->state == v1::JOB_STATE_QUEUED;
  if (!is_queued) again_.stop();
  if (is_queued && !again_.isActive()) again_.start(kRefreshInterval);
  std::vector<Property> lines = info_of(detail_, row);
  if (lines == shown_) return;
  shown_ = std::move(lines);
  const int scroll_value = properties_->verticalScrollBar()->value();
  properties_->clear();
  QTreeWidgetItem* title = nullptr;
  for (const Property& each : shown_) add_item(*properties_, title, each);
  properties_->verticalScrollBar()->setValue(scroll_value);
}

// Adds lines and scrolls to the last one, unless the user has scrolled up.
void JobDetailView::add_lines(const std::deque<LogRow>& lines) {
  QStringList text;
  for (const LogRow& line : lines)
    text.push_back(QStringLiteral("%1  %2  %3").arg(line.time, line.level.leftJustified(7), line.text));
  log_->appendPlainText(text.join('\n'));
}

}  // namespace weft::gui
