// Loaded into the server before any other module. The file of CLOCK_FILE has the milliseconds by which an
// administrator has set the machine's clock; timers and the monotonic clock do not notice, as in a kernel.
import { readFileSync } from 'node:fs';

const LOOK_MS = 10;
const file = process.env['CLOCK_FILE'];

if (file !== undefined) {
  const MachineDate = Date;
  let ahead = 0;
  const now = () => MachineDate.now() + ahead;
  globalThis.Date = class extends MachineDate {
    constructor(...given) {
      super(...(given.length === 0 ? [now()] : given));
    }
    static now() {
      return now();
    }
  };
  setInterval(() => {
    ahead = Number(readFileSync(file, 'utf8'));
  }, LOOK_MS).unref();
}
