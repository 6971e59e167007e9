import { sleep } from '@apiserver/apimachinery/clock';
import type { ControllerContext } from '../controller.js';
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS } from '../resources.js';

/** Upstream: the period of garbageCollector.Sync. Changes of definitions are followed at once. */
const RESYNC_MS = 30_000;
/** Definitions often change several times in a row. */
const PAUSE_MS = 20;

/** Calls back after each change of the served kinds, and every 30 seconds, until the signal aborts. */
export async function followDefinitions(
  { clock, signal, informer }: ControllerContext,
  onChange: () => Promise<void>,
): Promise<void> {
  let changed = new AbortController();
  const change = () => changed.abort();
  const handlers = { added: change, updated: change, deleted: change };
  const unsubscribe = [CUSTOM_RESOURCE_DEFINITIONS, API_SERVICES].map((resource) =>
    informer(resource).subscribe(handlers),
  );
  while (!signal.aborted) {
    await sleep(clock, RESYNC_MS, AbortSignal.any([signal, changed.signal]));
    await sleep(clock, PAUSE_MS, signal);
    changed = new AbortController();
    if (!signal.aborted) await onChange();
  }
  for (const end of unsubscribe) end();
}
