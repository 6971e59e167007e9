import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, monotonicClock, runSliced, withTimeout } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes, Informer } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from './forbidden.js';

/**
 * Time for which a request waits for informers to sync.
 * Upstream: timeToWaitForReady of k8s.io/apiserver/pkg/admission/handler.go
 */
const WAIT_MS = 10_000;

/** Its timers do not belong to the request that waits. */
const clock: Clock = {
  now: monotonicClock.now,
  schedule: (callback, milliseconds) => runSliced(undefined, () => monotonicClock.schedule(callback, milliseconds)),
};

/** The part of an informer that can be awaited. */
type View = Pick<Informer<KubeObject>, 'synced'>;

/** Delays requests until a plugin's informers have synced once. */
export class ViewReadiness {
  readonly #views: readonly View[];
  #filled = false;

  constructor(...views: readonly View[]) {
    this.#views = views;
  }

  /** True once all have synced. */
  get isReady(): boolean {
    return this.#filled;
  }

  /** Undefined if all have synced. Rejects with 403 if they do not sync in time. */
  ready(attributes: AdmissionAttributes): Promise<void> | undefined {
    return this.#filled ? undefined : this.#wait(attributes);
  }

  async #wait(attributes: AdmissionAttributes): Promise<void> {
    const synced = (signal?: AbortSignal) => Promise.all(this.#views.map((view) => view.synced(signal)));
    try {
      await withTimeout({ clock, milliseconds: WAIT_MS }, synced);
    } catch {
      throw newAdmissionForbidden(attributes, 'not yet ready to handle request');
    }
    this.#filled = true;
  }
}
