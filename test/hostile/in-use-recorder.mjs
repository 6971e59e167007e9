// Loaded into the server before any other module. While the file of IN_USE_FILE exists, it writes the bytes in use
// there: after each turn of the event loop that may have the most so far. It collects the garbage first, so the figures
// are the same on every machine.
import { appendFileSync, statSync } from 'node:fs';

const file = process.env['IN_USE_FILE'];
const collect = globalThis.gc;

if (file !== undefined && collect !== undefined) {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  let most = 0;
  const record = () => {
    setTimeout(record, 1).unref();
    const written = statSync(file, { throwIfNoEntry: false })?.size;
    if (written === undefined) return;
    if (written === 0) most = 0;
    if (used() > most) {
      collect();
      most = Math.max(most, used());
      appendFileSync(file, `${used()}\n`);
    }
  };
  record();
}
