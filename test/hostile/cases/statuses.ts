import { type HostileCase, MIB, sending } from '../hostile-case.ts';

const STORAGE_VERSIONS = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const MIGRATIONS = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations';
const ALPHA_RESOURCES = '/apis/resource.k8s.io/v1alpha3';
const CANDIDATES = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';

const many = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, index) => item(index));
const versions = (suffix = '') => many(45_000, (i) => `v${i + 1}${suffix}`);
const conditions = many(15_000, (i) => ({
  type: `C${i}`,
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}));
const server = (id: string | number, rest: object = {}) => ({
  apiServerID: `kube-apiserver-${id}`,
  encodingVersion: 'v1',
  decodableVersions: ['v1'],
  servedVersions: ['v1'],
  ...rest,
});

/** The status of an object that is there. */
function status(
  name: string,
  [path, object]: readonly [path: string, object: object],
  value: object,
  expected: number,
): HostileCase {
  const metadata = { name: name.replaceAll(' ', '-') };
  const stored = path === STORAGE_VERSIONS ? { name: `${metadata.name}.things` } : metadata;
  return {
    name,
    before: [sending('POST', path, 'json', JSON.stringify({ ...object, metadata: stored }))],
    request: () => sending('PATCH', `${path}/${stored.name}/status`, 'merge', JSON.stringify({ status: value })),
    status: expected,
    maxResponse: 4 * MIB,
  };
}

const storage = (name: string, value: object, expected: number) =>
  status(name, [STORAGE_VERSIONS, { spec: {} }], value, expected);

/** Long lists in the status of objects of servers and controllers, and long versions. */
export const STATUS_CASES: readonly HostileCase[] = [
  storage('servers', { storageVersions: many(14_000, (i) => server(i)), commonEncodingVersion: 'v1' }, 200),
  storage(
    'servers of one name',
    { storageVersions: many(14_000, () => server('a')), commonEncodingVersion: 'v1' },
    422,
  ),
  storage(
    'decoded versions',
    { storageVersions: [server('a', { decodableVersions: versions() })], commonEncodingVersion: 'v1' },
    200,
  ),
  storage(
    'served versions that are not decoded',
    { storageVersions: [server('a', { decodableVersions: versions(), servedVersions: versions('beta1') })] },
    422,
  ),
  storage('conditions of a storage version', { conditions }, 200),
  status(
    'conditions of a migration',
    [MIGRATIONS, { spec: { resource: { group: 'a', resource: 'bs' } } }],
    { resourceVersion: '1', conditions },
    200,
  ),
  status(
    'conditions of a taint rule',
    [`${ALPHA_RESOURCES}/devicetaintrules`, { spec: { taint: { key: 'a', effect: 'None' } } }],
    { conditions },
    422,
  ),
  status(
    'conditions of a pool status',
    [`${ALPHA_RESOURCES}/resourcepoolstatusrequests`, { spec: { driver: 'a.example.com' } }],
    { conditions },
    422,
  ),
  {
    name: 'versions of 700,000 parts',
    request: (name) => {
      const [binaryVersion, emulationVersion] = ['a', 'b'].map((end) => `1.1.0-${'1.'.repeat(700_000)}${end}`);
      const spec = { leaseName: 'a', binaryVersion, emulationVersion, strategy: 'OldestEmulationVersion' };
      return sending('POST', CANDIDATES, 'json', JSON.stringify({ metadata: { name }, spec }));
    },
    status: 422,
    maxResponse: 4 * MIB,
  },
];
