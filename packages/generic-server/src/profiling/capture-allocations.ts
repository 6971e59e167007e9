import type { HeapProfiler } from 'node:inspector';
import { sleep, systemClock } from '@apiserver/apimachinery/clock';
import type { CallFrame, CallStack, CallStacks } from './call-stacks.js';

/** Bytes between samples, on average. */
const INTERVAL_BYTES = 65_536;

/**
 * Samples allocations for a number of seconds, or until `signal` aborts. With `kept`, only memory that is still in use
 * at the end; otherwise also freed memory. Earlier allocations are not included.
 */
export async function captureAllocations(seconds: number, kept: boolean, signal: AbortSignal): Promise<CallStacks> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: INTERVAL_BYTES,
      includeObjectsCollectedByMajorGC: !kept,
      includeObjectsCollectedByMinorGC: !kept,
    });
    const started = Date.now();
    await sleep(systemClock, seconds * 1000, signal);
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return {
      types: [{ type: kept ? 'inuse_space' : 'alloc_space', unit: 'bytes' }],
      period: { type: 'space', unit: 'bytes', value: INTERVAL_BYTES },
      started,
      duration: seconds * 1000,
      stacks: stacksOf(profile.head),
    };
  } finally {
    session.disconnect();
  }
}

/** One stack for each node of the call tree with allocations. */
export function stacksOf(head: HeapProfiler.SamplingHeapProfileNode): CallStack[] {
  const stacks: CallStack[] = [];
  const open: { node: HeapProfiler.SamplingHeapProfileNode; callers: readonly CallFrame[] }[] = [
    ...head.children.map((node) => ({ node, callers: [] })),
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const frames = [next.node.callFrame, ...next.callers];
    if (next.node.selfSize > 0) stacks.push({ frames, values: [next.node.selfSize] });
    for (const node of next.node.children) open.push({ node, callers: frames });
  }
  return stacks;
}
