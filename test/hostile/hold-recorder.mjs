// Loaded into the server before anything else: writes to the file that HOLD_FILE names, one a line, for how many
// milliseconds of CPU the event loop was held whenever it was longer than a tick. Time in which the thread waited for a
// core does not count, so that the figures mean the same on a busy machine.
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
