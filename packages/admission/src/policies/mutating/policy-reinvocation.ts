import type { KubeObject } from '@apiserver/apimachinery';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { AdmissionAttributes, Reinvocation } from '@apiserver/apiserver-contracts';

const NAME = 'MutatingAdmissionPolicy';

/**
 * The policies of one request that may run again in its second round.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/reinvocationcontext.go
 */
export class PolicyReinvocation {
  readonly #reinvocation: Reinvocation;
  readonly #attributes: AdmissionAttributes;
  readonly #state: PolicyState;

  constructor(attributes: AdmissionAttributes) {
    attributes.reinvocation ??= { isReinvoke: false, isRequested: false, values: new Map() };
    this.#reinvocation = attributes.reinvocation;
    this.#attributes = attributes;
    const known = this.#reinvocation.values.get(NAME);
    this.#state = known instanceof PolicyState ? known : new PolicyState();
    this.#reinvocation.values.set(NAME, this.#state);
    if (this.#reinvocation.isReinvoke && !equalJson(this.#state.output, attributes.object)) this.#state.requireAll();
  }

  /** False for a policy that does not run in this round. */
  runs(key: string): boolean {
    return !this.#reinvocation.isReinvoke || this.#state.required.has(key);
  }

  /** A policy that may run again has run. */
  hasRun(key: string): void {
    this.#state.invoked.add(key);
  }

  /** The policies are done with the request. */
  end(hasChanged: boolean): void {
    if (hasChanged) {
      this.#state.requireAll();
      this.#reinvocation.isRequested = true;
    }
    // Only policies that may run again need to know whether other plugins change the object.
    if (this.#state.invoked.size > 0) {
      this.#state.output = this.#attributes.object && cloneJson(this.#attributes.object);
    }
  }
}

class PolicyState {
  /** The object after the last policy. */
  output: KubeObject | undefined;
  /** Policies that run again if the object changes. */
  readonly invoked = new Set<string>();
  /** Policies that run again. */
  readonly required = new Set<string>();

  requireAll(): void {
    for (const key of this.invoked) this.required.add(key);
    this.invoked.clear();
  }
}
