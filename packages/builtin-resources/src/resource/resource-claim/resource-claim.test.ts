import type {
  DeviceClaim,
  DeviceRequest,
  DeviceRequestAllocationResult,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimStatus,
} from '@apiserver/api/resource/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { resourceClaimDeclaration } from './index.js';

const context = testContext({ namespace: 'ns' });
const { strategy, columns, subresources, versions } = resourceClaimDeclaration(TEST_FEATURES).definition;
const status = subresources['status']?.strategy ?? strategy;

function claim(devices: Partial<DeviceClaim> = {}, state: ResourceClaimStatus = {}): ResourceClaim {
  const made: ResourceClaim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: { devices: structuredClone(devices) },
    status: structuredClone(state),
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

const request = (exactly: Partial<ExactDeviceRequest> = {}): DeviceRequest => ({
  name: 'r',
  exactly: { deviceClassName: 'gpu', ...exactly },
});
const sub = (name: string) => ({ name, deviceClassName: 'gpu' });
const firstAvailable = { name: 'r', firstAvailable: [sub('a'), sub('b')] };
const WRONG = { cel: { expression: 'device' } };
const opaque = { driver: 'd.example.com', parameters: {} };
const [REQUEST, EXACT] = ['spec.devices.requests[0]', 'spec.devices.requests[0].exactly'];
const REFERENCE =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const ONE_OF = 'exactly one of `exactly` or `firstAvailable` is required';

it('requests one device by default', () => {
  expect(
    claim({ requests: [request(), request({ allocationMode: 'All' }), firstAvailable] }).spec.devices.requests,
  ).toEqual([
    request({ allocationMode: 'ExactCount', count: 1 }),
    request({ allocationMode: 'All' }),
    { name: 'r', firstAvailable: ['a', 'b'].map((name) => ({ ...sub(name), allocationMode: 'ExactCount', count: 1 })) },
  ]);
});

describe('a new claim', () => {
  it.each<[string, Partial<DeviceClaim>, string]>([
    ['of nothing', {}, ''],
    [
      'of everything',
      {
        requests: [
          request({ selectors: [{ cel: { expression: 'true' } }], tolerations: [{ operator: 'Exists' }] }),
          { ...firstAvailable, name: 's' },
        ],
        constraints: [{ requests: ['r', 's/a'], matchAttribute: 'example.com/numa' }, { distinctAttribute: 'a.b/c' }],
        config: [{ requests: ['s'], opaque }],
      },
      '',
    ],
    ['with a request twice', { requests: [request(), request()] }, 'spec.devices.requests[1]: Duplicate value: "r"'],
    ['with an empty request', { requests: [{ name: 'r' }] }, `${REQUEST}: Required value: ${ONE_OF}`],
    [
      'with a request of both',
      { requests: [{ ...request(), ...firstAvailable }] },
      `${REQUEST}: Invalid value: null: ${ONE_OF}, but multiple fields are set`,
    ],
    [
      'with a choice twice',
      { requests: [{ name: 'r', firstAvailable: [sub('a'), sub('a')] }] },
      `${REQUEST}.firstAvailable[1]: Duplicate value: "a"`,
    ],
    ['without a class', { requests: [request({ deviceClassName: '' })] }, `${EXACT}.deviceClassName: Required value`],
    [
      'with another mode',
      { requests: [request({ allocationMode: 'Some' })] },
      `${EXACT}.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`,
    ],
    [
      'with less than one device',
      { requests: [request({ count: -1 })] },
      `${EXACT}.count: Invalid value: -1: must be greater than zero`,
    ],
    [
      'with a count of all devices',
      { requests: [request({ allocationMode: 'All', count: 1 })] },
      `${EXACT}.count: Invalid value: 1: must not be specified when allocationMode is 'All'`,
    ],
    [
      'with odd tolerations',
      {
        requests: [
          request({
            tolerations: [
              { operator: 'Exists', value: 'v' },
              { operator: 'x', effect: 'y' },
            ],
          }),
        ],
      },
      `[${EXACT}.tolerations[0].value: Invalid value: "v": must be empty for operator \`Exists\`, ${EXACT}.tolerations[1].operator: Unsupported value: "x": supported values: "Equal", "Exists", ${EXACT}.tolerations[1].effect: Unsupported value: "y": supported values: "NoExecute", "NoSchedule", "None"]`,
    ],
    [
      'with a constraint of nothing',
      { constraints: [{}] },
      'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ],
    [
      'with an attribute of no domain',
      { constraints: [{ matchAttribute: 'numa' }] },
      'spec.devices.constraints[0].matchAttribute: Invalid value: "numa": a fully qualified name must be a domain and a name separated by a slash',
    ],
    [
      'with references to nothing',
      { requests: [firstAvailable], config: [{ requests: ['x', 'r/c', 'r/a/b', 'r/a', 'r/a'], opaque }] },
      `[spec.devices.config[0].requests[0]: Invalid value: "x": ${REFERENCE}, spec.devices.config[0].requests[1]: Invalid value: "r/c": ${REFERENCE}, spec.devices.config[0].requests[2]: Invalid value: "r/a/b": ${REFERENCE}, spec.devices.config[0].requests[4]: Duplicate value: "r/a"]`,
    ],
    [
      'with selectors that are wrong',
      {
        requests: [
          request({ selectors: [{ cel: { expression: 'device' } }] }),
          { name: 's', firstAvailable: [{ ...sub('a'), selectors: [{}, { cel: { expression: '1' } }] }] },
        ],
      },
      `[${EXACT}.selectors[0].cel.expression: Invalid value: "device": must evaluate to bool or the unknown type, not kubernetes.DRADevice, spec.devices.requests[1].firstAvailable[0].selectors[0].cel: Required value, spec.devices.requests[1].firstAvailable[0].selectors[1].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int]`,
    ],
    [
      'with too many selectors, or choices that have one',
      {
        requests: [
          request({ selectors: Array.from({ length: 33 }, () => WRONG) }),
          { name: 's', firstAvailable: Array.from('abcdefghi', (name) => ({ ...sub(name), selectors: [WRONG] })) },
        ],
      },
      `[${EXACT}.selectors: Too many: 33: must have at most 32 items, spec.devices.requests[1].firstAvailable: Too many: 9: must have at most 8 items]`,
    ],
    [
      'with too many requests that have selectors',
      { requests: Array.from({ length: 33 }, () => request({ selectors: [WRONG] })) },
      'spec.devices.requests: Too many: 33: must have at most 32 items',
    ],
  ])('%s', async (_what, devices, message) => {
    const made = claim(devices);
    await strategy.prepareForCreate?.(context, made);
    expect(aggregateFieldErrors(strategy.validate(context, made))).toBe(message);
  });

  it('needs an attribute to match in each constraint without DRAConsumableCapacity', async () => {
    const features = testFeatures({ DRAConsumableCapacity: false });
    const { strategy: old } = resourceClaimDeclaration(features).definition;
    const made = claim({ constraints: [{}, { distinctAttribute: 'a.b/c' }, { matchAttribute: 'a.b/c' }] });
    await old.prepareForCreate?.(context, made);
    const path = (i: number) => `spec.devices.constraints[${i}].matchAttribute`;
    expect(aggregateFieldErrors(old.validate(context, made))).toBe(
      `[${path(0)}: Required value, ${path(1)}: Required value]`,
    );
  });

  it('has no status, and an immutable spec', () => {
    const made = claim({}, { reservedFor: [{ resource: 'pods', name: 'p', uid: '1' }] });
    void strategy.prepareForCreate?.(context, made);
    expect(made.status).toEqual({});
    const errors = strategy.validateUpdate(context, claim({ requests: [firstAvailable] }), claim());
    expect(aggregateFieldErrors(errors)).toMatch(/^spec: Invalid value: .*: field is immutable$/);
  });
});

const RESULT: DeviceRequestAllocationResult = { request: 'r', driver: 'd.example.com', pool: 'n/p', device: 'gpu-0' };
const allocated = (...results: Partial<DeviceRequestAllocationResult>[]) => ({
  devices: { results: results.map((result) => ({ ...RESULT, ...result })) },
});
const POD = { resource: 'pods', name: 'p', uid: '1' };
const SHARE = '2ff8e33e-5ee6-4d1b-8b3b-0e1f7c1f8f11';
const { request: _, ...DEVICE } = RESULT;
const [RESULTS, DEVICES] = ['status.allocation.devices.results[0]', 'status.devices[0]'];

describe('a status', () => {
  const updated = (state: ResourceClaimStatus, old: ResourceClaimStatus = {}) =>
    aggregateFieldErrors(status.validateUpdate(context, claim({ requests: [request()] }, state), claim({}, old)));

  it.each<[string, ResourceClaimStatus, string]>([
    ['of nothing', {}, ''],
    [
      'of everything',
      {
        allocation: {
          devices: {
            results: [
              {
                ...RESULT,
                shareID: SHARE,
                bindingConditions: ['a.b/ready'],
                bindingFailureConditions: ['failed'],
                tolerations: [{ operator: 'Equal', key: 'k' }],
              },
            ],
            config: [{ source: 'FromClass', requests: ['r'], opaque }],
          },
          nodeSelector: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
          },
        },
        reservedFor: [POD],
        devices: [
          {
            ...DEVICE,
            shareID: SHARE,
            data: { a: 1 },
            conditions: [
              { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
            ],
            networkData: { interfaceName: 'eth0', ips: ['10.9.8.7/24', '2001:db8::1/64'], hardwareAddress: 'ea' },
          },
        ],
      },
      '',
    ],
    [
      'of a claim that is not allocated',
      { reservedFor: [POD] },
      'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
    ],
    [
      'with consumers of no name',
      { allocation: allocated(), reservedFor: [{ resource: '', name: '', uid: '' }] },
      '[status.reservedFor[0].resource: Required value, status.reservedFor[0].name: Required value, status.reservedFor[0].uid: Required value]',
    ],
    [
      'with a consumer twice',
      { allocation: allocated(), reservedFor: [POD, POD] },
      'status.reservedFor[1]: Duplicate value: "1"',
    ],
    [
      'with a device that is not allocated',
      { devices: [DEVICE] },
      `${DEVICES}: Invalid value: {"Driver":"d.example.com","Pool":"n/p","Device":"gpu-0","ShareID":""}: must be an allocated device in the claim`,
    ],
    [
      'with odd network data',
      {
        allocation: allocated({}),
        devices: [
          {
            ...DEVICE,
            networkData: { interfaceName: 'x'.repeat(257), ips: ['10.9.8.7', '010.9.8.7/24', '::ffff:1.2.3.4/120'] },
          },
        ],
      },
      `[${DEVICES}.networkData.interfaceName: Too long: may not be more than 256 bytes, ${DEVICES}.networkData.ips[0]: Invalid value: "10.9.8.7": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64), ${DEVICES}.networkData.ips[1]: Invalid value: "010.9.8.7/24": must be in canonical form ("10.9.8.7/24"), ${DEVICES}.networkData.ips[2]: Invalid value: "::ffff:1.2.3.4/120": must be in canonical form ("1.2.3.4/24")]`,
    ],
    [
      'with data that are no object',
      { allocation: allocated({}), devices: [{ ...DEVICE, data: 'x' }] },
      `${DEVICES}.data: Invalid value: "<value omitted>": must be a valid JSON object`,
    ],
    ['with no data', { allocation: allocated({}), devices: [{ ...DEVICE, data: null }] }, ''],
    [
      'with results of other requests',
      { allocation: allocated({ request: 'x' }) },
      `${RESULTS}.request: Invalid value: "x": ${REFERENCE}`,
    ],
    ['with a result without a pool', { allocation: allocated({ pool: '' }) }, `${RESULTS}.pool: Required value`],
    [
      'with odd shares',
      { allocation: allocated({ shareID: 'x' }, { shareID: SHARE.toUpperCase() }) },
      `[${RESULTS}.shareID: Invalid value: "x": error validating uid: invalid UUID length: 1, status.allocation.devices.results[1].shareID: Invalid value: "${SHARE.toUpperCase()}": uid must be in RFC 4122 normalized form, \`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\` with lowercase hexadecimal characters]`,
    ],
    [
      'with a device whose name reads like the share of another',
      {
        allocation: allocated({ pool: 'p', shareID: SHARE }),
        devices: [{ ...DEVICE, pool: 'p/gpu-0', device: SHARE }],
      },
      `${DEVICES}: Invalid value: {"Driver":"d.example.com","Pool":"p/gpu-0","Device":"${SHARE}","ShareID":""}: must be an allocated device in the claim`,
    ],
    [
      'with an empty share',
      { allocation: allocated({}), devices: [{ ...DEVICE, shareID: '' }] },
      `${DEVICES}.shareID: Invalid value: "": error validating uid: invalid UUID length: 0`,
    ],
    [
      'with a share twice',
      {
        allocation: allocated({ shareID: SHARE }),
        devices: [1, 2].map(() => ({ ...DEVICE, shareID: SHARE })),
      },
      `status.devices[1]: Duplicate value: {"Driver":"d.example.com","Pool":"n/p","Device":"gpu-0","ShareID":"${SHARE}"}`,
    ],
    [
      'with half of the binding conditions',
      { allocation: allocated({ bindingConditions: ['a', 'a'] }) },
      `[${RESULTS}.bindingConditions[1]: Duplicate value: "a", ${RESULTS}.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions]`,
    ],
    [
      'with a configuration from elsewhere',
      { allocation: { devices: { config: [{ source: 'x', opaque }] } } },
      'status.allocation.devices.config[0].source: Unsupported value: "x": supported values: "FromClaim", "FromClass"',
    ],
  ])('%s', (_what, state, message) => expect(updated(state)).toBe(message));

  it('keeps an allocation without validating it again', () => {
    const old = { allocation: allocated({ pool: '' }) };
    expect(updated(old, old)).toBe('');
    expect(updated({ allocation: allocated({}) }, old)).toMatch(/^status.allocation: .*field is immutable$/);
    expect(updated({}, old)).toBe('');
  });

  it('refuses reservations of a claim under deletion', () => {
    const old = claim({}, { allocation: allocated(), reservedFor: [POD] });
    old.metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
    expect(status.validateUpdate(context, old, old)).toEqual([]);
    const more = { ...old, status: { ...old.status, reservedFor: [{ ...POD, uid: '2' }] } };
    expect(aggregateFieldErrors(status.validateUpdate(context, more, old))).toContain(
      'status.reservedFor: Forbidden: new entries may not be added while',
    );
  });

  it('drops deallocated devices, and changes nothing else', () => {
    const other = { ...DEVICE, device: 'gpu-1' };
    const old = claim(
      { requests: [request()] },
      { allocation: allocated({}, { device: 'gpu-1' }), devices: [DEVICE, other] },
    );
    const write = claim({}, { allocation: allocated({ device: 'gpu-1' }), devices: [DEVICE, other] });
    write.metadata.labels = { a: 'b' };
    void status.prepareForUpdate?.(context, write, old);
    expect(write).toEqual({ ...old, status: { allocation: allocated({ device: 'gpu-1' }), devices: [other] } });
  });
});

it.each<[ResourceClaimStatus, boolean, string]>([
  [{}, false, 'pending'],
  [{}, true, 'deleted'],
  [{ allocation: allocated() }, false, 'allocated'],
  [{ allocation: allocated(), reservedFor: [POD] }, true, 'deleted,allocated,reserved'],
])('shows %j, deleted %j, as %s', (state, isDeleted, text) => {
  const shown = claim({}, state);
  if (isDeleted) shown.metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
  expect(columns.map((column) => column.cell(shown, rowTime(0)))).toEqual(['c', text, '<unknown>']);
});
