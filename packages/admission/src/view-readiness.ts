import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes, Informer } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from './forbidden.js';

/** How long a request waits for views to be filled. Upstream: timeToWaitForReady of k8s.io/apiserver/pkg/admission/handler.go */
const WAIT_MILLISECONDS = 10_000;

/** What can be waited for of a view. */
type View = Pick<Informer<KubeObject>, 'synced'>;

/** Holds requests back until the views that a plugin looks at have been filled once. */
export class ViewReadiness {
  readonly #views: readonly View[];
  #filled = false;

  constructor(...views: readonly View[]) {
    this.#views = views;
  }

  /** Nothing to wait for when undefined. Throws 403 when the views do not fill in time. */
  ready(attributes: AdmissionAttributes): Promise<void> | undefined {
    return this.#filled ? undefined : this.#wait(attributes);
  }

  async #wait(attributes: AdmissionAttributes): Promise<void> {
    const signal = AbortSignal.timeout(WAIT_MILLISECONDS);
    try {
      await Promise.all(this.#views.map((view) => view.synced(signal)));
    } catch {
      throw newAdmissionForbidden(attributes, 'not yet ready to handle request');
    }
    this.#filled = true;
  }
}
