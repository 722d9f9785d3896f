// SPDX-License-Identifier: Apache-2.0
// Computes ONNX models with onnxruntime-node: node onnx_runtime.mjs FOLDER, where FOLDER has
// node_modules/onnxruntime-node. Reads requests on its standard input and answers on its standard
// output: the length of a header in 4 bytes, little-endian, the header in JSON, and what it says
// follows: of a request the model and the inputs as float32, of an answer the outputs as float32.
import {createRequire} from 'node:module';
import {readSync, writeSync} from 'node:fs';
import {resolve} from 'node:path';

const ort = createRequire(resolve(process.argv[2], 'here.js'))('onnxruntime-node');

function read(size) {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    let n = 0;
    try {
      n = readSync(0, bytes, at, size - at, null);
    } catch (e) {
      if (e.code === 'EAGAIN') continue;
      throw e;
    }
    if (n === 0) process.exit(0);
    at += n;
  }
  return bytes;
}
function write(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at, bytes.length - at);
    } catch (e) {
      if (e.code !== 'EAGAIN') throw e;
    }
  }
}
function answer(header, parts) {
  const words = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(words.length);
  write(Buffer.concat([length, words, ...parts]));
}

async function compute(model, inputs) {
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, interOpNumThreads: 1,
    logSeverityLevel: 4});
  const feeds = {};
  for (const i of inputs) feeds[i.name] = new ort.Tensor('float32', i.values, i.dims);
  const results = await session.run(feeds);
  await session.release();
  return session.outputNames.map(name => ({
    name, dims: results[name].dims, values: Float32Array.from(results[name].data, Number)}));
}

for (;;) {
  const header = JSON.parse(read(read(4).readUInt32LE()).toString());
  const model = new Uint8Array(read(header.model));
  const inputs = header.inputs.map(i => {
    const bytes = new Uint8Array(read(4 * i.count));
    return {name: i.name, dims: i.dims, values: new Float32Array(bytes.buffer)};
  });
  try {
    const outputs = await compute(model, inputs);
    answer({outputs: outputs.map(o => ({name: o.name, dims: o.dims, count: o.values.length}))},
           outputs.map(o => Buffer.from(o.values.buffer)));
  } catch (e) {
    answer({error: String(e.message ?? e)}, []);
  }
}
