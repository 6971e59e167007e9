import type { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { inSlices } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { SharedEnvironment } from '@apiserver/cel';
import type { DispatcherDependencies } from '../shared/dispatcher-dependencies.js';
import { dispatchValidating, type ValidatingHook } from './validating-dispatcher.js';
import { ValidatingPolicy } from './validating-policy.js';

/** The part of the plugin that needs the expression language. Load it with the first policy: it takes megabytes. */
export class ValidatingEngine {
  readonly #environment = new SharedEnvironment();
  readonly #dependencies: DispatcherDependencies;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /** Compiles a policy. Other requests have the event loop in between. */
  async compile(policy: ValidatingAdmissionPolicy): Promise<ValidatingPolicy> {
    const { conditions } = this.#dependencies;
    return inSlices(
      ValidatingPolicy.compile(policy, {
        environment: this.#environment,
        conditionsObserver: (name) => conditions.observer({ name, kind: 'policy', type: 'validate' }),
      }),
    );
  }

  /** Undefined if no policy selects the request. */
  dispatch(attributes: AdmissionAttributes, hooks: readonly ValidatingHook[]): Promise<void> | undefined {
    return dispatchValidating(attributes, hooks, this.#dependencies);
  }
}
