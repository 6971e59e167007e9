import { percentile } from './measurement.ts';
import { bareNodeTime } from './start-time.ts';

/** Present speed of the machine: it identifies figures of a slow hour. */
export interface MachineSpeed {
  /** Milliseconds of a Node that starts and does nothing: processes, files, memory. */
  readonly bareNode: number;
  /** Milliseconds of a loop that needs nothing but a core. */
  readonly loop: number;
}

/** The medians of five. */
export async function machineSpeed(): Promise<MachineSpeed> {
  const nodes: number[] = [];
  const loops: number[] = [];
  for (let run = 0; run < 5; run++) {
    nodes.push(await bareNodeTime());
    loops.push(loopTime());
  }
  const median = (values: number[]) =>
    percentile(
      values.sort((a, b) => a - b),
      0.5,
    );
  return { bareNode: median(nodes), loop: median(loops) };
}

/** A line about the machine before and after the measurement. */
export function speedLine(before: MachineSpeed, after: MachineSpeed): string {
  const both = (of: (speed: MachineSpeed) => number) => `${of(before).toFixed(0)} and ${of(after).toFixed(0)} ms`;
  const [node, loop] = [both(({ bareNode }) => bareNode), both(({ loop }) => loop)];
  return `the machine, before and after: node -e 0 ${node}; 10^8 steps of a loop ${loop}`;
}

let sink = 0;

function loopTime(): number {
  const begun = performance.now();
  let state = 1;
  for (let i = 0; i < 100_000_000; i++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  // V8 might not compute an unused result.
  sink ^= state;
  return performance.now() - begun + (sink & 0);
}
