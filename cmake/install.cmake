# What `cmake --install BUILD` puts in place.
include(GNUInstallDirs)
install(TARGETS headroom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${DOCUMENTS_DIR}/headroom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${DOCUMENTS_DIR}/headroom.bash RENAME headroom
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${DOCUMENTS_DIR}/_headroom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
install(FILES reports/schema.sql DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY scenarios/library scenarios/templates DESTINATION ${CMAKE_INSTALL_DATADIR}/headroom)
