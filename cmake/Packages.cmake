# SPDX-License-Identifier: Apache-2.0
# Installation, by components, and the Debian packages of them (cpack -G DEB; scripts/package):
#
#   weftd              the daemon and its workers, kernels for the CPU and Vulkan, the service
#   weft-kernels-cuda  code of the kernels for NVIDIA GPUs
#   weft-cli           the command line
#   weft-dashboard     the dashboard, if WEFT_DASHBOARD is on

include(GNUInstallDirs)
set(weft_deploy ${PROJECT_SOURCE_DIR}/deploy)
# Relative to the programs (kernels/lang/registry.h), and not the system's folder of libraries.
set(weft_modules lib/weft)

# --- weftd
install(TARGETS weftd weft-worker RUNTIME COMPONENT weftd)
foreach(module ${WEFT_KERNEL_MODULES})
  if(NOT module STREQUAL "test")
    install(TARGETS ${module}_kernels LIBRARY DESTINATION ${weft_modules} COMPONENT weftd)
  endif()
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/weft/tuning DESTINATION ${weft_modules} COMPONENT weftd)
install(FILES ${CMAKE_BINARY_DIR}/man/man8/weftd.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8 COMPONENT weftd)
install(FILES ${CMAKE_BINARY_DIR}/man/man5/weft.toml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT weftd)
install(FILES ${weft_deploy}/systemd/weftd.service DESTINATION lib/systemd/system COMPONENT weftd)
install(FILES ${weft_deploy}/systemd/weft.sysusers.conf RENAME weft.conf DESTINATION lib/sysusers.d COMPONENT weftd)
install(FILES ${weft_deploy}/systemd/weft.tmpfiles.conf RENAME weft.conf DESTINATION lib/tmpfiles.d COMPONENT weftd)
# In packages only: a user's installation does not write to /etc.
install(FILES ${weft_deploy}/weft.toml.example RENAME weft.toml DESTINATION /etc/weft COMPONENT weftd EXCLUDE_FROM_ALL)
install(FILES ${weft_deploy}/grafana/weft.json ${weft_deploy}/prometheus/weft.rules.yml
  DESTINATION ${CMAKE_INSTALL_DATADIR}/weft COMPONENT weftd)

# --- weft-kernels-cuda
if(WEFT_HAVE_CUDA)
  install(DIRECTORY ${WEFT_CUDA_CODE_FOLDER} DESTINATION ${weft_modules} COMPONENT weft-kernels-cuda
    FILES_MATCHING PATTERN "*.fatbin" PATTERN "stamp" PATTERN "targets" PATTERN "cuda/test" EXCLUDE)
endif()

# --- weft-cli
install(TARGETS weft RUNTIME COMPONENT weft-cli)
install(FILES ${CMAKE_BINARY_DIR}/man/man1/weft.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT weft-cli)
install(FILES ${CMAKE_BINARY_DIR}/completions/weft.bash RENAME weft
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT weft-cli)
install(FILES ${CMAKE_BINARY_DIR}/completions/weft.zsh RENAME _weft
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT weft-cli)
install(FILES ${CMAKE_BINARY_DIR}/completions/weft.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT weft-cli)

# --- weft-dashboard
if(WEFT_DASHBOARD)
  install(TARGETS weft-dashboard RUNTIME COMPONENT weft-dashboard)
  install(FILES ${weft_deploy}/desktop/weft-dashboard.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT weft-dashboard)
  install(FILES ${weft_deploy}/desktop/weft-dashboard.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT weft-dashboard)
endif()

# --- Packages
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR Weft)
set(CPACK_PACKAGE_CONTACT "Weft <weft@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL weftd weft-cli)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# weft_package(COMPONENT SECTION "Summary" "Description" "Depends" [Recommends])
function(weft_package component section summary description depends)
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${ARGV5}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  # The licences and the changes, where Debian's packages have them.
  set(folder ${CMAKE_BINARY_DIR}/packages/${component})
  configure_file(${weft_deploy}/debian/copyright ${folder}/copyright COPYONLY)
  install(FILES ${folder}/copyright ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} COMPONENT ${component})
endfunction()

set(CPACK_COMPONENTS_ALL "")
weft_package(weftd video "GPU processing daemon for video, images and textures"
"weftd owns the GPUs of a machine: it keeps the deadlines of live streams and runs
queued jobs in the device time between their frames (QTGMC and KFM deinterlacing,
FFT bloom, neural texture upsampling to BC7). This package has the daemon, its
workers, and kernels for the CPU and Vulkan. NVIDIA GPUs also need
weft-kernels-cuda. Debian's FFmpeg, which the workers link, has parts under the GPL."
  "systemd | systemd-standalone-sysusers | systemd-sysusers, init-system-helpers" "weft-cli, mesa-vulkan-drivers | vulkan-icd")
set(CPACK_DEBIAN_WEFTD_PACKAGE_CONTROL_EXTRA
  "${CMAKE_BINARY_DIR}/packages/weftd/conffiles;${weft_deploy}/debian/postinst;${weft_deploy}/debian/prerm;${weft_deploy}/debian/postrm")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/packages/weftd/conffiles CONTENT "/etc/weft/weft.toml\n")
if(WEFT_HAVE_CUDA)
  weft_package(weft-kernels-cuda video "kernels of weftd for NVIDIA GPUs"
"Machine code and PTX of the kernels of weftd, which uses NVIDIA GPUs through CUDA
if this package and NVIDIA's driver (libcuda.so.1) are installed."
    "weftd (= ${PROJECT_VERSION})")
  # Code for GPUs, which no tool of the host strips.
  set(CPACK_DEBIAN_WEFT-KERNELS-CUDA_PACKAGE_SHLIBDEPS OFF)
endif()
weft_package(weft-cli video "command line of the GPU processing daemon weftd"
"weft submits jobs to weftd and shows devices, streams and the queue; `weft run`
starts a private daemon if none answers and weftd is installed. Completions for
bash, zsh and fish."
  "" "weftd")
if(WEFT_DASHBOARD)
  weft_package(weft-dashboard video "dashboard of the GPU processing daemon weftd"
"A window with the jobs, streams and devices of the weftd daemons of one or more
machines. It links Qt Charts, which is under the GPL, version 3."
    "qt6-qpa-plugins" "weftd, qt6-translations-l10n, fonts-dejavu-core")
endif()
include(CPack)
