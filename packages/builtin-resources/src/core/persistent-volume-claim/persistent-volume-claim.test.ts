import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims } from './index.js';

const context = testContext();
const withFeatures = (...on: readonly string[]) => persistentVolumeClaims({ enabled: (name) => on.includes(name) });
const claims = withFeatures();
const { strategy } = claims;
const status = claims.subresources['status']?.strategy ?? strategy;
const [version] = claims.versions;

type Fields = Omit<Partial<PersistentVolumeClaim>, 'spec'> & { readonly spec?: Partial<PersistentVolumeClaimSpec> };

function claim({ spec, ...fields }: Fields = {}): PersistentVolumeClaim {
  const made: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...structuredClone(spec),
    },
    status: {},
    ...structuredClone(fields),
  };
  version?.applyDefaults?.(made);
  return made;
}

it('defaults to Pending and Filesystem', () => {
  const made = claim({ spec: { resources: { requests: { storage: '1.0001' } } } });
  expect([made.status, made.spec.volumeMode, made.spec.resources]).toEqual([
    { phase: 'Pending' },
    'Filesystem',
    { requests: { storage: '1001m' } },
  ]);
});

describe('validation', () => {
  it.each<[Partial<PersistentVolumeClaimSpec>, string]>([
    [{}, ''],
    [{ storageClassName: '', volumeAttributesClassName: '' }, ''],
    [{ accessModes: [] }, 'spec.accessModes: Required value: at least 1 access mode is required'],
    [
      { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce', 'Odd'] },
      '[spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod", spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes]',
    ],
    [{ resources: {} }, 'spec.resources[storage]: Required value'],
    [
      { resources: { requests: { storage: '0' } } },
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
    [{ volumeMode: 'Tape' }, 'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
    [
      { dataSource: { apiGroup: null, kind: 'Odd', name: '' } },
      `[spec.dataSource.name: Required value, spec.dataSource: Invalid value: "Odd": must be 'PersistentVolumeClaim' when referencing the default apiGroup]`,
    ],
    [
      {
        dataSource: { apiGroup: 'a.io', kind: 'A', name: 'a' },
        dataSourceRef: { apiGroup: 'a.io', kind: 'A', name: 'b' },
      },
      'spec: Invalid value: {}: must match dataSourceRef',
    ],
    [
      { selector: { matchLabels: { a: '-' } } },
      `spec.selector.matchLabels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ])('%j', (spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, claim({ spec })))).toBe(message);
  });
});

const annotated = (className: string) => ({
  metadata: {
    name: 'c',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    annotations: { 'volume.beta.kubernetes.io/storage-class': className },
  },
});
const BOUND = { phase: 'Bound', capacity: { storage: '1Gi' } };
const GOLDEN = { ...BOUND, currentVolumeAttributesClassName: 'gold' };
const request = (storage: string) => ({ resources: { requests: { storage } } });

describe('updates', () => {
  it.each<[string, Fields, Fields, string]>([
    ['nothing', {}, {}, ''],
    ['the same amount in another notation', { spec: request('1Gi') }, { spec: request('1024Mi') }, ''],
    ['a volume', {}, { spec: { volumeName: 'v' } }, ''],
    ['a class on a claim without one', {}, { spec: { storageClassName: 'fast' } }, ''],
    [
      'a class that the annotation named',
      annotated('fast'),
      { ...annotated('fast'), spec: { storageClassName: 'fast' } },
      '',
    ],
    ['a larger request, when bound', { status: BOUND }, { status: BOUND, spec: request('2Gi') }, ''],
    [
      'other attributes, when bound',
      { status: BOUND },
      { status: BOUND, spec: { volumeAttributesClassName: 'gold' } },
      '',
    ],
    [
      'less, when bound and as small',
      { status: BOUND },
      { status: BOUND, spec: request('500Mi') },
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      'less, after an expansion that failed',
      { status: BOUND, spec: request('3Gi') },
      { status: BOUND, spec: request('2Gi') },
      '',
    ],
    [
      'no attributes any more, when none were applied',
      { status: BOUND, spec: { volumeAttributesClassName: 'gold' } },
      { status: BOUND },
      '',
    ],
    [
      'no attributes any more, when some were applied',
      { status: GOLDEN, spec: { volumeAttributesClassName: 'gold' } },
      { status: GOLDEN },
      'spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
    ],
    [
      'empty attributes, when some were applied',
      { status: GOLDEN, spec: { volumeAttributesClassName: 'gold' } },
      { status: GOLDEN, spec: { volumeAttributesClassName: '' } },
      'spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil',
    ],
    [
      'another annotation',
      annotated('fast'),
      annotated('slow'),
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "slow": field is immutable',
    ],
  ])('%s', (_what, before, after, message) => {
    expect(aggregateFieldErrors(strategy.validateUpdate(context, claim(after), claim(before)))).toBe(message);
  });

  it('show the diff of other changes', () => {
    const after = claim({ spec: { ...request('2Gi'), accessModes: ['ReadOnlyMany'] } });
    expect(aggregateFieldErrors(strategy.validateUpdate(context, after, claim()))).toBe(
      [
        'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        '@@ -1,12 +1,12 @@',
        ' {',
        '  "AccessModes": [',
        '-  "ReadWriteOnce"',
        '+  "ReadOnlyMany"',
        '  ],',
        '  "Selector": null,',
        '  "Resources": {',
        '   "Limits": null,',
        '   "Requests": {',
        '-   "storage": "1Gi"',
        '+   "storage": "2Gi"',
        '   }',
        '  },',
        '  "VolumeName": "",',
        '',
      ].join('\n'),
    );
  });

  it('show no diff of many values', () => {
    const matchLabels = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, '']));
    const after = claim({ spec: { selector: { matchLabels } } });
    expect(aggregateFieldErrors(strategy.validateUpdate(context, after, claim()))).toMatch(
      /bound claims\n\(the difference is too long to be printed\)\n$/,
    );
  });

  it('refuse a request for what every JavaScript object has', () => {
    const after = claim({ spec: { resources: { requests: { constructor: '1' } } } });
    expect(strategy.validateUpdate(context, after, claim()).map(({ field }) => field)).toEqual([
      'spec.resources[storage]',
      'spec',
      'spec.resources.requests.storage',
    ]);
  });

  it('of the status', () => {
    const sent = claim({
      status: {
        capacity: { storage: '-1' },
        allocatedResources: { cpu: '1', storage: '1Gi' },
        allocatedResourceStatuses: { storage: 'Odd', 'example.com/x': 'NodeResizePending' },
      },
    });
    expect(aggregateFieldErrors(status.validateUpdate(context, sent, claim()))).toBe(
      '[status.capacity[storage]: Invalid value: -1: must be a valid resource quantity, status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending", status.allocatedResources: Unsupported value: "cpu": supported values: "storage"]',
    );
  });
});

describe('data sources', () => {
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };

  it.each<[string, Partial<PersistentVolumeClaimSpec>, Partial<PersistentVolumeClaimSpec>]>([
    [
      'of the old field are copied to the new one',
      { dataSource: snapshot },
      { dataSource: snapshot, dataSourceRef: snapshot },
    ],
    [
      'of the new field go to the old one',
      { dataSourceRef: snapshot },
      { dataSource: snapshot, dataSourceRef: snapshot },
    ],
    ['of other kinds are ignored in the old field', { dataSource: { ...snapshot, kind: 'Odd' } }, {}],
    ['of other namespaces are ignored', { dataSourceRef: { ...snapshot, namespace: 'other' } }, {}],
  ])('%s', async (_what, sent, expected) => {
    const made = claim({ spec: sent, status: { phase: 'Bound' } });
    await strategy.prepareForCreate?.(context, made);
    const { dataSource, dataSourceRef } = made.spec;
    expect(JSON.parse(JSON.stringify({ dataSource, dataSourceRef }))).toEqual(expected);
    expect(made.status).toEqual({ phase: 'Pending' });
  });

  it('of other namespaces are kept with CrossNamespaceVolumeDataSource, or if one is stored', async () => {
    const remote = { ...snapshot, namespace: 'other' };
    const kept = async (of: typeof strategy, old?: Partial<PersistentVolumeClaimSpec>) => {
      const sent = claim({ spec: { dataSourceRef: { ...remote } } });
      if (old === undefined) await of.prepareForCreate?.(context, sent);
      else await of.prepareForUpdate?.(context, sent, claim({ spec: old }));
      return [sent.spec.dataSource, sent.spec.dataSourceRef];
    };
    const on = withFeatures('CrossNamespaceVolumeDataSource').strategy;
    expect([
      await kept(on),
      await kept(on, {}),
      await kept(strategy, {}),
      await kept(strategy, { dataSourceRef: remote }),
    ]).toEqual([
      [undefined, remote],
      [undefined, remote],
      [undefined, undefined],
      [undefined, remote],
    ]);
  });

  it('are restored for clients that do not know the new field', async () => {
    const both = { dataSource: snapshot, dataSourceRef: snapshot };
    const after = claim({ spec: { dataSource: snapshot } });
    await strategy.prepareForUpdate?.(context, after, claim({ spec: both, status: BOUND }));
    expect(after).toMatchObject({ spec: both, status: BOUND });
  });

  it('of claims stored with one field are shown in both', () => {
    const stored = claim({ spec: { dataSource: snapshot } });
    const { decorate } = claims.storeHooks ?? {};
    expect(decorate?.(stored).spec.dataSourceRef).toEqual(snapshot);
    expect(stored.spec.dataSourceRef).toBeUndefined();
    const plain = claim();
    expect(decorate?.(plain)).toBe(plain);
  });
});

it.each<[Fields, string[]]>([
  [{}, []],
  [
    annotated('fast'),
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    ],
  ],
  [
    { spec: { resources: { requests: { storage: '100m' }, limits: { storage: '1500m' } } } },
    [
      'spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
      'spec.resources.limits[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
])('warns of %j', (fields, warnings) => {
  expect(strategy.warningsOnCreate?.(context, claim(fields))).toEqual(warnings);
});

it.each<[Fields, string[]]>([
  [{}, ['Pending', '', '', '', '', '<unset>', '5h', 'Filesystem']],
  [
    {
      spec: { volumeName: 'v', storageClassName: 'fast', volumeAttributesClassName: 'gold', volumeMode: 'Block' },
      status: { ...BOUND, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    ['Bound', 'v', '1Gi', 'RWO,RWX', 'fast', 'gold', '5h', 'Block'],
  ],
])('shows %j', (fields, cells) => {
  const shown = claim(fields);
  shown.metadata = { ...shown.metadata, creationTimestamp: '2030-01-01T00:00:00Z' };
  const all = claims.columns.map((column) => column.cell(shown, rowTime('2030-01-01T05:00:00Z')));
  expect(all).toEqual(['c', ...cells]);
});
