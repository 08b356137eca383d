# Runs araios-bench (BENCH) as a user does, in an empty FOLDER: exit codes, messages, JSON.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# Runs the arguments, expects the exit code, and text that matches in stdout and in stderr.
function(expect code out_regex err_regex)
  execute_process(COMMAND ${BENCH} ${ARGN} WORKING_DIRECTORY ${FOLDER}
                  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result STREQUAL code)
    message(SEND_ERROR "${ARGN}: exit code ${result} instead of ${code}\n${out}${err}")
  endif()
  if(NOT out MATCHES "${out_regex}")
    message(SEND_ERROR "${ARGN}: stdout does not match '${out_regex}':\n${out}")
  endif()
  if(NOT err MATCHES "${err_regex}")
    message(SEND_ERROR "${ARGN}: stderr does not match '${err_regex}':\n${err}")
  endif()
endfunction()

# Bad input: nothing on stdout, one line on stderr, exit code 2.
function(expect_refusal regex)
  expect(2 "^$" "^araios-bench: [^\n]*${regex}[^\n]*\n$" ${ARGN})
endfunction()

function(expect_json file expected)
  file(READ ${FOLDER}/${file} json)
  string(JSON value ERROR_VARIABLE error GET "${json}" ${ARGN})
  if(error OR NOT value MATCHES "^(${expected})$")
    message(SEND_ERROR "${file}: ${ARGN} is '${value}' instead of '${expected}' ${error}")
  endif()
endfunction()

file(WRITE ${FOLDER}/wide.mtx
"%%MatrixMarket matrix coordinate real general
2 3 4
1 1 1
1 2 2
2 2 3
2 3 4
")
file(WRITE ${FOLDER}/bad.mtx "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n")
file(WRITE ${FOLDER}/complex.mtx "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n")
file(WRITE ${FOLDER}/text.txt "no matrix\n")
file(WRITE ${FOLDER}/empty.mtx "%%MatrixMarket matrix coordinate real general\n0 0 0\n")

expect(0 "spgemm.*spmv.*spmm.*bfs.*sssp.*components.*pagerank.*info.*table" "^$" --help)
expect(0 "--schedule.*--repeat.*--json" "^$" spmv --help)
expect(0 "--source.*--repeat.*weight" "^$" sssp --help)
expect(0 "^araios-bench ${VERSION}\n$" "^$" --version)

expect_refusal("subcommand")
expect_refusal("subcommand" multiply)
expect_refusal("--matrix or --suite" spmv)
expect_refusal("nosuch.mtx: no such file" spmv --matrix nosuch.mtx)
expect_refusal("no such matrix; there are .*laplace_3d_27pt.*rmat18_ef8" spmv --matrix gallery:nosuch)
expect_refusal("--suite" spmv --suite large)
expect_refusal("text.txt:1: " spmv --matrix text.txt)
expect_refusal("complex.mtx: .*real scalars" spgemm --matrix complex.mtx)
expect_refusal("--impl other: .*there are araios, araios_once, portable,"
               spmv --matrix wide.mtx --impl araios,other)
expect_refusal("--schedule other: there are automatic, loops, thread_mapped" spmv --matrix wide.mtx
               --schedule other)
expect_refusal("--schedule merge_path: .*automatic, hash or dense" spgemm --matrix wide.mtx
               --schedule merge_path)
expect_refusal("--scalar" spmv --matrix wide.mtx --scalar half)
expect_refusal("--columns" spmm --matrix wide.mtx --columns 0)
expect_refusal("--layout" spmm --matrix wide.mtx --layout middle)
expect_refusal("--repeat" spmv --matrix wide.mtx --repeat 0)
expect_refusal("--source" bfs --matrix gallery:arrow:9 --source -1)
expect_refusal("--schedule" bfs --matrix gallery:arrow:9 --schedule merge_path)
expect_refusal("--impl other: .*there are araios, araios_both_ways, reference"
               bfs --matrix gallery:arrow:9 --impl other)
expect_refusal("no/such/folder.json: cannot be written" spmv --matrix wide.mtx
               --json no/such/folder.json)
expect_refusal("bad.mtx:3: " info bad.mtx)
expect_refusal("'rmat:4': " info gallery:rmat:4)
# what only reading the file brings to light
expect(2 "^$" "araios-bench: [^\n]*bad.mtx:3: [^\n]*\n$" spmv --matrix bad.mtx)
foreach(operation bfs sssp components pagerank)
  expect(2 "^$" "araios-bench: wide.mtx: 2 x 3 is not square[^\n]*\n$"
         ${operation} --matrix wide.mtx)
endforeach()
expect(2 "^$" "araios-bench: --source 9: gallery:arrow:9 has 9 vertices\n$"
       bfs --matrix gallery:arrow:9 --source 9)
expect(2 "^$" "araios-bench: --source empty.mtx has 0 vertices\n$" sssp --matrix empty.mtx)

expect(0 "size +2 x 3.*mean 2.00, longest 2, empty rows 0.*A \\* A\\^T.*products +6.*entries +4" "^$"
       info wide.mtx)
expect(0 "size +0 x 0.*entries +0" "^$" info empty.mtx)
expect(0 "longest 100, empty rows 0.*64 \\.\\. +127 +1 " "^$" info gallery:dense_row:100)

foreach(scalar double float)
  expect(0 "verified: 39 of 39\n$" "" spgemm --matrix wide.mtx gallery:rmat:8:8 empty.mtx
         --scalar ${scalar} --impl araios,araios_multiply,araios_kept,portable,reference --repeat 2
         --schedule automatic,hash,dense --json spgemm_${scalar}.json)
  expect(0 "merge_path.*verified: 22 of 22\n$" "" spmv --matrix wide.mtx gallery:rmat:8:8
         --scalar ${scalar} --impl araios,araios_once,reference --repeat 2 --json spmv_${scalar}.json
         --schedule automatic,thread_mapped,warp_mapped,block_mapped,merge_path)
endforeach()
foreach(layout left right)
  expect(0 "verified: 6 of 6\n$" "" spmm --matrix wide.mtx gallery:rmat:8:8 --columns 5
         --impl araios,portable,reference --repeat 2 --layout ${layout} --json spmm.json)
endforeach()
foreach(scalar double float)
  foreach(operation bfs sssp)
    expect(0 "ratio: median of reference.*MTEPS.*100.0 %.*verified: [46] of [46]\n$" ""
           ${operation} --matrix gallery:rmat:8:8 gallery:laplace_2d_5pt:20 --scalar ${scalar}
           --repeat 2 --json ${operation}.json)
  endforeach()
  foreach(operation components pagerank)
    expect(0 "MTEPS.*verified: 6 of 6\n$" "" ${operation} --scalar ${scalar} --repeat 2
           --matrix gallery:rmat:8:8 empty.mtx gallery:bidiagonal:50 --json ${operation}.json)
  endforeach()
endforeach()
# along a path from the vertex given
expect(0 " 44.0 % .*verified: 1 of 1\n$" "" bfs --matrix gallery:bidiagonal:50 --source 28
       --impl araios_both_ways --repeat 1 --json path.json)
# everything compiled in; only results of Araios decide over the exit code
foreach(operation spgemm spmv spmm)
  expect(0 "ratio: median of.*laplace_2d_5pt:30 .*araios.*verified: [0-9]+ of [0-9]+\n$" ""
         ${operation} --matrix gallery:laplace_2d_5pt:30 --repeat 1)
endforeach()
expect(0 "laplace_2d_5pt:300.*algebraic_decay:200.*verified: [0-9]+ of [0-9]+\n$" ""
       spgemm --suite small --impl araios --repeat 1)

expect_json(spgemm_double.json ${VERSION} context araios)
expect_json(spgemm_double.json "[0-9]+[.][0-9]+[.][0-9]+" context kokkos version)
expect_json(spgemm_double.json "[A-Za-z]+" context kokkos backend)
expect_json(spgemm_double.json "[1-9][0-9]*" context kokkos concurrency)
expect_json(spgemm_double.json "20[0-9-]+T[0-9:]+Z" context date)
expect_json(spgemm_double.json ".+" context compiler)
expect_json(spgemm_double.json ".+" context device)
expect_json(spgemm_double.json "spgemm --matrix wide.mtx .*" context command)
expect_json(spgemm_double.json spgemm results 0 operation)
expect_json(spgemm_double.json wide.mtx results 0 matrix)
expect_json(spgemm_double.json 2 results 0 rows)
expect_json(spgemm_double.json 3 results 0 cols)
expect_json(spgemm_double.json 4 results 0 nnz)
expect_json(spgemm_double.json araios results 0 implementation)
expect_json(spgemm_double.json automatic results 0 schedule_asked)
expect_json(spgemm_double.json double results 0 scalar)
expect_json(spgemm_double.json int32 results 0 index)
expect_json(spgemm_double.json "[0-9.e-]+" results 0 median_s)
expect_json(spgemm_double.json "[0-9.e-]+" results 0 spread)
expect_json(spgemm_double.json 2 results 0 repeats)
expect_json(spgemm_double.json "[0-9.e-]+" results 0 gflops)
expect_json(spgemm_double.json "[0-9.e-]+" results 0 gbs)
expect_json(spgemm_double.json 1.0 results 0 ratio)
expect_json(spgemm_double.json araios results 0 baseline)
expect_json(spgemm_double.json "[0-9]+" results 0 extra_bytes)
expect_json(spgemm_double.json 6 results 0 products)
expect_json(spgemm_double.json 4 results 0 result_nnz)
expect_json(spgemm_double.json ON results 0 verified)
expect_json(spgemm_double.json "verified \\(full\\)" results 0 verification)
expect_json(spgemm_float.json float results 0 scalar)
expect_json(spmv_double.json thread_mapped results 2 schedule)
expect_json(spmm.json 5 results 0 columns)
expect_json(bfs.json reference results 0 implementation)
expect_json(bfs.json reference results 1 baseline)
expect_json(bfs.json araios_both_ways results 2 implementation)
expect_json(bfs.json "[0-9.e+-]+" results 1 mteps)
expect_json(bfs.json 400 results 3 reached)
expect_json(bfs.json 1920 results 3 edges)
expect_json(bfs.json ON results 1 verified)
expect_json(path.json 28 results 0 source)
expect_json(path.json 22 results 0 reached)
expect_json(path.json 43 results 0 edges)
expect_json(pagerank.json 1980 results 5 edges)

# Two backends side by side, one of them with a wrong result.
file(READ ${FOLDER}/spmv_double.json json)
string(REGEX REPLACE "\"backend\": \"[A-Za-z]+\"" "\"backend\": \"Elsewhere\"" other "${json}")
file(WRITE ${FOLDER}/other.json "${other}")
string(REGEX REPLACE "\"verified\": true" "\"verified\": false" wrong "${other}")
file(WRITE ${FOLDER}/wrong.json "${wrong}")
file(WRITE ${FOLDER}/nothing.json "{\"context\": 1}")
expect(0 "Elsewhere.*spgemm +wide.mtx +araios .*spmv .*\nverified: 83 of 83\n$" "^$"
       table spgemm_double.json spmv_double.json other.json)
expect(1 "not verified: spmv wide.mtx .*\nverified: 22 of 44\n$" "^$"
       table spmv_double.json wrong.json)
expect_refusal("nothing.json: is not a results file" table nothing.json)
expect_refusal("text.txt: is not a JSON file" table text.txt)
expect_refusal("nosuch.json: cannot be read" table nosuch.json)
