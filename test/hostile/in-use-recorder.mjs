// Loaded into the server before any other module. It collects the garbage after each turn of the event loop, and writes
// the bytes in use to the file of IN_USE_FILE. Garbage does not count, so the figures are the same on every machine.
import { openSync, writeSync } from 'node:fs';

const file = process.env['IN_USE_FILE'];
const collect = globalThis.gc;

if (file !== undefined && collect !== undefined) {
  const output = openSync(file, 'a');
  const record = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeSync(output, `${heapUsed + external}\n`);
    setTimeout(record, 1).unref();
  };
  record();
}
