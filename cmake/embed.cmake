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

# embed_files(TABLE PATH...): embeds every PATH and compiles TABLE, an array of struct embedded_file
# (cmake/embedded_file.h), sorted by name: the file's without folder and ending.
function(embed_files table)
  set(rows "")
  set(externs "")
  list(SORT ARGN)
  foreach(path ${ARGN})
    get_filename_component(name ${path} NAME_WE)
    string(MAKE_C_IDENTIFIER "${table}_${name}" symbol)
    embed_file(${path} ${symbol})
    string(APPEND externs "extern const char ${symbol}[];\n")
    string(APPEND rows "    {\"${name}\", \"${path}\", ${symbol}},\n")
  endforeach()
  set(output ${CMAKE_BINARY_DIR}/embedded/${table}.c)
  file(CONFIGURE OUTPUT ${output} CONTENT
       "#include \"cmake/embedded_file.h\"\n\n${externs}\nextern const struct embedded_file ${table}[];\nconst struct embedded_file ${table}[] = {\n${rows}    {0},\n};\n")
  set(EMBEDDED_SOURCES ${EMBEDDED_SOURCES} ${output} PARENT_SCOPE)
endfunction()
