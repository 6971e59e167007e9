import type { KubeObject } from '@apiserver/apimachinery';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { AdmissionAttributes, Reinvocation } from '@apiserver/apiserver-contracts';

/** The reinvocation state of a request, made on first use. */
export function reinvocationOf(attributes: AdmissionAttributes): Reinvocation {
  attributes.reinvocation ??= { isReinvoke: false, isRequested: false, values: new Map() };
  return attributes.reinvocation;
}

/**
 * The webhooks of a request to call a second time.
 * Upstream: webhookReinvokeContext of k8s.io/apiserver/pkg/admission/plugin/webhook/mutating
 */
export class ReinvokedWebhooks {
  #invoked = new Set<string>();
  readonly #due = new Set<string>();
  #output: KubeObject | undefined;

  /** The state of one request. */
  static of({ values }: Reinvocation, plugin: string): ReinvokedWebhooks {
    const known = values.get(plugin);
    if (known instanceof ReinvokedWebhooks) return known;
    const made = new ReinvokedWebhooks();
    values.set(plugin, made);
    return made;
  }

  /** Notes a call of a webhook that wants to be called again. */
  addInvoked(uid: string): void {
    this.#invoked.add(uid);
  }

  /** The object has changed: the webhooks called so far are due. */
  require(): void {
    for (const uid of this.#invoked) this.#due.add(uid);
    this.#invoked = new Set();
  }

  isDue(uid: string): boolean {
    return this.#due.has(uid);
  }

  /** Notes the object after the last webhook, unless no webhook can be called again. */
  setOutput(object: KubeObject | undefined): void {
    this.#output = this.#invoked.size === 0 ? undefined : cloneJson(object);
  }

  /** True if others have changed the object since the last webhook. */
  isChanged(object: KubeObject | undefined): boolean {
    return this.#invoked.size > 0 && !equalJson(this.#output, object);
  }
}
