// Loaded into the server before any other module. It writes a line to the file of HOLD_FILE whenever the event loop was
// held for longer than a tick: the milliseconds of CPU. Waiting for a core does not count, so that the figures mean
// the same on a busy machine.
import { openSync, writeSync } from 'node:fs';

const TICK_MS = 2;
const file = process.env['HOLD_FILE'];

if (file !== undefined) {
  const output = openSync(file, 'a');
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const held = (user + system) / 1_000;
    if (held > 2 * TICK_MS) writeSync(output, `${held.toFixed(1)}\n`);
  }, TICK_MS).unref();
}
