import type { MutatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { SharedEnvironment } from '@apiserver/cel';
import { dispatchMutating, type MutatingHook } from './mutating-dispatcher.js';
import { MutatingPolicy } from './mutating-policy.js';
import type { DispatcherDependencies } from './validating-dispatcher.js';

/** The part of the plugin that needs the expression language. Load it with the first policy: it takes megabytes. */
export class MutatingEngine {
  readonly #environment = new SharedEnvironment();
  readonly #dependencies: DispatcherDependencies;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  compile(policy: MutatingAdmissionPolicy): MutatingPolicy {
    return new MutatingPolicy(policy, {
      environment: this.#environment,
      conditionsObserver: (name) => this.#dependencies.conditions.observer({ name, kind: 'policy', type: 'validate' }),
    });
  }

  /** Undefined if no policy selects the request. */
  dispatch(attributes: AdmissionAttributes, hooks: readonly MutatingHook[]): Promise<void> | undefined {
    return dispatchMutating(attributes, hooks, this.#dependencies);
  }
}
