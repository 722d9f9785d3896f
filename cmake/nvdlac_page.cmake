# SPDX-License-Identifier: Apache-2.0
# nvdlac_page(FOLDER TO): makes TO/page_parts.hpp of the page's files in FOLDER. What the page
# embeds is read when a page is written: where it is found now or, if it is not, where Debian has
# it.
function(nvdlac_page folder to)
  find_file(NVDLAC_CHART_JS chart.min.js PATHS /usr/share PATH_SUFFIXES javascript/chart.js
    NO_DEFAULT_PATH DOC "Chart.js, which nvdlac's pages embed")
  find_path(NVDLAC_D3_MODULES d3-zoom/dist/d3-zoom.min.js PATHS /usr/share/nodejs
    NO_DEFAULT_PATH DOC "Folder of d3-zoom, which nvdlac's pages embed, and of what it needs")
  find_program(NVDLAC_DOT dot DOC "Graphviz, which draws for nvdlac's pages")
  foreach(default IN ITEMS CHART_JS=/usr/share/javascript/chart.js/chart.min.js
      D3_MODULES=/usr/share/nodejs DOT=/usr/bin/dot)
    string(REPLACE "=" ";" default ${default})
    list(POP_FRONT default name)
    if(NOT NVDLAC_${name})
      set(NVDLAC_${name} ${default})
    endif()
  endforeach()
  # All pages begin alike: with head.html and common.js.
  foreach(part IN ITEMS head.html page.html page.css common.js data.js plots.js page.js)
    cmake_path(GET part EXTENSION kind)
    file(READ ${folder}/${part} text)
    string(APPEND part${kind} "${text}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${part})
  endforeach()
  file(READ ${folder}/head.html begin.html)
  file(READ ${folder}/common.js begin.js)
  foreach(part IN ITEMS front.html front.js diff.html diff.js sweep.html sweep.js)
    cmake_path(GET part EXTENSION kind)
    file(READ ${folder}/${part} ${part})
    string(PREPEND ${part} "${begin${kind}}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${part})
  endforeach()
  configure_file(${folder}/page_parts.hpp.in ${to}/page_parts.hpp @ONLY)
endfunction()
