import type { Pod } from '@apiserver/api/core/v1';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { sentPod as sent } from '../../testing/sent-pod.js';
import { DEFAULT_POD_FEATURES, type PodFeatures } from '../pod-spec/pod-features.js';
import { podDefinition } from './index.js';

const context = testContext({ namespace: 'ns' });
const sentPod = (spec: object, status: object = {}) => sent(spec, status, {});
const messages = (errors: readonly FieldError[]) => errors.map((error) => aggregateFieldErrors([error]));
const definitionWith = (changes: Partial<PodFeatures>) => podDefinition({ ...DEFAULT_POD_FEATURES, ...changes });

function updateFaults(changes: Partial<PodFeatures>, pod: Pod, old: Pod): readonly string[] {
  return messages(definitionWith(changes).strategy.validateUpdate(context, pod, old));
}

/** The strategy of the status endpoint. */
function statusWith(changes: Partial<PodFeatures>): Strategy<Pod> {
  const { strategy } = definitionWith(changes).subresources['status'] ?? {};
  if (strategy === undefined) throw new Error('pods have no status');
  return strategy;
}

/** A feature, a specification that needs it, and the faults of a new pod without the feature. */
type Rule = readonly [feature: keyof PodFeatures, spec: object, faults: readonly string[]];

const tolerating = (operator: string, value: string) => ({ tolerations: [{ key: 'k', operator, value }] });
const comparison = (operator: string) =>
  `spec.tolerations[0].operator: Unsupported value: "${operator}": supported values: "Equal", "Exists", "Lt", "Gt"`;

const RESTART_ALL = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } };
const container = (fields: object) => ({ containers: [{ name: 'c', image: 'i', ...fields }] });
const initContainer = (fields: object) => ({ initContainers: [{ name: 'd', image: 'i', ...fields }] });
const spread = (key: string, matchLabels: object) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels },
      matchLabelKeys: [key],
    },
  ],
});

const RULES: readonly Rule[] = [
  [
    'UserNamespacesHostNetworkSupport',
    { hostUsers: false, hostNetwork: true },
    ['spec.hostNetwork: Forbidden: when `hostUsers` is false'],
  ],
  ['TaintTolerationComparisonOperators', tolerating('Gt', '5'), [comparison('Gt')]],
  ['TaintTolerationComparisonOperators', tolerating('Lt', '-9223372036854775808'), [comparison('Lt')]],
  [
    'SELinuxMount',
    { securityContext: { seLinuxChangePolicy: 'MountOption' } },
    ['spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"'],
  ],
  [
    'ContainerRestartRules',
    container({ restartPolicy: 'Never' }),
    ['spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers'],
  ],
  [
    'ContainerRestartRules',
    initContainer({ restartPolicy: 'Never' }),
    ['spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    'RestartAllContainersOnContainerExits',
    container({ restartPolicy: 'Never', restartPolicyRules: [RESTART_ALL] }),
    [
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
    ],
  ],
  [
    'RestartAllContainersOnContainerExits',
    initContainer({ restartPolicy: 'Always', restartPolicyRules: [{ ...RESTART_ALL, action: 'Restart' }] }),
    [
      'spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed for init containers with restart policy Always',
    ],
  ],
  [
    'MatchLabelKeysInPodTopologySpreadSelectorMerge',
    spread('a', { a: 'b' }),
    [
      'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ],
  ],
];

describe.each(RULES)('%s', (feature, spec, faults) => {
  const other = { [feature]: !DEFAULT_POD_FEATURES[feature] };
  const on = DEFAULT_POD_FEATURES[feature] ? {} : other;
  const off = DEFAULT_POD_FEATURES[feature] ? other : {};
  const made = (changes: Partial<PodFeatures>) =>
    messages(definitionWith(changes).strategy.validate(context, sentPod(spec)));

  it(`allows ${JSON.stringify(spec)} only while it is on`, () => expect([made(off), made(on)]).toEqual([faults, []]));

  it('is off, and the stored pod needs it', () => {
    const pod = sentPod(spec);
    expect(updateFaults(off, pod, sentPod(spec))).toEqual([]);
  });
});

describe('the bound of a toleration', () => {
  const at = (value: string) =>
    messages(
      definitionWith({ TaintTolerationComparisonOperators: true }).strategy.validate(
        context,
        sentPod(tolerating('Gt', value)),
      ),
    );
  const VALUE = 'spec.tolerations[0].value: Invalid value:';
  const CANONICAL = 'must be a valid decimal integer in canonical form';

  it.each<[string, readonly string[]]>([
    ['0', []],
    ['-1', []],
    ['', [`${VALUE} "": must be non-empty`, `${VALUE} "": strconv.ParseInt: parsing "": invalid syntax`]],
    ['007', [`${VALUE} "007": ${CANONICAL}`]],
    ['+1', [`${VALUE} "+1": ${CANONICAL}`]],
    ['-0', [`${VALUE} "-0": ${CANONICAL}`]],
    ['1e3', [`${VALUE} "1e3": ${CANONICAL}`, `${VALUE} "1e3": strconv.ParseInt: parsing "1e3": invalid syntax`]],
    [
      '9223372036854775808',
      [`${VALUE} "9223372036854775808": strconv.ParseInt: parsing "9223372036854775808": value out of range`],
    ],
  ])('%j', (value, faults) => expect(at(value)).toEqual(faults));
});

describe('a stop signal', () => {
  const stopping = (stopSignal: string, os?: string) =>
    sentPod({
      containers: [{ name: 'c', image: 'i', lifecycle: { stopSignal } }],
      ...(os && { os: { name: os } }),
    });
  const SIGNAL = 'spec.containers[0].lifecycle.stopSignal:';
  const on = definitionWith({ ContainerStopSignals: true });

  it.each<[string, string | undefined, RegExp]>([
    ['SIGUSR1', 'linux', /^$/],
    ['SIGTERM', 'windows', /^$/],
    ['SIGUSR1', undefined, new RegExp(`^${SIGNAL.replace(/[[\]]/g, '\\$&')} Forbidden: may not be set for containers`)],
    ['SIGUSR1', 'windows', /Unsupported value: "SIGUSR1": supported values: "SIGKILL", "SIGTERM"$/],
    ['SIGNONE', 'linux', /Unsupported value: "SIGNONE": supported values: "SIGABRT", "SIGALRM",.*"SIGXFSZ"$/],
  ])('%s on %s', (signal, os, fault) => {
    expect(messages(on.strategy.validate(context, stopping(signal, os))).join('\n')).toMatch(fault);
  });
});

describe('the image of a mounted volume', () => {
  const mounted = (image: object) =>
    sentPod(
      {},
      {
        containerStatuses: [
          {
            name: 'c',
            image: 'i',
            imageID: '',
            ready: true,
            restartCount: 0,
            state: {},
            lastState: {},
            volumeMounts: [{ name: 'v', mountPath: '/v', volumeStatus: { image } }],
          },
        ],
      },
    );
  const digest = { imageRef: `sha256:${'0'.repeat(64)}` };
  const kept = async (changes: Partial<PodFeatures>, old: Pod) => {
    const pod = mounted(digest);
    await statusWith(changes).prepareForUpdate?.(context, pod, old);
    return pod.status.containerStatuses?.[0]?.volumeMounts?.[0]?.volumeStatus !== undefined;
  };

  it('is kept while the feature is on, or if the stored pod has one', async () => {
    const on = { ImageVolumeWithDigest: true };
    expect([await kept({}, sentPod({})), await kept({}, mounted(digest)), await kept(on, sentPod({}))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  const PATH = 'status.containerStatuses[0].volumeMounts[0].volumeStatus.imageVolumeStatus.imageRef:';
  it.each<[object, readonly string[]]>([
    [digest, []],
    [{}, [`${PATH} Required value: imageRef must not be empty`]],
    [{ imageRef: 'i'.repeat(257) }, [`${PATH} Too long: may not be more than 256 bytes`]],
  ])('%j', (image, faults) => {
    const { validateUpdate } = statusWith({ ImageVolumeWithDigest: true });
    expect(messages(validateUpdate(context, mounted(image), sentPod({})))).toEqual(faults);
  });
});

it('drops fields of ephemeral containers without EnvFiles, unless the stored pod has some', async () => {
  const fileKeyRef = { volumeName: 'v', path: 'p', key: 'k', optional: false };
  const env = [{ name: 'A', valueFrom: { fileKeyRef } }];
  const reading = container({ env });
  const debugged = (spec: object) =>
    sentPod({ ...spec, ephemeralContainers: [{ name: 'e', image: 'i', env: structuredClone(env) }] });
  const kept = async (changes: Partial<PodFeatures>, stored: object) => {
    const pod = debugged(stored);
    const strategy = definitionWith(changes).subresources['ephemeralcontainers']?.strategy;
    await strategy?.prepareForUpdate?.(context, pod, sentPod(stored));
    return pod.spec.ephemeralContainers?.[0]?.env?.[0]?.valueFrom?.fileKeyRef;
  };
  const off = { EnvFiles: false };
  expect([await kept({}, {}), await kept(off, {}), await kept(off, reading)]).toEqual([
    fileKeyRef,
    undefined,
    fileKeyRef,
  ]);
});

it('requires one of fewer sources of a variable without files', () => {
  const spec = container({ env: [{ name: 'A', valueFrom: {} }] });
  const faults = (changes: Partial<PodFeatures>) =>
    messages(definitionWith(changes).strategy.validate(context, sentPod(spec)));
  const PATH = 'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of:';
  expect([faults({}), faults({ EnvFiles: false })]).toEqual([
    [`${PATH} \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`, \`secretKeyRef\` or \`fileKeyRef\``],
    [`${PATH} \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``],
  ]);
});

it('takes any cost of a deletion without PodDeletionCost', () => {
  const pod = sent({}, {}, { 'controller.kubernetes.io/pod-deletion-cost': 'x' });
  const faults = (changes: Partial<PodFeatures>) => definitionWith(changes).strategy.validate(context, pod).length;
  expect([faults({}), faults({ PodDeletionCost: false })]).toEqual([1, 0]);
});

it.each<[Partial<PodFeatures>, number]>([
  [{}, 1],
  [{ MatchLabelKeysInPodTopologySpreadSelectorMerge: false }, 0],
  [{ MatchLabelKeysInPodTopologySpread: false, MatchLabelKeysInPodTopologySpreadSelectorMerge: false }, 0],
])('merges labels of a pod with %j into its topology spread', async (changes, count) => {
  const pod = sentPod(spread('a', {}));
  pod.metadata.labels = { a: 'b' };
  await definitionWith(changes).strategy.prepareForCreate?.(context, pod);
  const [constraint] = pod.spec.topologySpreadConstraints ?? [];
  expect(constraint?.labelSelector?.matchExpressions ?? []).toHaveLength(count);
});

describe('the status of a pod', () => {
  const state = { terminated: { exitCode: 1, signal: 0, reason: '', containerID: '' } };
  const one = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, lastState: {} };
  const ended = { containerStatuses: [{ ...one, state }] };
  const running = { containerStatuses: [{ ...one, state: { running: {} } }] };
  const restarts = (changes: Partial<PodFeatures>, spec: object) =>
    statusWith(changes).validateUpdate(context, sentPod(spec, running), sentPod(spec, ended)).length === 0;
  const off = { ContainerRestartRules: false, RestartAllContainersOnContainerExits: false };

  it.each<[string, object, boolean]>([
    ['the policy of a container', { ...container({}), restartPolicy: 'Never' }, false],
    ['a pod that restarts after failures', { restartPolicy: 'OnFailure' }, true],
    ['a pod that always restarts', {}, true],
  ])('without restart rules follows %s', (_, spec, allowed) => expect(restarts(off, spec)).toBe(allowed));

  it('keeps stored rules', () => {
    const spec = { ...container({ restartPolicy: 'Always' }), restartPolicy: 'Never' };
    expect(restarts(off, spec)).toBe(true);
  });

  it('has no health of devices without ResourceHealthStatus', async () => {
    const status = { containerStatuses: [{ ...one, state: {}, allocatedResourcesStatus: [{ name: 'claim:a' }] }] };
    const kept = async (changes: Partial<PodFeatures>) => {
      const pod = sentPod({}, status);
      await statusWith(changes).prepareForUpdate?.(context, pod, sentPod({}, status));
      return pod.status.containerStatuses?.[0]?.allocatedResourcesStatus?.length;
    };
    expect([await kept({}), await kept({ ResourceHealthStatus: false })]).toEqual([1, undefined]);
  });

  it('nominates a node for a bound pod only without ClearingNominatedNodeNameAfterBinding', () => {
    const faults = (changes: Partial<PodFeatures>) =>
      messages(
        statusWith(changes).validateUpdate(
          context,
          sentPod({ nodeName: 'n' }, { nominatedNodeName: 'm' }),
          sentPod({ nodeName: 'n' }),
        ),
      );
    expect([faults({}), faults({ ClearingNominatedNodeNameAfterBinding: false })]).toEqual([
      ['status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node'],
      [],
    ]);
  });
});

describe('resources of a pod itself', () => {
  const resources = { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } };
  const off = { PodLevelResources: false, InPlacePodLevelResourcesVerticalScaling: false };

  it.each<[Partial<PodFeatures>, string]>([
    [{}, 'Guaranteed'],
    [off, 'BestEffort'],
  ])('count for the class of service: with %j it is %s', async (changes, qosClass) => {
    const made = sentPod({ resources });
    await definitionWith(changes).strategy.prepareForCreate?.(context, made);
    expect(made.status.qosClass).toBe(qosClass);
  });

  it.each<[Partial<PodFeatures>, object | undefined]>([
    [{}, { cpu: '1' }],
    [off, undefined],
  ])('have defaults: with %j the requests are %j', (changes, requests) => {
    const made = sentPod({});
    made.spec.resources = { limits: { cpu: '1' } };
    definitionWith(changes).versions[0]?.applyDefaults?.(made);
    expect(made.spec.resources.requests).toEqual(requests);
  });

  it.each<[Partial<PodFeatures>, number]>([
    [{}, 2],
    [off, 0],
  ])('are validated: with %j a stored pod has %d faults', (changes, count) => {
    const made = sentPod({ resources: { requests: { 'example.com/a': '1' } } });
    expect(definitionWith(changes).strategy.validate(context, made)).toHaveLength(count);
  });

  const resizeOf = (changes: Partial<PodFeatures>) => definitionWith(changes).subresources['resize']?.strategy;
  const sized = (cpu: string) => sentPod({ resources: { requests: { cpu }, limits: { cpu: '4' } } });
  const notResizable =
    '[]: Forbidden: resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled';

  it.each<[Partial<PodFeatures>, readonly string[]]>([
    [{}, []],
    [{ InPlacePodLevelResourcesVerticalScaling: false }, [notResizable]],
    [off, [notResizable]],
  ])('can be resized: with %j the faults are %j', (changes, faults) => {
    expect(messages(resizeOf(changes)?.validateUpdate(context, sized('2'), sized('1')) ?? [])).toEqual(faults);
  });

  it('are not added by a resize without InPlacePodLevelResourcesVerticalScaling', async () => {
    const added = async (changes: Partial<PodFeatures>) => {
      const pod = sentPod({ resources });
      await resizeOf(changes)?.prepareForUpdate?.(context, pod, sentPod({}));
      return pod.spec.resources;
    };
    expect([await added({}), await added(off)]).toEqual([resources, undefined]);
  });
});

it.each<[Partial<PodFeatures>, object]>([
  [{ InPlacePodLevelResourcesVerticalScaling: false }, { resources: { requests: { cpu: '1' } } }],
  [{ InPlacePodLevelResourcesVerticalScaling: false }, { allocatedResources: { cpu: '1' } }],
  [{ DRAExtendedResource: false }, { extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings: [] } }],
])('without the gate of %j drops %j from a status, unless it is stored', async (changes, fields) => {
  const kept = async (features: Partial<PodFeatures>, old: object) => {
    const pod = sentPod({}, fields);
    await statusWith(features).prepareForUpdate?.(context, pod, sentPod({}, old));
    return Object.keys(fields).filter((field) => Object.hasOwn(pod.status, field)).length;
  };
  expect([await kept({}, {}), await kept(changes, {}), await kept(changes, fields)]).toEqual([1, 0, 1]);
});

it('keeps what claims take from a node with DRANodeAllocatableResources', async () => {
  const nodeAllocatableResourceClaimStatuses = [{ resourceClaimName: 'g', containers: ['c'], resources: { cpu: '1' } }];
  const kept = async (features: Partial<PodFeatures>) => {
    const pod = sentPod({}, { nodeAllocatableResourceClaimStatuses });
    await statusWith(features).prepareForUpdate?.(context, pod, sentPod({}));
    return pod.status.nodeAllocatableResourceClaimStatuses;
  };
  expect(await kept({ DRANodeAllocatableResources: true })).toEqual(nodeAllocatableResourceClaimStatuses);
  expect(await kept({})).toBeUndefined();
});

it('resizes init containers that are no sidecars with InPlacePodVerticalScalingInitContainers', () => {
  const sized = (cpu: string, restartPolicy?: string) =>
    sentPod(initContainer({ ...(restartPolicy && { restartPolicy }), resources: { requests: { cpu } } }));
  const faults = (changes: Partial<PodFeatures>, pods: readonly [Pod, Pod]) =>
    messages(definitionWith(changes).subresources['resize']?.strategy?.validateUpdate(context, ...pods) ?? []);
  const off = { InPlacePodVerticalScalingInitContainers: false };
  expect(faults({}, [sized('2'), sized('1')])).toEqual([]);
  expect(faults(off, [sized('2'), sized('1')])).toEqual([
    'spec: Forbidden: resources for non-sidecar init containers are immutable',
  ]);
  expect(faults(off, [sized('2', 'Always'), sized('1', 'Always')])).toEqual([]);
  expect(faults(off, [sized('1'), sized('1')])).toEqual([]);
});
