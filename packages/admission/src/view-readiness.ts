import type { KubeObject } from '@apiserver/apimachinery';
import { runSliced } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes, Informer } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from './forbidden.js';

/**
 * Time for which a request waits for informers to sync.
 * Upstream: timeToWaitForReady of k8s.io/apiserver/pkg/admission/handler.go
 */
const WAIT_MILLISECONDS = 10_000;

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
    // Its timer cannot be cleared: it must not keep what belongs to the request.
    const signal = runSliced(undefined, () => AbortSignal.timeout(WAIT_MILLISECONDS));
    try {
      await Promise.all(this.#views.map((view) => view.synced(signal)));
    } catch {
      throw newAdmissionForbidden(attributes, 'not yet ready to handle request');
    }
    this.#filled = true;
  }
}
