import { Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { applyPodDefaults } from './defaults.js';
import { validatePodUpdate } from './update-validation.js';
import { validatePod } from './validation.js';

const codec = compileKind(Pod);

function pod(spec: object): Pod {
  const metadata = { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  const object = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict').object as Pod;
  codec.applyDefaults(object);
  applyPodDefaults(object);
  return object;
}

const messages = (errors: readonly FieldError[]) => errors.map((error) => aggregateFieldErrors([error]));

describe('validatePod', () => {
  it('accepts a minimal pod', () => expect(messages(validatePod(pod({})))).toEqual([]));

  it.each([
    [{ containers: [] }, 'spec.containers: Required value'],
    [{ containers: [{ name: 'c' }] }, 'spec.containers[0].image: Required value'],
    [
      { restartPolicy: 'Perhaps' },
      'spec.restartPolicy: Unsupported value: "Perhaps": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      { ephemeralContainers: [{ name: 'e', image: 'i' }] },
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
    ],
  ])('reports the fault in %j', (spec, fault) => expect(messages(validatePod(pod(spec)))).toEqual([fault]));
});

describe('validatePodUpdate', () => {
  it.each([
    { containers: [{ name: 'c', image: 'j' }] },
    { activeDeadlineSeconds: 5 },
    { tolerations: [{ key: 'k', operator: 'Exists' }] },
  ])('allows %j', (spec) => expect(messages(validatePodUpdate(pod(spec), pod({})))).toEqual([]));

  it.each<[string, object, object, string]>([
    [
      'a longer deadline',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 6 },
      'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
    ],
    [
      'a deadline taken away',
      { activeDeadlineSeconds: 5 },
      {},
      'spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value',
    ],
    [
      'a gate more',
      { schedulingGates: [{ name: 'a.io/a' }] },
      { schedulingGates: [{ name: 'a.io/a' }, { name: 'b.io/b' }] },
      "spec.schedulingGates[1]: Forbidden: only deletion is allowed, but found new scheduling gate 'b.io/b'",
    ],
    [
      'the first gate',
      {},
      { schedulingGates: [{ name: 'a.io/a' }] },
      "spec.schedulingGates[0]: Forbidden: only deletion is allowed, but found new scheduling gate 'a.io/a'",
    ],
  ])('refuses %s', (_what, before, after, fault) =>
    expect(messages(validatePodUpdate(pod(after), pod(before)))).toEqual([fault]),
  );

  it.each<[object, object]>([
    [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 5 }],
    [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }],
    [{ schedulingGates: [{ name: 'a.io/a' }, { name: 'b.io/b' }] }, { schedulingGates: [{ name: 'b.io/b' }] }],
    [{ schedulingGates: [{ name: 'a.io/a' }] }, {}],
  ])('allows %j to become %j', (before, after) =>
    expect(messages(validatePodUpdate(pod(after), pod(before)))).toEqual([]),
  );

  it('shows the immutable fields in the message', () => {
    const [fault = ''] = messages(validatePodUpdate(pod({ hostname: 'h' }), pod({})));
    expect(fault).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec.containers/);
    expect(fault).toContain('\n- "Hostname": "",\n+ "Hostname": "h",\n');
  });
});
