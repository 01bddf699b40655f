// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/about_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <google/protobuf/stubs/common.h>

namespace weft::gui {
namespace {

constexpr QSize kAboutSize(460, 320);

}  // namespace

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("About Weft"));
  resize(kAboutSize);
  auto* title =
      new QLabel(tr("Weft %1: a job queue for shared GPUs.").arg(QLatin1String(WEFT_VERSION)), this);
  title->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  title->setAccessibleName(tr("Version"));
  auto* parts = new QTreeWidget(this);
  parts->setAccessibleName(tr("Libraries"));
  parts->setRootIsDecorated(false);
  parts->setHeaderLabels({tr("Built with"), tr("Version"), tr("Licence")});
  const auto add = [parts](const char* name, const QString& version, const char* licence) {
    new QTreeWidgetItem(parts, {QLatin1String(name), version, QLatin1String(licence)});
  };
  add("Weft", QLatin1String(WEFT_VERSION), "Apache-2.0");
  add("Qt", QLatin1String(qVersion()), "LGPL-3.0-only");
  add("Qt Charts", QLatin1String(qVersion()), "GPL-3.0-or-later");
  add("Protocol Buffers",
      QString::fromStdString(google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)),
      "BSD-3-Clause");
  add("gRPC", QLatin1String(WEFT_GRPC_VERSION), "Apache-2.0");
  add("Abseil", QLatin1String(WEFT_ABSEIL_VERSION), "Apache-2.0");
  add("spdlog", QLatin1String(WEFT_SPDLOG_VERSION), "MIT");
  add("fmt", QLatin1String(WEFT_FMT_VERSION), "MIT");
  for (int column = 0; column < parts->columnCount(); column++) parts->resizeColumnToContents(column);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(title);
  layout->addWidget(parts);
  layout->addWidget(buttons);
}

}  // namespace weft::gui
