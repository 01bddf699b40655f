// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/stored_servers.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>

namespace weft::gui {

std::vector<ServerPlace> stored_servers() {
  QSettings settings;
  std::vector<ServerPlace> places(size_t(settings.beginReadArray("servers")));
  for (size_t i = 0; i < places.size(); i++) {
    settings.setArrayIndex(int(i));
    ServerPlace& place = places[i];
    place.address = settings.value("address").toString();
    place.tls = settings.value("tls").toBool();
    place.roots_file = settings.value("roots").toString();
    place.server_name = settings.value("name").toString();
    place.token = settings.value("token").toString();
    place.keeps_token = !place.token.isEmpty();
  }
  settings.endArray();
  return places;
}

void store_servers(const std::vector<ServerPlace>& places) {
  QSettings settings;
  // The settings keep the permissions that their file has.
  QDir().mkpath(QFileInfo(settings.fileName()).path());
  if (QFile file(settings.fileName()); file.open(QIODevice::Append))
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  settings.remove("servers");
  settings.beginWriteArray("servers", int(places.size()));
  for (size_t i = 0; i < places.size(); i++) {
    settings.setArrayIndex(int(i));
    const ServerPlace& place = places[i];
    settings.setValue("address", place.address);
    if (!place.tls) continue;
    settings.setValue("tls", true);
    settings.setValue("roots", place.roots_file);
    settings.setValue("name", place.server_name);
    if (place.keeps_token) settings.setValue("token", place.token);
  }
  settings.endArray();
}

}  // namespace weft::gui
