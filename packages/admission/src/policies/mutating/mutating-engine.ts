import type { MutatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { inSlices } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { SharedEnvironment } from '@apiserver/cel';
import type { DispatcherDependencies } from '../shared/dispatcher-dependencies.js';
import { dispatchMutating, type MutatingHook } from './mutating-dispatcher.js';
import { MutatingPolicy } from './mutating-policy.js';

/** The part of the plugin that needs the expression language. Load it with the first policy: it takes megabytes. */
export class MutatingEngine {
  readonly #environment = new SharedEnvironment();
  readonly #dependencies: DispatcherDependencies;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /** Compiles a policy. Other requests have the event loop in between. */
  async compile(policy: MutatingAdmissionPolicy): Promise<MutatingPolicy> {
    const { conditions } = this.#dependencies;
    return inSlices(
      MutatingPolicy.compile(policy, {
        environment: this.#environment,
        conditionsObserver: (name) => conditions.observer({ name, kind: 'policy', type: 'validate' }),
      }),
    );
  }

  /** Undefined if no policy selects the request. */
  dispatch(attributes: AdmissionAttributes, hooks: readonly MutatingHook[]): Promise<void> | undefined {
    return dispatchMutating(attributes, hooks, this.#dependencies);
  }
}
