# SPDX-License-Identifier: Apache-2.0
# bill_of_materials(FOLDER PACKAGE VERSION TIME COMPILED_IN..) writes
# usr/share/doc/PACKAGE/PACKAGE.spdx in a folder that becomes a package: its files with their hashes, and what they are made of, in
# SPDX 2.3. COMPILED_IN are Debian's packages of which programs hold code, those that are not
# installed left out; the libraries that programs load are found, or it fails.
cmake_policy(VERSION 3.24)

function(versions_of packages out)
  set(found "")
  foreach(package IN LISTS packages)
    execute_process(COMMAND dpkg-query -W -f "\${db:Status-Abbrev}\${Version}" ${package}
      OUTPUT_VARIABLE said ERROR_QUIET)
    if(said MATCHES "^ii *(.+)$")
      list(APPEND found "${package}=${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# Debian's packages of the libraries that a program names as its own.
function(libraries_of program out)
  execute_process(COMMAND objdump -p ${program} OUTPUT_VARIABLE head COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE loaded COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "NEEDED +[^ \n]+" needed "${head}")
  set(found "")
  foreach(library IN LISTS needed)
    string(REGEX REPLACE "NEEDED +" "" library ${library})
    string(REGEX REPLACE "([+.])" "\\\\\\1" pattern ${library})
    if(library MATCHES "^ld-linux")
      continue()  # the loader itself
    endif()
    if(NOT loaded MATCHES "${pattern} => (/[^ ]+)")
      message(FATAL_ERROR "${program} loads ${library}, which is not found")
    endif()
    set(owner "")
    foreach(path IN ITEMS ${CMAKE_MATCH_1} /usr${CMAKE_MATCH_1})
      file(REAL_PATH ${path} real)
      execute_process(COMMAND dpkg-query -S ${path} ${real} OUTPUT_VARIABLE said ERROR_QUIET)
      if(said MATCHES "^([^:,]+)")
        set(owner ${CMAKE_MATCH_1})
        break()
      endif()
    endforeach()
    if(NOT owner)
      message(FATAL_ERROR "${program} loads ${library}, which is of no package")
    endif()
    list(APPEND found ${owner})
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(bill_of_materials folder name version time)
  set(text "")
  set(hashes "")
  set(dynamic "")
  file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
  list(SORT files)
  foreach(file IN LISTS files)
    set(path ${folder}/${file})
    if(IS_SYMLINK ${path})
      continue()
    endif()
    file(SHA1 ${path} sha1)
    file(SHA256 ${path} sha256)
    list(APPEND hashes ${sha1})
    string(SHA1 id ${file})
    string(APPEND text "\nFileName: ./${file}\nSPDXID: SPDXRef-File-${id}\n"
      "FileChecksum: SHA1: ${sha1}\nFileChecksum: SHA256: ${sha256}\n"
      "LicenseConcluded: Apache-2.0\nLicenseInfoInFile: NOASSERTION\n"
      "FileCopyrightText: NOASSERTION\n")
    file(READ ${path} magic LIMIT 4 HEX)
    if(magic STREQUAL 7f454c46)
      libraries_of(${path} libraries)
      list(APPEND dynamic ${libraries})
    endif()
  endforeach()
  list(SORT hashes)
  list(JOIN hashes "" hashes)
  string(SHA1 code "${hashes}")

  set(materials "")
  list(REMOVE_DUPLICATES dynamic)
  list(SORT dynamic)
  set(compiled_in ${ARGN})
  list(SORT compiled_in)
  foreach(kind IN ITEMS compiled_in:STATIC_LINK dynamic:DYNAMIC_LINK)
    string(REPLACE ":" ";" kind ${kind})
    list(POP_BACK kind relation)
    versions_of("${${kind}}" all)
    foreach(one IN LISTS all)
      string(REGEX MATCH "^([^=]+)=(.*)$" ignored ${one})
      set(package ${CMAKE_MATCH_1})
      set(its ${CMAKE_MATCH_2})
      set(id SPDXRef-${relation}-${package})
      string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" id ${id})
      string(REPLACE "+" "%2B" encoded "${package}@${its}")
      string(APPEND materials "\nPackageName: ${package}\nSPDXID: ${id}\n"
        "PackageVersion: ${its}\nPackageDownloadLocation: NOASSERTION\n"
        "FilesAnalyzed: false\nPackageLicenseConcluded: NOASSERTION\n"
        "PackageLicenseDeclared: NOASSERTION\nPackageCopyrightText: NOASSERTION\n"
        "ExternalRef: PACKAGE-MANAGER purl pkg:deb/debian/${encoded}\n"
        "Relationship: SPDXRef-Package ${relation} ${id}\n")
    endforeach()
  endforeach()

  file(WRITE ${folder}/usr/share/doc/${name}/${name}.spdx
    "SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\n"
    "DocumentName: ${name}-${version}\n"
    "DocumentNamespace: https://spdx.org/spdxdocs/${name}-${version}-${code}\n"
    "Creator: Organization: nvdlac\nCreator: Tool: CPack-${CMAKE_VERSION}\nCreated: ${time}\n\n"
    "PackageName: ${name}\nSPDXID: SPDXRef-Package\nPackageVersion: ${version}\n"
    "PackageSupplier: NOASSERTION\nPackageDownloadLocation: NOASSERTION\nFilesAnalyzed: true\n"
    "PackageVerificationCode: ${code} (excludes: ./usr/share/doc/${name}/${name}.spdx)\n"
    "PackageLicenseConcluded: Apache-2.0\nPackageLicenseInfoFromFiles: NOASSERTION\n"
    "PackageLicenseDeclared: Apache-2.0\nPackageCopyrightText: 2026 the authors of nvdlac\n"
    "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Package\n"
    "${text}${materials}")
endfunction()
