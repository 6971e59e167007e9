import type { ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '@apiserver/api/resource/v1';
import type * as v1beta1 from '@apiserver/api/resource/v1beta1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { resourceClaimBeta, resourceClaimTemplateBeta, resourceSliceBeta } from './versions.js';

const metadata = { name: 'o' };
const slices = resourceSliceBeta({ now: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
const exact = { name: 'r', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
const sub = { name: 's', deviceClassName: 'gpu', allocationMode: 'All' };

/** A body of v1beta1 as it is stored, and the stored object as a client of v1beta1 gets it. */
function bothWays<T extends KubeObject>(version: Omit<ResourceVersionDefinition<T>, 'version'>, sent: KubeObject) {
  const body = structuredClone(sent) as T;
  version.applyDefaults?.(body);
  const hub = version.toHub?.(body) as T;
  return { hub, shown: version.fromHub?.(hub) as KubeObject };
}

function throughClaim(requests: v1beta1.DeviceRequest[] | null | undefined) {
  const sent: v1beta1.ResourceClaim = {
    apiVersion: 'resource.k8s.io/v1beta1',
    kind: 'ResourceClaim',
    metadata,
    spec: { devices: requests === undefined ? {} : { requests } },
    status: {},
  };
  const { hub, shown } = bothWays<ResourceClaim>(resourceClaimBeta, sent);
  expect([hub.apiVersion, shown.apiVersion]).toEqual(['resource.k8s.io/v1', 'resource.k8s.io/v1beta1']);
  return [hub.spec.devices.requests, (shown as v1beta1.ResourceClaim).spec.devices?.requests];
}

describe('a request of v1beta1', () => {
  it.each<[string, Partial<v1beta1.DeviceRequest>, object, object?]>([
    [
      'exactly one device',
      { deviceClassName: 'gpu' },
      { exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } },
      exact,
    ],
    [
      'all devices for an administrator',
      { deviceClassName: 'gpu', allocationMode: 'All', adminAccess: true },
      { exactly: { deviceClassName: 'gpu', allocationMode: 'All', adminAccess: true } },
    ],
    ['alternatives', { deviceClassName: '', firstAvailable: [sub] }, { firstAvailable: [sub] }],
    ...(['tolerations', 'selectors'] as const).map((list): [string, object, object, object] => [
      `alternatives beside ${list}, which is invalid`,
      { deviceClassName: '', [list]: [], firstAvailable: [sub] },
      { exactly: { deviceClassName: '' }, firstAvailable: [sub] },
      { name: 'r', deviceClassName: '', firstAvailable: [sub] },
    ]),
  ])('%s', (_what, fields, hub, shown = { name: 'r', ...fields }) => {
    expect(throughClaim([{ name: 'r', ...fields } as v1beta1.DeviceRequest])).toEqual([
      [{ name: 'r', ...hub }],
      [shown],
    ]);
  });

  it('may be absent', () => {
    expect(throughClaim(undefined)).toEqual([undefined, undefined]);
  });

  it('stays null, which managed fields compare with a list', () => {
    expect(throughClaim(null)).toEqual([null, null]);
  });

  it('defaults the alternatives only', () => {
    const [hub] = throughClaim([
      { name: 'r', deviceClassName: '', firstAvailable: [{ name: 's', deviceClassName: 'gpu' }] },
    ]);
    expect(hub).toEqual([
      {
        name: 'r',
        firstAvailable: [{ name: 's', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 }],
      },
    ]);
  });

  it('is converted in templates', () => {
    const sent: v1beta1.ResourceClaimTemplate = {
      apiVersion: 'resource.k8s.io/v1beta1',
      kind: 'ResourceClaimTemplate',
      metadata,
      spec: { metadata: { labels: { a: 'b' } }, spec: { devices: { requests: [exact] } } },
    };
    const { hub, shown } = bothWays<ResourceClaimTemplate>(resourceClaimTemplateBeta, sent);
    const { name, ...exactly } = exact;
    expect(hub.spec).toEqual({ ...sent.spec, spec: { devices: { requests: [{ name, exactly }] } } });
    expect(shown).toEqual(sent);
  });
});

describe('a slice of v1beta1', () => {
  const sent = (spec: Partial<v1beta1.ResourceSliceSpec>): v1beta1.ResourceSlice => ({
    apiVersion: 'resource.k8s.io/v1beta1',
    kind: 'ResourceSlice',
    metadata,
    spec: { driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, ...spec },
  });
  const taint = { key: 'k', effect: 'NoSchedule', timeAdded: '2026-01-02T03:04:05Z' };

  it.each<[string, Partial<v1beta1.ResourceSliceSpec>, object, object?]>([
    ['a node', { nodeName: 'n', allNodes: false }, { nodeName: 'n' }, { nodeName: 'n' }],
    ['all nodes', { nodeName: '', allNodes: true }, { allNodes: true }, { allNodes: true }],
    [
      'devices',
      { devices: [{ name: 'a', basic: { nodeName: 'n' } }, { name: 'b' }] },
      { devices: [{ name: 'a', nodeName: 'n' }, { name: 'b' }] },
      {
        devices: [
          { name: 'a', basic: { nodeName: 'n' } },
          { name: 'b', basic: {} },
        ],
      },
    ],
    [
      'a taint without a time',
      { devices: [{ name: 'a', basic: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }] },
      { devices: [{ name: 'a', taints: [taint] }] },
      { devices: [{ name: 'a', basic: { taints: [taint] } }] },
    ],
  ])('of %s', (_what, spec, hub, shown = spec) => {
    const made = bothWays<ResourceSlice>(slices, sent(spec));
    const { nodeName: _node, allNodes: _all, devices: _devices, ...others } = made.hub.spec;
    expect(others).toEqual(sent({}).spec);
    expect(made.hub).toEqual({ ...sent({}), apiVersion: 'resource.k8s.io/v1', spec: { ...others, ...hub } });
    expect(made.shown).toEqual({ ...sent({}), spec: { ...others, ...shown } });
  });
});
