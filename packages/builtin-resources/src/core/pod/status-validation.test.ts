import { Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';
import { validatePodStatusUpdate } from './status-validation.js';

const codec = compileKind(Pod);
const VERSION = { name: 'p', namespace: 'ns', resourceVersion: '1' };

function pod(spec: object, status: object): Pod {
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata: VERSION, spec: { restartPolicy: 'Never', ...spec }, status };
  return codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict').object as Pod;
}
const container = (changes: object = {}) => ({ name: 'c', image: 'i', ...changes });
const status = (changes: object = {}) => ({
  name: 'c',
  image: 'i',
  imageID: '',
  ready: true,
  restartCount: 0,
  state: {},
  lastState: {},
  ...changes,
});
const faultsOf = (spec: object, after: object, before: object = {}) =>
  validatePodStatusUpdate(pod(spec, after), pod(spec, before), DEFAULT_POD_FEATURES).map((error) =>
    aggregateFieldErrors([error]),
  );

describe('validatePodStatusUpdate', () => {
  const AT = 'status.containerStatuses[0]';
  const NODE_CLAIMS = 'status.nodeAllocatableResourceClaimStatuses';
  const claims = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'g' }] };
  const asking = {
    containers: [
      container({ resources: { requests: { 'example.com/gpu': '1' }, claims: [{ name: 'gpu', request: 'one' }] } }),
    ],
  };
  const allocated = (name: string, ...resources: object[]) => ({
    containerStatuses: [status({ allocatedResourcesStatus: [{ name, resources }] })],
  });

  it.each([
    [claims, { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'p-gpu' }] }, []],
    [
      claims,
      { resourceClaimStatuses: [{ name: 'tpu' }, { name: 'tpu' }] },
      [
        'status.resourceClaimStatuses[0].name: Invalid value: "tpu": must match the name of an entry in `spec.resourceClaims`',
        'status.resourceClaimStatuses[1].name: Invalid value: "tpu": must match the name of an entry in `spec.resourceClaims`',
        'status.resourceClaimStatuses[1].name: Duplicate value: "tpu"',
      ],
    ],
    [
      claims,
      { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'A' }] },
      [expect.stringContaining('status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "A": a lowercase')],
    ],
    [
      claims,
      {
        resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'p-gpu' }],
        nodeAllocatableResourceClaimStatuses: ['g', 'p-gpu'].map((resourceClaimName) => ({
          resourceClaimName,
          containers: ['c'],
          resources: { cpu: '1' },
        })),
      },
      [],
    ],
    [
      claims,
      {
        nodeAllocatableResourceClaimStatuses: [
          { resourceClaimName: '' },
          { resourceClaimName: 'gpu', containers: ['c'], resources: { 'example.com/gpu': '-1' } },
        ],
      },
      [
        `${NODE_CLAIMS}[0].resourceClaimName: Required value: must not be empty`,
        `${NODE_CLAIMS}[0].containers: Required value: must not be empty`,
        `${NODE_CLAIMS}[0].resources: Required value: must not be empty`,
        `${NODE_CLAIMS}[1].resourceClaimName: Invalid value: "gpu": no mapping found in pod reference`,
        `${NODE_CLAIMS}[1].resources[example.com/gpu]: Invalid value: "example.com/gpu": must be a node allocatable resource name`,
        `${NODE_CLAIMS}[1].resources[example.com/gpu]: Invalid value: "-1": must be non-negative`,
      ],
    ],
    [{}, { containerStatuses: [status({ user: { linux: { uid: 1, gid: 2, supplementalGroups: [3] } } })] }, []],
    [
      {},
      { containerStatuses: [status({ user: { linux: { uid: -1, gid: 2, supplementalGroups: [-3] } } })] },
      [
        `${AT}.user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
        `${AT}.user.linux.supplementalGroups[0]: Invalid value: -3: must be between 0 and 2147483647, inclusive`,
      ],
    ],
    [
      { os: { name: 'windows' } },
      { containerStatuses: [status({ user: { linux: { uid: 1, gid: 2 } } })] },
      [`${AT}.user.linux: Forbidden: cannot be set for a windows pod`],
    ],
    [asking, allocated('example.com/gpu', { resourceID: 'a', health: 'Healthy' }), []],
    [asking, allocated('claim:gpu/one'), []],
    [
      asking,
      allocated('<cpu'),
      [
        `${AT}.allocatedResourcesStatus[0].name: Invalid value: "\\u003ccpu": must match one of the container's resource requests`,
      ],
    ],
    [
      asking,
      allocated('claim:<gpu'),
      [
        `${AT}.allocatedResourcesStatus[0].name: Invalid value: "claim:\\u003cgpu": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty`,
      ],
    ],
    [
      asking,
      allocated('claim:gpu/one', { resourceID: '<a', health: '<Fine' }, { resourceID: '<a', health: 'Healthy' }),
      [
        `${AT}.allocatedResourcesStatus[0].resources[0].health: Unsupported value: "\\u003cFine": supported values: "Healthy", "Unhealthy", "Unknown"`,
        `${AT}.allocatedResourcesStatus[0].resources[1].resourceID: Duplicate value: "\\u003ca"`,
      ],
    ],
    [{}, allocated('x'), []],
    [
      {},
      {
        conditions: [
          { type: 'Ready', status: 'True', observedGeneration: -1 },
          { type: 'not so', status: 'True' },
        ],
      },
      [
        'status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer',
        expect.stringMatching(/^status.conditions\[1\].Type: Invalid value: "not so": /),
      ],
    ],
    [
      {},
      { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] },
      ['status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`'],
    ],
    [
      {},
      { ephemeralContainerStatuses: [status({ allocatedResourcesStatus: [{ name: 'x' }] })] },
      [
        'status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be specified in container status',
      ],
    ],
  ])('of %j finds in %j', (spec, after, faults) => expect(faultsOf(spec, after)).toEqual(faults));

  const NOMINATED = 'status.nominatedNodeName';
  it.each([
    [
      'a bound pod',
      { nodeName: 'n' },
      'm',
      [`${NOMINATED}: Forbidden: may not be set on pods that are already bound to a node`],
    ],
    ['a pod that is not bound', {}, 'm', []],
    ['a bound pod that is nominated already', { nodeName: 'n' }, 'old', []],
  ])('of the nomination of %s', (_what, spec, nominatedNodeName, faults) =>
    expect(faultsOf(spec, { nominatedNodeName }, { nominatedNodeName: 'old' })).toEqual(faults),
  );

  it.each([
    [
      { qosClass: 'Burstable' },
      { qosClass: 'BestEffort' },
      ['status.qosClass: Invalid value: "Burstable": field is immutable'],
    ],
    [{ qosClass: 'Burstable' }, {}, ['status.qosClass: Invalid value: "Burstable": field is immutable']],
    [{ qosClass: 'Burstable' }, { qosClass: 'Burstable' }, []],
  ])('of the class %j after %j', (after, before, faults) => expect(faultsOf({}, after, before)).toEqual(faults));

  it('finds the status that lasts among several of a name', () => {
    const ended = status({ state: { terminated: { exitCode: 0 } } });
    for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']) {
      const spec = { containers: [container()], initContainers: [container()] };
      expect(faultsOf(spec, { [list]: [status(), ended] }, { [list]: [ended] })).toEqual([
        `status.${list}[0].state: Forbidden: may not be transitioned to non-terminated state`,
      ]);
    }
  });

  it('never lets ephemeral containers restart', () => {
    const state = { terminated: { exitCode: 0, startedAt: null, finishedAt: null } };
    const ended = { ephemeralContainerStatuses: [status({ state })] };
    expect(faultsOf({ restartPolicy: 'Always' }, { ephemeralContainerStatuses: [status()] }, ended)).toEqual([
      'status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
  });

  const mapping = { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'r' };
  const EXTENDED = 'status.extendedResourceClaimStatus';
  it.each([
    [{ requestMappings: [mapping], resourceClaimName: 'claim' }, []],
    [
      { requestMappings: [], resourceClaimName: '' },
      [
        `${EXTENDED}.requestMappings: Required value: at least one request mapping is required`,
        `${EXTENDED}.resourceClaimName: Required value`,
      ],
    ],
    [
      { requestMappings: [{ ...mapping, containerName: 'd' }], resourceClaimName: 'claim' },
      [
        `${EXTENDED}.requestMappings[0].containerName: Invalid value: "d": must match the name of an entry in spec.initContainers.name or spec.containers.name`,
      ],
    ],
    [
      { requestMappings: [{ ...mapping, resourceName: 'example.com/tpu' }], resourceClaimName: 'claim' },
      [
        `${EXTENDED}.requestMappings[0].resourceName: Invalid value: "example.com/tpu": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests`,
      ],
    ],
    [
      { requestMappings: [mapping, mapping], resourceClaimName: 'claim' },
      [
        `${EXTENDED}.requestMappings[1].containerName: Duplicate value: "c"`,
        `${EXTENDED}.requestMappings[1].resourceName: Duplicate value: "example.com/gpu"`,
        `${EXTENDED}.requestMappings[1].requestName: Duplicate value: "r"`,
      ],
    ],
  ])('of the claim for extended resources %j', (extendedResourceClaimStatus, faults) =>
    expect(faultsOf(asking, { extendedResourceClaimStatus })).toEqual(faults),
  );

  const rule = (action: string, operator: string, ...values: number[]) => ({
    restartPolicy: 'Never',
    restartPolicyRules: [{ action, exitCodes: { operator, values } }],
  });
  it.each([
    ['never', {}, false],
    ['by its own policy', { restartPolicy: 'OnFailure' }, true],
    ['by a rule for its exit code', rule('Restart', 'In', 3), true],
    ['not by a rule for another one', rule('Restart', 'In', 4), false],
    ['by a rule for all others', rule('Restart', 'NotIn', 4), true],
    ['with all others', rule('RestartAllContainers', 'In', 9), true],
  ])('a terminated container may restart %s', (_how, changes, allowed) => {
    const ended = { state: { terminated: { exitCode: 3, startedAt: null, finishedAt: null } } };
    const running = { state: { running: { startedAt: null } } };
    const faults = faultsOf(
      { containers: [container(changes)] },
      { containerStatuses: [status(running)] },
      { containerStatuses: [status(ended)] },
    );
    expect(faults).toEqual(allowed ? [] : [`${AT}.state: Forbidden: may not be transitioned to non-terminated state`]);
  });

  it('a terminated container that the pod does not have may not restart, whatever its policy', () => {
    const ended = { name: 'gone', state: { terminated: { exitCode: 3, startedAt: null, finishedAt: null } } };
    const running = { name: 'gone', state: { running: { startedAt: null } } };
    const faults = faultsOf(
      { restartPolicy: 'Always', containers: [container()] },
      { containerStatuses: [status(running)] },
      { containerStatuses: [status(ended)] },
    );
    expect(faults).toEqual([`${AT}.state: Forbidden: may not be transitioned to non-terminated state`]);
  });
});
