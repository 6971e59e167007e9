import type { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import type { ApplyOptions, Informer } from '@apiserver/apiserver-contracts';
import { expect, it, vi } from 'vitest';
import { runPolicyStatus } from './policy-status-controller.js';

const policy = (generation: number, observedGeneration = 0): ValidatingAdmissionPolicy => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p', generation },
  spec: {},
  status: { observedGeneration },
});

/** An informer of one policy, a client that records and may fail first, and the controller on them. */
function run(first: ValidatingAdmissionPolicy, failures = 0) {
  let current = first;
  let changed = (_policy: ValidatingAdmissionPolicy): void => {};
  const ended = new AbortController();
  const applied: (readonly [KubeObject, ApplyOptions])[] = [];
  const errors: unknown[] = [];
  const informer = {
    get: () => current,
    subscribe(handlers: { added?(object: ValidatingAdmissionPolicy): void }) {
      handlers.added?.(first);
      changed = (object) => handlers.added?.(object);
      return () => {};
    },
  } as unknown as Informer<ValidatingAdmissionPolicy>;
  const done = runPolicyStatus(
    {
      informer,
      client: {
        async apply(_namespace, object, options) {
          applied.push([object, options]);
          if (applied.length <= failures) throw new Error('not now');
          return current;
        },
      },
      checker: {
        check: async ({ metadata }) =>
          metadata.generation === 1 ? [] : [{ fieldRef: 'spec.validations[0].expression', warning: 'w' }],
      },
      clock: systemClock,
      logger: { error: (error: unknown) => errors.push(error) } as never,
    },
    ended.signal,
  );
  return {
    applied,
    errors,
    change(next: ValidatingAdmissionPolicy) {
      current = next;
      changed(next);
    },
    async stop() {
      ended.abort();
      await done;
    },
  };
}

const report = (observedGeneration: number, typeChecking: object) => [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    status: { observedGeneration, typeChecking },
  },
  { fieldManager: 'validatingadmissionpolicy-status', force: true, subresource: 'status' },
];

it('reports on each generation of a policy once', async () => {
  const { applied, change, stop } = run(policy(1));
  await vi.waitFor(() => expect(applied).toEqual([report(1, {})]), 30_000);
  change(policy(1, 1));
  change(policy(2, 1));
  const expressionWarnings = [{ fieldRef: 'spec.validations[0].expression', warning: 'w' }];
  await vi.waitFor(() => expect(applied).toEqual([report(1, {}), report(2, { expressionWarnings })]), 30_000);
  await stop();
});

it('tries again after a failure', async () => {
  const { applied, errors, stop } = run(policy(1), 2);
  await vi.waitFor(() => expect(applied.length).toBe(3), 30_000);
  expect(errors).toHaveLength(2);
  await stop();
});
