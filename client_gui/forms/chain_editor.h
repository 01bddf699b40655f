// SPDX-License-Identifier: Apache-2.0
// Edits a chain of filters as a list with a form of options for each filter. Filters are added from
// a menu, removed and moved. A chain within a filter is edited as text in the syntax of the command
// line.
#pragma once

#include <vector>

#include "client_gui/forms/option_editor.h"
#include "client_gui/forms/option_form.h"
#include "options/filters.h"

class QToolButton;
class QVBoxLayout;

namespace weft::gui {

class ChainEditor final : public OptionEditor {
  Q_OBJECT

 public:
  ChainEditor(const options::Option& option, const QString& name, QWidget* parent);

  QStringList texts() const override;
  void set_texts(const QStringList& texts) override;
  void show_default(const QString&) override {}
  int wrong() const override;
  void set_filter(const FormFilter& filter) override;
  bool matches(const QString& text) const override;
  std::vector<options::Violation> show_errors(const std::string& field,
                                              std::vector<options::Violation> violations) override;

  // Actions of the buttons. `index` is the index of a filter, from 0.
  void add(const QString& filter);
  void remove(int index);
  void move(int index, int by);
  int count() const { return int(boxes_.size()); }
  OptionForm& form(int index) const { return *boxes_[size_t(index)].form; }

 private:
  struct Box {
    options::FilterKind filter;
    QWidget* frame = nullptr;
    QToolButton* up = nullptr;
    QToolButton* down = nullptr;
    OptionForm* form = nullptr;
  };

  std::unique_ptr<google::protobuf::Message> new_holder() const;
  static bool is_called(const Box& box, const QString& text);
  void filter_box(Box& box) const;
  Box& append(const options::FilterKind& filter);
  QToolButton* make_button(Box& box, QWidget* parent, const QString& sign, const QString& what);
  int index_of(const QWidget* frame) const;
  void change();
  void enable_moves();

  const options::Option option_;
  QVBoxLayout* list_;
  QToolButton* add_;
  std::vector<Box> boxes_;
  FormFilter filter_;
};

}  // namespace weft::gui
