import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueueMetrics } from '@apiserver/component-base/work-queue';

/** Peers see a deletion within this time. Upstream: defaultExclusionGracePeriod */
const GRACE_MS = 5 * 60_000;
const KEY = 'sync';

/** Dependencies of `ExcludedGroupVersions`. */
export interface ExclusionOptions {
  readonly apiServices: Pick<Informer<APIService>, 'list' | 'subscribe'>;
  /** Undefined if there are no definitions. */
  readonly definitions: Pick<Informer<CustomResourceDefinition>, 'list' | 'subscribe'> | undefined;
  /** Called when the set has changed. */
  changed(): void;
  readonly queueMetrics?: WorkQueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Group versions of custom resources and of servers behind services. All servers read them from the same store, so no
 * peer serves more of them. The discovery of a peer, which is read now and then, would still list a deleted one.
 * Upstream: k8s.io/apiserver/pkg/util/peerproxy/gv_exclusion_manager.go
 */
export class ExcludedGroupVersions {
  readonly #options: ExclusionOptions;
  #present: ReadonlySet<string> = new Set();
  /** The time of the deletion, by group version. */
  readonly #deleted = new Map<string, number>();

  constructor(options: ExclusionOptions) {
    this.#options = options;
  }

  /** `name` is that of `groupVersionName`. */
  has(name: string): boolean {
    return this.#present.has(name) || this.#deleted.has(name);
  }

  /** Follows definitions and APIServices until `signal` aborts. */
  run(signal: AbortSignal): void {
    const { apiServices, definitions, queueMetrics, clock, logger } = this.#options;
    const queue = runWorkQueue({
      name: 'active-gv-tracker',
      sync: async () => {
        if (this.#sync()) queue.addAfter(KEY, GRACE_MS + 1);
      },
      ...(queueMetrics && { metrics: queueMetrics }),
      clock,
      logger,
      signal,
    });
    const changed = (): void => queue.add(KEY);
    const handlers = { added: changed, updated: changed, deleted: changed };
    for (const informer of [apiServices, definitions]) {
      if (informer !== undefined) signal.addEventListener('abort', informer.subscribe(handlers), { once: true });
    }
  }

  /** True if deleted group versions wait for the end of their time. */
  #sync(): boolean {
    const now = durationClock(this.#options.clock).now();
    const present = this.#read();
    const gone = [...this.#present].filter((name) => !present.has(name));
    const expired = [...this.#deleted].filter(([, deleted]) => now - deleted > GRACE_MS);
    const hasChanged = gone.length > 0 || expired.length > 0 || present.size !== this.#present.size;
    for (const [name] of expired) this.#deleted.delete(name);
    for (const name of gone) this.#deleted.set(name, now);
    this.#present = present;
    if (hasChanged) this.#options.changed();
    return this.#deleted.size > 0;
  }

  #read(): ReadonlySet<string> {
    const { apiServices, definitions } = this.#options;
    const remote = apiServices.list().filter(({ spec }) => spec.service !== undefined);
    return new Set([
      ...remote.map(({ spec }) => groupVersionName(spec.group ?? '', spec.version ?? '')),
      ...(definitions?.list() ?? []).flatMap(({ spec }) =>
        (spec.versions ?? []).map(({ name }) => groupVersionName(spec.group, name)),
      ),
    ]);
  }
}

/** `group/version`; the core group has an empty name. */
export function groupVersionName(group: string, version: string): string {
  return `${group}/${version}`;
}
