import type { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { SharedEnvironment } from '@apiserver/cel';
import { type DispatcherDependencies, dispatchValidating, type ValidatingHook } from './validating-dispatcher.js';
import { ValidatingPolicy } from './validating-policy.js';

/** The part of the plugin that needs the expression language. Load it with the first policy: it takes megabytes. */
export class ValidatingEngine {
  readonly #environment = new SharedEnvironment();
  readonly #dependencies: DispatcherDependencies;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  compile(policy: ValidatingAdmissionPolicy): ValidatingPolicy {
    return new ValidatingPolicy(policy, {
      environment: this.#environment,
      conditionsObserver: (name) => this.#dependencies.conditions.observer({ name, kind: 'policy', type: 'validate' }),
    });
  }

  /** Undefined if no policy selects the request. */
  dispatch(attributes: AdmissionAttributes, hooks: readonly ValidatingHook[]): Promise<void> | undefined {
    return dispatchValidating(attributes, hooks, this.#dependencies);
  }
}
