import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';

/** Dependencies of the controller. The owner of the informer disposes it. */
export interface PolicyStatusOptions {
  readonly informer: Informer<ValidatingAdmissionPolicy>;
  readonly client: Pick<ResourceClient<ValidatingAdmissionPolicy>, 'apply'>;
  readonly checker: { check(policy: ValidatingAdmissionPolicy): Promise<readonly ExpressionWarning[]> };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Initial delay before a retry, in milliseconds; doubled on each failure. */
const FIRST_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;

const FIELD_MANAGER = 'validatingadmissionpolicy-status';

/**
 * Writes warnings about wrong types into the status of policies, until the signal aborts. A policy is checked once for
 * each generation, as upstream: a type that is defined later changes nothing.
 * Upstream: pkg/controller/validatingadmissionpolicystatus, which kube-controller-manager runs
 */
export async function runPolicyStatus(options: PolicyStatusOptions, signal: AbortSignal): Promise<void> {
  const changes = new ChangedPolicies(options, signal);
  const add = ({ metadata }: ValidatingAdmissionPolicy) => changes.add(metadata.name ?? '');
  const unsubscribe = options.informer.subscribe({ added: add, updated: add });
  try {
    await changes.run();
  } finally {
    unsubscribe();
  }
}

/** Names of changed policies, each at most once, processed one at a time. */
class ChangedPolicies {
  readonly #options: PolicyStatusOptions;
  readonly #signal: AbortSignal;
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  #wake = Promise.withResolvers<void>();

  constructor(options: PolicyStatusOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  add(name: string): void {
    this.#waiting.add(name);
    this.#wake.resolve();
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      for (const name of this.#waiting) {
        this.#waiting.delete(name);
        await this.#sync(name);
        if (this.#signal.aborted) return;
      }
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      if (this.#signal.aborted) return;
    }
  }

  async #sync(name: string): Promise<void> {
    const { informer, logger } = this.#options;
    const policy = informer.get('', name);
    try {
      if (policy !== undefined && isUnchecked(policy)) await this.#report(policy);
      this.#failures.delete(name);
    } catch (error) {
      if (this.#signal.aborted) return;
      logger.error(error, 'Checking the types of a policy failed', { policy: name });
      this.#retry(name);
    }
  }

  async #report({ ...policy }: ValidatingAdmissionPolicy): Promise<void> {
    const { client, checker } = this.#options;
    const expressionWarnings = await checker.check(policy);
    const { apiVersion, kind, metadata } = policy;
    const status = {
      observedGeneration: metadata.generation,
      typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
    };
    const applied = { apiVersion, kind, metadata: { name: metadata.name ?? '' }, status };
    await client.apply('', applied, { fieldManager: FIELD_MANAGER, force: true, subresource: 'status' });
  }

  #retry(name: string): void {
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    const pause = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
    void sleep(this.#options.clock, pause, this.#signal).then(() => this.add(name));
  }
}

function isUnchecked({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) > Number(status.observedGeneration ?? 0);
}
