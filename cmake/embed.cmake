# embed_file(PATH SYMBOL): compiles the bytes of PATH into the core as `const char SYMBOL[]`, ended by
# a zero byte. Appends the generated source to EMBEDDED_SOURCES.
function(embed_file path symbol)
  set(input ${CMAKE_SOURCE_DIR}/${path})
  set(output ${CMAKE_BINARY_DIR}/embedded/${symbol}.c)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=${symbol}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${input} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    COMMENT "Embedding ${path}")
  set(EMBEDDED_SOURCES ${EMBEDDED_SOURCES} ${output} PARENT_SCOPE)
endfunction()
