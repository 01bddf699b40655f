// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/chain_editor.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "client_gui/texts/declared.h"
#include "client_gui/texts/utf8.h"
#include "options/chain.h"
#include "options/visit.h"

namespace weft::gui {

using google::protobuf::Message;

ChainEditor::ChainEditor(const options::Option& option, const QString& name, QWidget* parent)
    : OptionEditor(parent), option_(option), list_(new QVBoxLayout), add_(new QToolButton(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(list_);
  layout->addWidget(add_, 0, Qt::AlignLeft);
  add_->setText(tr("Add a filter"));
  add_->setAccessibleName(tr("Add a filter: %1").arg(name));
  add_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(add_);
  menu->setToolTipsVisible(true);
  for (const options::FilterKind& filter : options::filters_of(option.field().message_type())) {
    const QString word = text(filter.name());
    menu->addAction(word, this, [this, word] { add(word); })->setToolTip(summary_text(filter));
  }
  add_->setMenu(menu);
  setFocusProxy(add_);
}

std::unique_ptr<Message> ChainEditor::new_holder() const {
  return std::unique_ptr<Message>(google::protobuf::MessageFactory::generated_factory()
                                      ->GetPrototype(option_.field().containing_type())
                                      ->New());
}

QStringList ChainEditor::texts() const {
  if (boxes_.empty()) return {};
  const std::unique_ptr<Message> holder = new_holder();
  for (const Box& box : boxes_) {
    Message& element = *holder->GetReflection()->AddMessage(holder.get(), &option_.field());
    box.form->fill(*element.GetReflection()->MutableMessage(&element, box.filter.field));
  }
  return {text(options::print_chain(*holder, option_.field()))};
}

void ChainEditor::set_texts(const QStringList& texts) {
  while (!boxes_.empty()) {
    boxes_.back().frame->hide();
    boxes_.back().frame->deleteLater();
    boxes_.pop_back();
  }
  const std::unique_ptr<Message> holder = new_holder();
  const Message& read = *holder;
  if (!texts.isEmpty())  // an invalid chain cannot be made with this form
    static_cast<void>(options::parse_chain(texts[0].toStdString(), *holder, option_.field()).ok());
  for (int i = 0; i < read.GetReflection()->FieldSize(read, &option_.field()); i++) {
    const Message& element = read.GetReflection()->GetRepeatedMessage(read, &option_.field(), i);
    if (const auto filter = options::filter_of(element))
      append(*filter).form->show_values(element.GetReflection()->GetMessage(element, filter->field));
  }
  enable_moves();
}

int ChainEditor::wrong() const {
  int count = 0;
  for (const Box& box : boxes_) count += box.form->wrong();
  return count;
}

// Returns true if the text contains the filter's name; then all options of the filter are shown.
bool ChainEditor::is_called(const Box& box, const QString& text) {
  const QString name = gui::text(box.filter.name());
  const QStringList words = text.split(' ', Qt::SkipEmptyParts);
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
}

void ChainEditor::filter_box(Box& box) const {
  box.form->set_filter(is_called(box, filter_.text) ? FormFilter{filter_.which} : filter_);
}

void ChainEditor::set_filter(const FormFilter& filter) {
  filter_ = filter;
  for (Box& box : boxes_) filter_box(box);
}

bool ChainEditor::matches(const QString& text) const {
  return std::any_of(boxes_.begin(), boxes_.end(),
                     [&](const Box& box) { return is_called(box, text) || box.form->matches(text); });
}

std::vector<options::Violation> ChainEditor::show_errors(const std::string& field,
                                                         std::vector<options::Violation> violations) {
  for (size_t i = 0; i < boxes_.size(); i++) {
    boxes_[i].form->set_prefix(
        options::join_path(options::entry_path(field, int(i)), boxes_[i].filter.field->name()));
    violations = boxes_[i].form->show_errors(violations);
  }
  return violations;
}

// --- The list ------------------------------------------------------------------------------------

QToolButton* ChainEditor::make_button(Box& box, QWidget* parent, const QString& sign, const QString& what) {
  auto* button = new QToolButton(parent);
  button->setText(sign);
  button->setAutoRaise(true);
  button->setToolTip(what);
  button->setAccessibleName(QStringLiteral("%1: %2").arg(what, text(box.filter.name())));
  return button;
}

ChainEditor::Box& ChainEditor::append(const options::FilterKind& filter) {
  Box box{filter};
  auto* frame = new QFrame(this);
  frame->setFrameShape(QFrame::StyledPanel);
  box.frame = frame;
  auto* name = new QLabel(QStringLiteral("<b>%1</b>").arg(text(filter.name()).toHtmlEscaped()), frame);
  name->setToolTip(summary_text(filter));
  box.up = make_button(box, frame, QStringLiteral("\u2191"), tr("Move up"));
  box.down = make_button(box, frame, QStringLiteral("\u2193"), tr("Move down"));
  auto* remove_button = make_button(box, frame, QStringLiteral("\u00d7"), tr("Remove"));
  box.form = new OptionForm(filter.message(), "", {}, frame);
  filter_box(box);
  auto* head = new QHBoxLayout;
  head->addWidget(name, 1);
  for (QToolButton* button : {box.up, box.down, remove_button}) head->addWidget(button);
  auto* column = new QVBoxLayout(frame);
  column->addLayout(head);
  column->addWidget(box.form);
  connect(box.up, &QToolButton::clicked, this, [this, frame] { move(index_of(frame), -1); });
  connect(box.down, &QToolButton::clicked, this, [this, frame] { move(index_of(frame), 1); });
  connect(remove_button, &QToolButton::clicked, this, [this, frame] { remove(index_of(frame)); });
  connect(box.form, &OptionForm::edited, this, &OptionEditor::edited);
  list_->addWidget(frame);
  boxes_.push_back(box);
  return boxes_.back();
}

int ChainEditor::index_of(const QWidget* frame) const {
  for (size_t i = 0; i < boxes_.size(); i++)
    if (boxes_[i].frame == frame) return int(i);
  return -1;
}

void ChainEditor::enable_moves() {
  for (size_t i = 0; i < boxes_.size(); i++) {
    boxes_[i].up->setEnabled(i > 0);
    boxes_[i].down->setEnabled(i + 1 < boxes_.size());
  }
}

void ChainEditor::change() {
  enable_moves();
  emit edited();
}

void ChainEditor::add(const QString& filter) {
  const auto found = options::find_filter(option_.field().message_type(), filter.toStdString());
  if (!found) return;
  append(*found);
  change();
}

void ChainEditor::remove(int index) {
  if (index < 0 || index >= count()) return;
  boxes_[size_t(index)].frame->hide();
  boxes_[size_t(index)].frame->deleteLater();
  boxes_.erase(boxes_.begin() + index);
  change();
}

void ChainEditor::move(int index, int by) {
  const int to = index + by;
  if (index < 0 || index >= count() || to < 0 || to >= count()) return;
  std::swap(boxes_[size_t(index)], boxes_[size_t(to)]);
  for (const Box& box : boxes_) list_->removeWidget(box.frame);
  for (const Box& box : boxes_) list_->addWidget(box.frame);
  change();
}

}  // namespace weft::gui
