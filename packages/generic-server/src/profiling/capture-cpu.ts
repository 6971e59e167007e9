import type { Profiler } from 'node:inspector';
import { sleep, systemClock } from '@apiserver/apimachinery/clock';
import type { CallFrame, CallStack, CallStacks } from './call-stacks.js';

/** Microseconds between samples, as in Go. */
const INTERVAL_MICROSECONDS = 10_000;
/** The name of V8's node for idle time. */
const IDLE = '(idle)';

/** Samples the CPU time of this thread for a number of seconds, or until `signal` aborts. */
export async function captureCPU(seconds: number, signal: AbortSignal): Promise<CallStacks> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
    await session.post('Profiler.start');
    const started = Date.now();
    await sleep(systemClock, seconds * 1000, signal);
    const { profile } = await session.post('Profiler.stop');
    return {
      types: [
        { type: 'samples', unit: 'count' },
        { type: 'cpu', unit: 'nanoseconds' },
      ],
      period: { type: 'cpu', unit: 'nanoseconds', value: INTERVAL_MICROSECONDS * 1000 },
      started,
      duration: (profile.endTime - profile.startTime) / 1000,
      stacks: stacksOf(profile),
    };
  } finally {
    session.disconnect();
  }
}

/** One stack for each node of the call tree with samples. */
export function stacksOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): CallStack[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const seen = new Map<number, { count: number; microseconds: number }>();
  for (const [i, id] of samples.entries()) {
    const sum = seen.get(id) ?? { count: 0, microseconds: 0 };
    sum.count++;
    sum.microseconds += Math.max(0, timeDeltas[i] ?? 0);
    seen.set(id, sum);
  }
  return [...seen].flatMap(([id, { count, microseconds }]) => {
    const frames: CallFrame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      // The root of the tree is not a function.
      if (frame !== undefined && parents.has(at)) frames.push(frame);
    }
    const [innermost] = frames;
    if (innermost === undefined || innermost.functionName === IDLE) return [];
    return [{ frames, values: [count, microseconds * 1000] }];
  });
}
