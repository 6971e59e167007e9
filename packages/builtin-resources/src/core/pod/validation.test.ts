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
  it('finds nothing wrong with a small pod', () => expect(messages(validatePod(pod({})))).toEqual([]));

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
  ])('finds the fault in %j', (spec, fault) => expect(messages(validatePod(pod(spec)))).toEqual([fault]));
});

describe('validatePodUpdate', () => {
  it.each([
    { containers: [{ name: 'c', image: 'j' }] },
    { activeDeadlineSeconds: 5 },
    { tolerations: [{ key: 'k', operator: 'Exists' }] },
  ])('allows %j', (spec) => expect(messages(validatePodUpdate(pod(spec), pod({})))).toEqual([]));

  it('shows what may not change', () => {
    const [fault = ''] = messages(validatePodUpdate(pod({ hostname: 'h' }), pod({})));
    expect(fault).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec.containers/);
    expect(fault).toContain('\n- "Hostname": "",\n+ "Hostname": "h",\n');
  });
});
