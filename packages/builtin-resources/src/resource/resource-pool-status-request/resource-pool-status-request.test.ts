import type {
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from '@apiserver/api/resource/v1alpha3';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { resourcePoolStatusRequests } from './index.js';

const TIME = '2026-01-02T03:04:05Z';
const context = testContext({ namespace: '' });
const { strategy, columns, subresources } = resourcePoolStatusRequests;
const statusStrategy = subresources['status']?.strategy;

function request(
  spec: Partial<ResourcePoolStatusRequestSpec> = {},
  status?: ResourcePoolStatusRequestStatus,
): ResourcePoolStatusRequest {
  return {
    apiVersion: 'resource.k8s.io/v1alpha3',
    kind: 'ResourcePoolStatusRequest',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec: { driver: 'd.example.com', limit: 100, ...spec },
    ...(status && { status: structuredClone(status) }),
  };
}

const CASELESS =
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LONG = 'a'.repeat(254);

describe('a new request', () => {
  it.each<[string, Partial<ResourcePoolStatusRequestSpec>, string]>([
    ['of a driver', {}, ''],
    ['of a driver in capitals, and a pool', { driver: 'D.Example.com', poolName: 'a/b.c', limit: 1000 }, ''],
    ['of no driver', { driver: '' }, 'spec.driver: Required value'],
    ['of an invalid driver', { driver: 'a_b' }, `spec.driver: Invalid value: "a_b": ${CASELESS}`],
    [
      'of a driver with a long name',
      { driver: LONG },
      `spec.driver: Invalid value: "${LONG}": must be no more than 253 bytes`,
    ],
    ['of an empty pool', { poolName: '' }, 'spec.poolName: Invalid value: "": segment 0: must not be empty'],
    [
      'of invalid segments',
      { poolName: 'a//B' },
      `[spec.poolName: Invalid value: "a//B": segment 1: must not be empty, spec.poolName: Invalid value: "B": segment 2: ${SUBDOMAIN}]`,
    ],
    [
      'of a pool with a long name',
      { poolName: LONG },
      `[spec.poolName: Too long: may not be more than 253 bytes, spec.poolName: Invalid value: "${LONG}": segment 0: must be no more than 253 bytes]`,
    ],
    ['for no pools', { limit: 0 }, 'spec.limit: Invalid value: 0: must be greater than or equal to 1'],
    ['for too many pools', { limit: 1001 }, 'spec.limit: Invalid value: 1001: must be less than or equal to 1000'],
  ])('%s', (_what, spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, request(spec)))).toBe(message);
  });

  it('has no status', () => {
    const made = request({}, { poolCount: 1 });
    void strategy.prepareForCreate?.(context, made);
    expect(made).toEqual(request());
  });
});

it.each<[string, Partial<ResourcePoolStatusRequestSpec>, string]>([
  ['the same spec', {}, ''],
  ['another limit', { limit: 0 }, 'spec: Invalid value: null: field is immutable'],
])('an update with %s', (_what, spec, message) => {
  const changed = request(spec, { poolCount: 2 });
  void strategy.prepareForUpdate?.(context, changed, request());
  expect(changed.status).toBeUndefined();
  expect(aggregateFieldErrors(strategy.validateUpdate(context, changed, request()))).toBe(message);
});

it('an update keeps the status', () => {
  const changed = request();
  void strategy.prepareForUpdate?.(context, changed, request({}, { poolCount: 2 }));
  expect(changed.status).toEqual({ poolCount: 2 });
});

const POOL: PoolStatus = { driver: 'd.example.com', poolName: 'p', generation: 1 };
const COMPLETE = { type: 'Complete', status: 'True', reason: 'R', message: 'm', lastTransitionTime: TIME };
const COMPLETE_JSON =
  '{"type":"Complete","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"R","message":"m"}';

function statusErrors(status: ResourcePoolStatusRequestStatus | undefined, old?: ResourcePoolStatusRequestStatus) {
  return aggregateFieldErrors(statusStrategy?.validateUpdate(context, request({}, status), request({}, old)) ?? []);
}

describe('the first status', () => {
  const pools = (...list: PoolStatus[]) => ({ poolCount: list.length, pools: list });

  it.each<[string, ResourcePoolStatusRequestStatus | undefined, string]>([
    ['none', undefined, ''],
    ['no pools', { poolCount: 0, pools: [], conditions: [COMPLETE] }, ''],
    ['a pool', pools({ ...POOL, resourceSliceCount: 1, totalDevices: 0, nodeName: 'n', validationError: 'e' }), ''],
    ['no count', {}, 'status.poolCount: Required value'],
    ['a negative count', { poolCount: -1 }, 'status.poolCount: Invalid value: -1: must be greater than or equal to 0'],
    [
      'an empty pool',
      pools({ generation: 0 }),
      '[status.pools[0].driver: Required value, status.pools[0].poolName: Required value, status.pools[0].generation: Required value]',
    ],
    [
      'wrong numbers',
      pools({
        ...POOL,
        generation: -1n,
        resourceSliceCount: 0,
        totalDevices: -1,
        allocatedDevices: -1,
        availableDevices: -1,
        unavailableDevices: -1,
        nodeName: '',
        validationError: 'é'.repeat(129),
      }),
      `[status.pools[0].generation: Invalid value: -1: must be greater than or equal to 0, status.pools[0].resourceSliceCount: Invalid value: 0: must be greater than or equal to 1, ${[
        'totalDevices',
        'allocatedDevices',
        'availableDevices',
        'unavailableDevices',
      ]
        .map((name) => `status.pools[0].${name}: Invalid value: -1: must be greater than or equal to 0`)
        .join(
          ', ',
        )}, status.pools[0].nodeName: Invalid value: "": ${SUBDOMAIN}, status.pools[0].validationError: Too long: may not be more than 256 bytes]`,
    ],
    [
      'too many pools',
      pools(...Array.from({ length: 1001 }, () => ({ generation: 0 }))),
      'status.pools: Too many: 1001: must have at most 1000 items',
    ],
    [
      'a condition twice, reported by both sets of rules',
      { poolCount: 0, conditions: [COMPLETE, COMPLETE] },
      `[status.conditions[1].type: Duplicate value: "Complete", status.conditions[1]: Duplicate value: ${COMPLETE_JSON}]`,
    ],
    [
      'too many conditions',
      { poolCount: 0, conditions: Array.from({ length: 11 }, (_, i) => ({ ...COMPLETE, type: `C${i}` })) },
      'status.conditions: Too many: 11: must have at most 10 items',
    ],
  ])('%s', (_what, status, message) => {
    // Keys of a condition in the order of the schema, as decoded bodies have them.
    const ordered = structuredClone(status);
    if (ordered?.conditions) {
      ordered.conditions = ordered.conditions.map(({ type, status, lastTransitionTime, reason, message }) => ({
        type,
        status,
        lastTransitionTime,
        reason,
        message,
      }));
    }
    expect(statusErrors(ordered)).toBe(message);
  });

  it('comes without changes of the spec or the labels', () => {
    const changed = request({ limit: 1 }, { poolCount: 1 });
    changed.metadata.labels = { a: 'b' };
    void statusStrategy?.prepareForUpdate?.(context, changed, request());
    expect(changed).toEqual(request({}, { poolCount: 1 }));
  });
});

describe('a later status', () => {
  it.each<[string, ResourcePoolStatusRequestStatus | undefined, string]>([
    ['the same', { poolCount: 1, pools: [POOL] }, ''],
    ['none', undefined, 'status: Invalid value: null: field is immutable'],
    [
      'another count',
      { poolCount: -2, pools: [POOL] },
      '[status: Invalid value: {"PoolCount":-2,"Pools":[{"Driver":"d.example.com","PoolName":"p","Generation":1,"ResourceSliceCount":null,"TotalDevices":null,"AllocatedDevices":null,"AvailableDevices":null,"UnavailableDevices":null,"NodeName":null,"ValidationError":null}],"Conditions":null}: field is immutable, status.poolCount: Invalid value: -2: must be greater than or equal to 0]',
    ],
  ])('%s', (_what, status, message) => {
    expect(statusErrors(status, { poolCount: 1, pools: [POOL] })).toBe(message);
  });
});

it('shows the number of pools, and whether it is complete', () => {
  const cells = (status?: ResourcePoolStatusRequestStatus) =>
    columns.map((column) => column.cell(request({}, status), rowTime(0)));
  expect([
    cells(),
    cells({ poolCount: 2, conditions: [{ ...COMPLETE, status: 'False' }] }),
    cells({ poolCount: 2, conditions: [COMPLETE] }),
  ]).toEqual([
    ['a', 'd.example.com', 0, 'Pending', '<unknown>'],
    ['a', 'd.example.com', 2, 'Pending', '<unknown>'],
    ['a', 'd.example.com', 2, 'Complete', '<unknown>'],
  ]);
});
