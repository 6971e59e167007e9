import { Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';
import { applyPodDefaults } from './defaults.js';
import { validatePodUpdate } from './update-validation.js';
import { validatePod } from './validation.js';

const codec = compileKind(Pod);

function pod(spec: object): Pod {
  const metadata = { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  const object = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict').object as Pod;
  codec.applyDefaults(object);
  applyPodDefaults(object, DEFAULT_POD_FEATURES);
  return object;
}

const CPU = { resource: 'cpu', divisor: '3' };
const BOTH = {
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  volumeDevices: [{ name: 'v', devicePath: '' }],
};
const messages = (errors: readonly FieldError[]) => errors.map((error) => aggregateFieldErrors([error]));

describe('validatePod', () => {
  it('accepts a minimal pod', () => expect(messages(validatePod(pod({}), DEFAULT_POD_FEATURES))).toEqual([]));

  it.each<[object, string | readonly string[]]>([
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
    [
      { containers: [{ image: 'i' }, { image: 'i' }] },
      [
        'spec.containers[0].name: Required value',
        'spec.containers[1].name: Required value',
        'spec.containers[1].name: Duplicate value: ""',
      ],
    ],
    [
      { initContainers: [{ image: 'i' }, { image: 'i' }] },
      ['spec.initContainers[0].name: Required value', 'spec.initContainers[1].name: Required value'],
    ],
    [
      { containers: [{ name: 'c', image: 'i', env: [{ name: 'E', valueFrom: { resourceFieldRef: CPU } }] }] },
      [
        'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "cpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      ],
    ],
    [
      { volumes: [{ name: 'v', emptyDir: {} }], containers: [{ ...BOTH, name: 'c', image: 'i' }] },
      [
        'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        'spec.containers[0].volumeDevices[0].devicePath: Required value',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
      ],
    ],
    [
      { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } },
      ['spec: Forbidden: hostProcess containers are disallowed by cluster policy'],
    ],
  ])('reports the faults in %j', (spec, faults) =>
    expect(messages(validatePod(pod(spec), DEFAULT_POD_FEATURES))).toEqual([faults].flat()),
  );
});

describe('validatePodUpdate', () => {
  it.each([
    { containers: [{ name: 'c', image: 'j' }] },
    { activeDeadlineSeconds: 5 },
    { tolerations: [{ key: 'k', operator: 'Exists' }] },
  ])('allows %j', (spec) => expect(messages(validatePodUpdate(pod(spec), pod({}), DEFAULT_POD_FEATURES))).toEqual([]));

  it.each<[string, object, object, string | readonly string[]]>([
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
      "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b.io/b'",
    ],
    [
      'the first gate',
      {},
      { schedulingGates: [{ name: 'a.io/a' }] },
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a.io/a'",
    ],
    [
      'the same new gate twice',
      {},
      { schedulingGates: [{ name: 'a.io/a' }, { name: 'a.io/a' }] },
      [
        'spec.schedulingGates[1]: Duplicate value: "a.io/a"',
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a.io/a'",
      ],
    ],
    [
      'an image with spaces',
      {},
      { containers: [{ name: 'c', image: ' j', imagePullPolicy: 'Always' }] },
      [
        'spec.containers[0].image: Invalid value: " j": must not have leading or trailing whitespace',
        'spec.containers[0].image: Invalid value: " j": must not have leading or trailing whitespace',
      ],
    ],
    [
      'an invalid toleration',
      {},
      { tolerations: [{ operator: 'Equal', key: '' }] },
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
  ])('refuses %s', (_what, before, after, faults) =>
    expect(messages(validatePodUpdate(pod(after), pod(before), DEFAULT_POD_FEATURES))).toEqual([faults].flat()),
  );

  it('reports further faults of a pod without its deadline', () => {
    const before = { activeDeadlineSeconds: 5, schedulingGates: [] };
    const errors = validatePodUpdate(pod({ schedulingGates: [{ name: 'a.io/a' }] }), pod(before), DEFAULT_POD_FEATURES);
    expect(errors.map(({ field }) => field)).toEqual(['spec.activeDeadlineSeconds', 'spec.schedulingGates[0].name']);
  });

  it('reports only the affinity of a gated pod that loses it', () => {
    const expression = { key: 'k', operator: 'Exists' };
    const terms = { nodeSelectorTerms: [{ matchExpressions: [expression] }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms };
    const gated = { schedulingGates: [{ name: 'a.io/a' }] };
    const errors = validatePodUpdate(pod(gated), pod({ ...gated, affinity: { nodeAffinity } }), DEFAULT_POD_FEATURES);
    expect(errors.map(({ field }) => field)).toEqual([expect.stringMatching(/^spec\.affinity\.nodeAffinity/)]);
  });

  it.each<[object, object]>([
    [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 5 }],
    [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }],
    [{ schedulingGates: [{ name: 'a.io/a' }, { name: 'b.io/b' }] }, { schedulingGates: [{ name: 'b.io/b' }] }],
    [{ schedulingGates: [{ name: 'a.io/a' }] }, {}],
  ])('allows %j to become %j', (before, after) =>
    expect(messages(validatePodUpdate(pod(after), pod(before), DEFAULT_POD_FEATURES))).toEqual([]),
  );

  it('allows no odd huge pages for containers because the pod itself has some', () => {
    const resources = { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } };
    const stored = pod({ resources });
    const changed = pod({ resources, containers: [{ name: 'c', image: 'i', resources }] });
    expect(messages(validatePodUpdate(changed, stored, DEFAULT_POD_FEATURES))).toContain(
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    );
  });

  it('shows the immutable fields in the message', () => {
    const [fault = ''] = messages(validatePodUpdate(pod({ hostname: 'h' }), pod({}), DEFAULT_POD_FEATURES));
    expect(fault).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec.containers/);
    expect(fault).toContain('\n- "Hostname": "",\n+ "Hostname": "h",\n');
  });
});
