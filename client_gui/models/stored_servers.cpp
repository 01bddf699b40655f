// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/stored_servers.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>

namespace weft::gui {

std::vector<ServerEndpoint> stored_servers() {
  QSettings settings;
  std::vector<ServerEndpoint> endpoints(size_t(settings.beginReadArray("servers")));
  for (size_t i = 0; i < endpoints.size(); i++) {
    settings.setArrayIndex(int(i));
    ServerEndpoint& endpoint = endpoints[i];
    endpoint.address = settings.value("address").toString();
    endpoint.tls = settings.value("tls").toBool();
    endpoint.roots_file = settings.value("roots").toString();
    endpoint.server_name = settings.value("name").toString();
    endpoint.token = settings.value("token").toString();
    endpoint.keeps_token = !endpoint.token.isEmpty();
  }
  settings.endArray();
  return endpoints;
}

void store_servers(const std::vector<ServerEndpoint>& endpoints) {
  QSettings settings;
  // The file is created with its permissions first, because QSettings keeps the permissions of an
  // existing file.
  QDir().mkpath(QFileInfo(settings.fileName()).path());
  if (QFile file(settings.fileName()); file.open(QIODevice::Append))
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  settings.remove("servers");
  settings.beginWriteArray("servers", int(endpoints.size()));
  for (size_t i = 0; i < endpoints.size(); i++) {
    settings.setArrayIndex(int(i));
    const ServerEndpoint& endpoint = endpoints[i];
    settings.setValue("address", endpoint.address);
    if (!endpoint.tls) continue;
    settings.setValue("tls", true);
    settings.setValue("roots", endpoint.roots_file);
    settings.setValue("name", endpoint.server_name);
    if (endpoint.keeps_token) settings.setValue("token", endpoint.token);
  }
  settings.endArray();
}

}  // namespace weft::gui
