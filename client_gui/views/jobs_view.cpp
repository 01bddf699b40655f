// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/jobs_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"

namespace weft::gui {
namespace {

constexpr std::chrono::milliseconds kTyping(150);

}  // namespace

JobsView::JobsView(Fleet& fleet, QWidget* parent)
    : QWidget(parent),
      jobs_(fleet.jobs()),
      search_(new QLineEdit(this)),
      count_(new QLabel(this)),
      table_(new JobsTable(jobs_, this)),
      detail_(new JobDetailView(fleet, this)),
      splitter_(new QSplitter(Qt::Vertical, this)) {
  search_->setPlaceholderText(tr("Search: words in the table, or state:failed owner:anna ..."));
  search_->setAccessibleName(tr("Search jobs"));
  search_->setToolTip(tr("Words are searched in the visible columns; NAME:WORD searches one field (%1). Down "
                         "and Enter go to the jobs; Esc clears the search.")
                          .arg(search_field_names()));
  search_->setClearButtonEnabled(true);
  search_->installEventFilter(this);
  count_->setAccessibleName(tr("Number of jobs"));
  count_->setObjectName(QStringLiteral("count"));
  auto* line = new QHBoxLayout;
  line->addWidget(search_, 1);
  line->addWidget(count_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addLayout(line);
  layout->addWidget(splitter_, 1);
  splitter_->addWidget(table_);
  splitter_->addWidget(detail_);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 2);
  connect(splitter_, &QSplitter::splitterMoved, this, &JobsView::parts_moved);
  connect(table_, &JobsTable::columns_changed, this, [this] {
    if (!scope_.text.isEmpty()) typing_.start(kTyping);
  });
  actions_ = new JobActions(fleet, *table_);
  columns_ = new ColumnActions(*table_);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &JobsView::follow_selection);
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &JobsView::follow_selection);
  typing_.setSingleShot(true);
  connect(search_, &QLineEdit::textChanged, this, [this] { typing_.start(kTyping); });
  connect(&typing_, &QTimer::timeout, this, &JobsView::apply_scope);
  connect(&ages_, &QTimer::timeout, table_->viewport(), qOverload<>(&QWidget::update));
  ages_.start(std::chrono::seconds(1));
  for (const auto changed : {&JobsModel::rowsInserted, &JobsModel::rowsRemoved})
    connect(&jobs_, changed, this, &JobsView::show_count);
  connect(&fleet, &Fleet::links_changed, this,
          [this, &fleet] { table_->distinguish_servers(fleet.servers().size() > 1); });
  connect(&jobs_, &JobsModel::counts_changed, this, &JobsView::show_count);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &JobsView::show_count);
  keep_in_view();
  show_count();
}

// Keeps a selected job visible while rows move, if it was visible before.
void JobsView::keep_in_view() {
  connect(&jobs_, &JobsModel::layoutAboutToBeChanged, this, [this] {
    const QRect view = table_->viewport()->rect();
    kept_ = QPersistentModelIndex();
    for (const QModelIndex& each :
         {table_->currentIndex(), table_->selectionModel()->selectedRows().value(0)})
      if (!kept_.isValid() && table_->selectionModel()->isSelected(each) &&
          view.intersects(table_->visualRect(each)))
        kept_ = each.siblingAtColumn(0);
  });
  // Connected after the handler of the table, which has to run first.
  connect(&jobs_, &JobsModel::layoutChanged, this, [this] {
    if (kept_.isValid()) table_->scrollTo(kept_);
  });
}

void JobsView::set_scope(const JobScope& scope) {
  scope_ = scope;
  apply_scope();
}

void JobsView::apply_scope() {
  typing_.stop();
  scope_.text = search_->text();
  scope_.columns.clear();
  for (const JobColumn column : searchable_columns())
    if (!table_->isColumnHidden(int(column))) scope_.columns.push_back(column);
  jobs_.set_scope(scope_);
  show_count();
}

// Shows the details of the selected job. A current row without a selection is ignored: the table
// sets a current row when it gets the focus or when the selected job is removed.
void JobsView::follow_selection() {
  const QItemSelectionModel& chosen = *table_->selectionModel();
  const QModelIndex current = chosen.currentIndex();
  int row = -1;
  if (chosen.isSelected(current))
    row = current.row();
  else if (chosen.hasSelection())
    row = chosen.selection().first().top();
  if (row < 0) return detail_->select_job(0, {});
  const PlacedJob& placed = jobs_.job_at(row);
  detail_->select_job(placed.server, placed.job.id);
}

void JobsView::choose_first() {
  QItemSelectionModel& chosen = *table_->selectionModel();
  if (chosen.hasSelection() || jobs_.rowCount() == 0) return;
  // The same as selectRow(), but independent of pressed keys.
  chosen.setCurrentIndex(jobs_.index(0, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

bool JobsView::is_settled() const { return detail_->is_settled(); }

void JobsView::search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

bool JobsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Escape:
      search_->clear();
      break;
    case Qt::Key_Down:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      break;
    default:
      return false;
  }
  apply_scope();
  if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) choose_first();
  table_->setFocus(Qt::OtherFocusReason);
  return true;
}

void JobsView::show_count() {
  const int shown = jobs_.rowCount();
  QString text =
      shown == jobs_.total() ? tr("Jobs: %1").arg(shown) : tr("Jobs: %1 of %2").arg(shown).arg(jobs_.total());
  int selected = 0;
  for (const QItemSelectionRange& range : table_->selectionModel()->selection()) selected += range.height();
  if (selected > 1) text += tr(", %1 selected").arg(selected);
  count_->setText(text);
}

QByteArray JobsView::save_parts() const { return splitter_->saveState(); }

void JobsView::restore_parts(const QByteArray& state) { splitter_->restoreState(state); }

}  // namespace weft::gui
