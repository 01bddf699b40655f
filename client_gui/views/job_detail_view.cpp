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

#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

// The queue moves without the job being told of it.
constexpr std::chrono::seconds kLookAgain(5);
constexpr int kValueMargin = 12;

// Rows as high as their values are in the width there is: a tree asks for one line, and cuts the end of a reason off.
class WrappedValues final : public QStyledItemDelegate {
 public:
  explicit WrappedValues(QTreeView* tree) : QStyledItemDelegate(tree), tree_(*tree) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() != 1) return size;
    const QRect room(0, 0, tree_.columnWidth(1) - kValueMargin, std::numeric_limits<int>::max());
    const QRect text = option.fontMetrics.boundingRect(room, int(Qt::TextWordWrap), index.data().toString());
    return {size.width(), std::max(option.fontMetrics.height(), text.height())};
  }

 private:
  const QTreeView& tree_;
};

void add_item(QTreeWidget& tree, QTreeWidgetItem*& title, const Fact& fact) {
  QTreeWidgetItem* item = nullptr;
  if (fact.is_part && title != nullptr)
    item = new QTreeWidgetItem(title, {fact.name, fact.value});
  else
    item = new QTreeWidgetItem(&tree, {fact.name, fact.value});
  item->setToolTip(1, fact.value);
  if (!fact.value.isEmpty() || fact.is_part) return;
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
      invitation_(new QLabel(tr("Choose a job to see what is known of it."))),
      facts_(new QTreeWidget(this)),
      log_(make_text(this, tr("Log"))),
      specification_(make_text(this, tr("Specification"))) {
  setDocumentMode(true);
  facts_->setAccessibleName(tr("Facts"));
  facts_->setHeaderHidden(true);
  facts_->setColumnCount(2);
  facts_->setRootIsDecorated(false);
  facts_->setWordWrap(true);
  facts_->setItemDelegate(new WrappedValues(facts_));
  connect(facts_->header(), &QHeaderView::sectionResized, facts_, &QTreeWidget::doItemsLayout);
  auto* copy = new QAction(tr("Copy the value"), facts_);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this, [this] {
    if (const QTreeWidgetItem* item = facts_->currentItem())
      QGuiApplication::clipboard()->setText(item->text(1));
  });
  facts_->addAction(copy);
  facts_->setContextMenuPolicy(Qt::ActionsContextMenu);
  facts_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  invitation_->setAlignment(Qt::AlignCenter);
  invitation_->setForegroundRole(QPalette::PlaceholderText);
  (new QVBoxLayout(facts_))->addWidget(invitation_);
  log_->setMaximumBlockCount(int(kMostLogLines));
  addTab(facts_, tr("Facts"));
  addTab(log_, tr("Log"));
  addTab(specification_, tr("Specification"));
  connect(&fleet_, &Fleet::detail_came, this, &JobDetailView::show_detail);
  connect(&fleet_.jobs(), &JobsModel::dataChanged, this, &JobDetailView::show_facts);
  again_.setSingleShot(true);
  connect(&again_, &QTimer::timeout, &fleet_, &Fleet::look_again);
  connect(&fleet_, &Fleet::log_came, this, &JobDetailView::add_lines);
}

void JobDetailView::look_at(int server, const QString& id) {
  if (server == server_ && id == id_) return;
  server_ = server;
  id_ = id;
  detail_ = {};
  shown_.clear();
  again_.stop();
  facts_->clear();
  log_->clear();
  log_->setPlaceholderText({});
  specification_->clear();
  waits_ = !id.isEmpty();
  invitation_->setVisible(id.isEmpty());
  fleet_.look_at(server, id);
  show_facts();
}

void JobDetailView::show_log() {
  setCurrentWidget(log_);
  log_->setFocus(Qt::ShortcutFocusReason);
}

void JobDetailView::show_detail(const JobDetail& detail) {
  waits_ = false;
  detail_ = detail;
  show_facts();
  if (specification_->toPlainText() != detail.specification)
    specification_->setPlainText(detail.specification);
}

// Made anew only where something changed: a person may be reading, or selecting.
void JobDetailView::show_facts() {
  if (id_.isEmpty()) return;
  const JobRow* row = fleet_.jobs().find(server_, id_);
  log_->setPlaceholderText(missing_log_text(row));
  if (detail_.id != id_) return;
  // While it waits nobody says that its place in the queue is another.
  const bool is_queued = row != nullptr && row->state == v1::JOB_STATE_QUEUED;
  if (!is_queued) again_.stop();
  if (is_queued && !again_.isActive()) again_.start(kLookAgain);
  std::vector<Fact> lines = facts_of(detail_, row);
  if (lines == shown_) return;
  shown_ = std::move(lines);
  const int place = facts_->verticalScrollBar()->value();
  facts_->clear();
  QTreeWidgetItem* title = nullptr;
  for (const Fact& each : shown_) add_item(*facts_, title, each);
  facts_->verticalScrollBar()->setValue(place);
}

// The view follows the end of the log, unless somebody scrolled away from it.
void JobDetailView::add_lines(const std::deque<LogRow>& lines) {
  QStringList text;
  for (const LogRow& line : lines)
    text.push_back(QStringLiteral("%1  %2  %3").arg(line.time, line.level.leftJustified(7), line.text));
  log_->appendPlainText(text.join('\n'));
}

}  // namespace weft::gui
