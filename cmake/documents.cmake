# The man page and the completions of shells, made by a small program from the same tables of commands
# and options that the command line reads.
file(GLOB DOCUMENTS_SOURCES CONFIGURE_DEPENDS cli/documents/*.c)
add_executable(headroom-documents ${DOCUMENTS_SOURCES})
target_link_libraries(headroom-documents PRIVATE headroom_cli)

set(DOCUMENTS_DIR ${CMAKE_BINARY_DIR}/documents)
set(DOCUMENTS ${DOCUMENTS_DIR}/headroom.1 ${DOCUMENTS_DIR}/headroom.bash ${DOCUMENTS_DIR}/_headroom)
add_custom_command(
  OUTPUT ${DOCUMENTS}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${DOCUMENTS_DIR}
  COMMAND headroom-documents ${DOCUMENTS_DIR}
  DEPENDS headroom-documents
  COMMENT "Writing the man page and the completions")
add_custom_target(documents ALL DEPENDS ${DOCUMENTS})
