// Loaded into the server before any other module. While the file of IN_USE_FILE exists, it collects the garbage after
// each turn of the event loop, and writes the bytes in use there. Garbage does not count, so the figures are the same on
// every machine.
import { appendFileSync, existsSync } from 'node:fs';

const file = process.env['IN_USE_FILE'];
const collect = globalThis.gc;

if (file !== undefined && collect !== undefined) {
  const record = () => {
    setTimeout(record, 1).unref();
    if (!existsSync(file)) return;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${heapUsed + external}\n`);
  };
  record();
}
