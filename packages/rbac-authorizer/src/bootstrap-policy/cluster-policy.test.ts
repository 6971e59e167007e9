import { beforeEach, describe, expect, it } from 'vitest';
import type { PolicyRule, Subject } from '../policy-objects.js';
import { bootstrapPolicy } from './bootstrap-policy.js';
import type { PolicyFeatures } from './policy-features.js';

let policy = bootstrapPolicy();
beforeEach(() => {
  policy = bootstrapPolicy();
});

/** `verbs group/resources name`, or `verbs paths`, with "core" for the group of pods. */
function text({ verbs, apiGroups, resources, resourceNames = [], nonResourceURLs }: PolicyRule): string {
  const groups = apiGroups?.map((group) => group || 'core').join();
  const what = nonResourceURLs?.join() ?? `${groups}/${resources?.join()}`;
  return [verbs?.join(), what, ...resourceNames].join(' ');
}

function subjectText({ kind, apiGroup = '', name, namespace = '' }: Subject): string {
  return [kind, apiGroup, `${namespace}/${name}`].filter((part) => part !== '').join(' ');
}

const bootstrapping = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const aggregateTo = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' });

it.each([
  ['cluster-admin', ['* */*', '* *']],
  [
    'system:discovery',
    ['get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/'],
  ],
  [
    'system:monitoring',
    [
      'get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*',
      'get core/nodes/metrics',
      'get /flagz',
      'get /statusz',
    ],
  ],
  [
    'system:basic-user',
    [
      'create authorization.k8s.io/selfsubjectaccessreviews,selfsubjectrulesreviews',
      'create authentication.k8s.io/selfsubjectreviews',
    ],
  ],
  ['system:public-info-viewer', ['get /healthz,/livez,/readyz,/version,/version/']],
])('the cluster role %s has these rules', (name, rules) => {
  const role = policy.clusterRoles.find(({ metadata }) => metadata.name === name);
  expect(role?.rules?.map(text)).toEqual(rules);
});

it('labels the roles of users for aggregation', () => {
  const labelled = policy.clusterRoles.flatMap(({ metadata: { name, labels }, aggregationRule, rules }) => {
    const more = Object.entries(labels ?? {}).filter(([key]) => !(key in bootstrapping));
    if (more.length === 0 && aggregationRule === undefined) return [];
    return [[name, Object.fromEntries(more), aggregationRule?.clusterRoleSelectors, rules === null]];
  });
  const gathers = (role: string) => [{ matchLabels: aggregateTo(role) }];
  expect(labelled).toEqual([
    ['admin', {}, gathers('admin'), true],
    ['edit', aggregateTo('admin'), gathers('edit'), true],
    ['view', aggregateTo('edit'), gathers('view'), true],
    ['system:aggregate-to-admin', aggregateTo('admin'), undefined, false],
    ['system:aggregate-to-edit', aggregateTo('edit'), undefined, false],
    ['system:aggregate-to-view', aggregateTo('view'), undefined, false],
  ]);
});

it('marks all objects as maintained by the server', () => {
  const objects = [...policy.clusterRoles, ...policy.clusterRoleBindings, ...policy.roles, ...policy.roleBindings];
  const marks = objects.map(({ apiVersion, kind, metadata: { labels, annotations } }) => [
    apiVersion,
    kind,
    labels?.['kubernetes.io/bootstrapping'],
    annotations,
  ]);
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
  const marked = (kind: string) => ['rbac.authorization.k8s.io/v1', kind, 'rbac-defaults', annotations];
  expect([...new Set(marks.map((mark) => JSON.stringify(mark)))]).toEqual(
    ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => JSON.stringify(marked(kind))),
  );
});

it('binds the cluster roles to their groups, users and accounts', () => {
  const group = (name: string) => `Group rbac.authorization.k8s.io /${name}`;
  const user = (name: string) => `User rbac.authorization.k8s.io /${name}`;
  const bound = policy.clusterRoleBindings
    .filter(({ metadata }) => !metadata.name?.startsWith('system:controller:'))
    .map(({ metadata, roleRef, subjects = [] }) => [metadata.name, roleRef, subjects.map(subjectText)]);
  const to = (name: string, ...subjects: string[]) => [
    name,
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects,
  ];
  expect(bound).toEqual([
    to('cluster-admin', group('system:masters')),
    to('system:monitoring', group('system:monitoring')),
    to('system:discovery', group('system:authenticated')),
    to('system:basic-user', group('system:authenticated')),
    to('system:public-info-viewer', group('system:authenticated'), group('system:unauthenticated')),
    to('system:node-proxier', user('system:kube-proxy')),
    to('system:kube-controller-manager', user('system:kube-controller-manager')),
    to('system:kube-dns', 'ServiceAccount kube-system/kube-dns'),
    to('system:kube-scheduler', user('system:kube-scheduler')),
    to('system:volume-scheduler', user('system:kube-scheduler')),
    to('system:node'),
    to('system:service-account-issuer-discovery', group('system:serviceaccounts')),
  ]);
});

it('has these roles in namespaces', () => {
  const events = 'create,patch,update core,events.k8s.io/events';
  const locks = ['leases', 'leasecandidates'].map(
    (resource) => `create,get,list,update,watch coordination.k8s.io/${resource}`,
  );
  const granted = policy.roles.map(({ metadata, rules }) => [
    `${metadata.namespace}/${metadata.name}`,
    ...(rules ?? []).map(text),
  ]);
  expect(granted).toEqual([
    [
      'kube-system/extension-apiserver-authentication-reader',
      'get,list,watch core/configmaps extension-apiserver-authentication',
    ],
    ['kube-system/system:controller:bootstrap-signer', 'get,list,watch core/secrets'],
    ['kube-system/system:controller:cloud-provider', 'create,get,list,watch core/configmaps'],
    ['kube-system/system:controller:token-cleaner', 'delete,get,list,watch core/secrets', events],
    ['kube-system/system::leader-locking-kube-controller-manager', ...locks],
    ['kube-system/system::leader-locking-kube-scheduler', ...locks],
    [
      'kube-public/system:controller:bootstrap-signer',
      'get,list,watch core/configmaps',
      'update core/configmaps cluster-info',
      events,
    ],
  ]);
});

it('binds the roles in namespaces to their users and accounts', () => {
  const user = (name: string) => `User rbac.authorization.k8s.io /system:${name}`;
  const account = (name: string) => `ServiceAccount kube-system/${name}`;
  const bound = policy.roleBindings.map(({ metadata, roleRef, subjects = [] }) => [
    `${metadata.namespace}/${roleRef.apiGroup} ${roleRef.kind} ${roleRef.name}`,
    ...subjects.map(subjectText),
  ]);
  const role = (name: string) => `kube-system/rbac.authorization.k8s.io Role ${name}`;
  expect(bound).toEqual([
    [role('extension-apiserver-authentication-reader'), user('kube-controller-manager'), user('kube-scheduler')],
    [
      role('system::leader-locking-kube-controller-manager'),
      user('kube-controller-manager'),
      account('kube-controller-manager'),
      account('leader-election-controller'),
    ],
    [role('system::leader-locking-kube-scheduler'), user('kube-scheduler'), account('kube-scheduler')],
    [role('system:controller:bootstrap-signer'), account('bootstrap-signer')],
    [role('system:controller:cloud-provider'), account('cloud-provider')],
    [role('system:controller:token-cleaner'), account('token-cleaner')],
    ['kube-public/rbac.authorization.k8s.io Role system:controller:bootstrap-signer', account('bootstrap-signer')],
  ]);
});

it('moves the rules of roles that became aggregated, and splits one binding', () => {
  expect([[...policy.clusterRolesToAggregate], [...policy.clusterRoleBindingsToSplit]]).toEqual([
    [
      ['admin', 'system:aggregate-to-admin'],
      ['edit', 'system:aggregate-to-edit'],
      ['view', 'system:aggregate-to-view'],
    ],
    [['system:discovery', 'system:public-info-viewer']],
  ]);
});

describe('with gates', () => {
  const rulesOf = (features: PolicyFeatures, role: string) =>
    bootstrapPolicy(features)
      .clusterRoles.find(({ metadata }) => metadata.name === role)
      ?.rules?.map(text);

  it.each([
    [{ flagz: false }, ['get /statusz']],
    [{ statusz: false }, ['get /flagz']],
    [{ flagz: false, statusz: false }, []],
  ])('lets monitoring read the pages that exist: %j', (features, pages) => {
    expect(rulesOf(features, 'system:monitoring')?.slice(2)).toEqual(pages);
  });

  it('lets kubelets and service accounts read trust bundles, and a controller publish them', () => {
    const features = { clusterTrustBundle: true };
    const publisher = 'system:controller:kube-apiserver-serving-clustertrustbundle-publisher';
    const read = 'get,list,watch certificates.k8s.io/clustertrustbundles';
    expect(rulesOf(features, 'system:node')?.slice(-2)).toEqual([read, 'get core/serviceaccounts']);
    expect(rulesOf(features, 'system:cluster-trust-bundle-discovery')).toEqual([read]);
    expect(rulesOf(features, publisher)).toEqual([
      'attest certificates.k8s.io/signers kubernetes.io/kube-apiserver-serving',
      'create,delete,list,update,watch certificates.k8s.io/clustertrustbundles',
      'create,patch,update core,events.k8s.io/events',
    ]);
    const usual = new Set(policy.clusterRoleBindings.map(({ metadata }) => metadata.name));
    const added = bootstrapPolicy(features).clusterRoleBindings.filter(({ metadata }) => !usual.has(metadata.name));
    expect(added.map(({ roleRef, subjects }) => [roleRef.name, subjects?.map(subjectText)])).toEqual([
      ['system:cluster-trust-bundle-discovery', ['Group rbac.authorization.k8s.io /system:serviceaccounts']],
      [publisher, ['ServiceAccount kube-system/kube-apiserver-serving-clustertrustbundle-publisher']],
    ]);
  });

  it('lets kubelets request certificates for pods, and a controller remove the requests', () => {
    const features = { podCertificateRequest: true };
    const cleaner = 'system:controller:podcertificaterequestcleaner';
    const requests = 'certificates.k8s.io/podcertificaterequests';
    expect(rulesOf(features, 'system:node')?.slice(-2)).toEqual([
      'get core/serviceaccounts',
      `create,get,list,watch ${requests}`,
    ]);
    expect(rulesOf(features, cleaner)).toEqual([`delete,get,list,watch ${requests}`]);
    const usual = new Set(policy.clusterRoleBindings.map(({ metadata }) => metadata.name));
    const added = bootstrapPolicy(features).clusterRoleBindings.filter(({ metadata }) => !usual.has(metadata.name));
    expect(added.map(({ roleRef, subjects }) => [roleRef.name, subjects?.map(subjectText)])).toEqual([
      [cleaner, ['ServiceAccount kube-system/podcertificaterequestcleaner']],
    ]);
  });

  const events = 'create,patch,update core,events.k8s.io/events';

  it.each<[string, PolicyFeatures, string, readonly string[]]>([
    [
      'answers questions about pools, and removes them',
      { resourcePoolStatus: true },
      'resourcepoolstatusrequest-controller',
      [
        'delete,get,list,watch resource.k8s.io/resourcepoolstatusrequests',
        'patch,update resource.k8s.io/resourcepoolstatusrequests/status',
        'get,list,watch resource.k8s.io/resourceslices',
        'get,list,watch resource.k8s.io/resourceclaims',
        events,
      ],
    ],
    [
      'lets deleted groups of pods go',
      { genericWorkload: true },
      'podgroup-protection-controller',
      ['get,list,update,watch scheduling.k8s.io/podgroups', 'get,list,watch core/pods'],
    ],
    [
      'removes the storage versions of servers that are gone',
      { storageVersions: true },
      'storage-version-garbage-collector',
      [
        'get,list,watch coordination.k8s.io/leases',
        'delete,get,list,patch,update,watch internal.apiserver.k8s.io/storageversions',
        'get,patch,update internal.apiserver.k8s.io/storageversions/status',
      ],
    ],
    [
      'stores every object again',
      { storageVersionMigrator: true },
      'storage-version-migrator-controller',
      ['create,list,patch */*', 'update storagemigration.k8s.io/storageversionmigrations/status'],
    ],
  ])('has a controller that %s', (_what, features, name, rules) => {
    const role = `system:controller:${name}`;
    expect(rulesOf(features, role)).toEqual(rules);
    const usual = new Set(policy.clusterRoleBindings.map(({ metadata }) => metadata.name));
    const added = bootstrapPolicy(features).clusterRoleBindings.filter(({ metadata }) => !usual.has(metadata.name));
    expect(added.map(({ roleRef, subjects }) => [roleRef.name, subjects?.map(subjectText)])).toEqual([
      [role, [`ServiceAccount kube-system/${name}`]],
    ]);
  });

  it('lets the scheduler and the eviction controller see rules about taints', () => {
    const features = { deviceTaintRules: true };
    const read = 'get,list,watch resource.k8s.io/devicetaintrules';
    expect(rulesOf(features, 'system:kube-scheduler')?.at(-1)).toBe(read);
    expect(rulesOf(features, 'system:controller:device-taint-eviction-controller')?.slice(-3)).toEqual([
      events,
      'patch,update resource.k8s.io/devicetaintrules/status',
      read,
    ]);
    expect(rulesOf({}, 'system:kube-scheduler')).not.toContain(read);
  });
});
