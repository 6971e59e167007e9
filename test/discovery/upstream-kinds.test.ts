import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from '../guards/assembled-server.ts';
import { repositoryRoot } from '../harness/api-server.ts';
import { UNSERVED } from './unserved-kinds.ts';

/** The OpenAPI document of an upstream server with all its versions. */
const DOCUMENT = join(repositoryRoot, '../shared/facts/openapi-v2-1.36.json');
const isThere = existsSync(DOCUMENT);

interface Resource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}
type Resources = Readonly<Record<string, Resource>>;

const COLLECTION_VERBS: Verbs = { get: 'list', post: 'create', delete: 'deletecollection' };
const ITEM_VERBS: Verbs = { get: 'get', put: 'update', patch: 'patch', delete: 'delete', post: 'create' };
type Verbs = Readonly<Record<string, string>>;

interface Operation {
  readonly 'x-kubernetes-group-version-kind'?: { readonly kind: string };
}

/** The resource of a path, as `group/version/resource[/subresource]`; `isItem` is true if the path names an object. */
function placeOf(path: string) {
  const [, core, group = '', version = '', scope, resource, item, subresource = ''] =
    /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\/(namespaces\/\{namespace\}\/)?([a-z]+)(\/\{name\})?(\/[a-z]+)?$/.exec(
      path,
    ) ?? [];
  if (resource === undefined || resource === 'watch') return undefined;
  const name = `${group}/${core ?? version}/${resource}${subresource}`;
  return { name, isItem: item !== undefined, namespaced: scope !== undefined };
}

/** The resources of upstream's document. One that lists across namespaces has a path without the namespace as well. */
function upstreamResources(): Resources {
  const paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> = JSON.parse(
    readFileSync(DOCUMENT, 'utf8'),
  ).paths;
  const resources: Record<string, { kind: string; namespaced: boolean; verbs: Set<string> }> = {};
  for (const [path, methods] of Object.entries(paths)) {
    const place = placeOf(path);
    if (place === undefined) continue;
    const { name, isItem, namespaced } = place;
    resources[name] ??= { kind: '', namespaced: false, verbs: new Set() };
    const resource = resources[name];
    resource.namespaced ||= namespaced;
    for (const [method, operation] of Object.entries(methods)) {
      const verb = (isItem ? ITEM_VERBS : COLLECTION_VERBS)[method];
      if (verb !== undefined) resource.verbs.add(verb);
      resource.kind ||= operation['x-kubernetes-group-version-kind']?.kind ?? '';
    }
    const watched = path.replace(/^(\/api\/v1|\/apis\/[^/]+\/[^/]+)/, '$1/watch');
    if (!isItem && paths[watched] !== undefined) resource.verbs.add('watch');
  }
  return Object.fromEntries(
    Object.entries(resources).map(([name, { verbs, ...rest }]) => [name, { ...rest, verbs: [...verbs].sort() }]),
  );
}

interface Discovered extends Resource {
  readonly name: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const ALL_VERSIONS = '--runtime-config=api/all=true';
const GATES = ['ClusterTrustBundle', 'GenericWorkload', 'PodCertificateRequest', 'StorageVersionMigrator'];
const server = assembledServer(ALL_VERSIONS, ...GATES.map((gate) => `--feature-gates=${gate}=true`));
const usual = assembledServer(ALL_VERSIONS);
let discovered: Readonly<Record<string, Discovered>>;
let discoveredUsually: Readonly<Record<string, Discovered>>;

beforeAll(async () => {
  discovered = await discover(server);
  discoveredUsually = await discover(usual);
});

async function discover({ ask }: Pick<typeof server, 'ask'>): Promise<Readonly<Record<string, Discovered>>> {
  const { body } = await ask('GET', '/apis');
  const groupVersions: readonly string[] = body.groups.flatMap(
    ({ versions }: { versions: readonly { groupVersion: string }[] }) =>
      versions.map(({ groupVersion }) => groupVersion),
  );
  const found: Record<string, Discovered> = {};
  for (const groupVersion of ['v1', ...groupVersions]) {
    const list = await ask('GET', groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`);
    for (const resource of list.body.resources as readonly Discovered[]) {
      found[`${groupVersion === 'v1' ? '/v1' : groupVersion}/${resource.name}`] = resource;
    }
  }
  return found;
}

describe.skipIf(!isThere)('beside an upstream server (skipped where ../shared/facts is absent)', () => {
  const upstream = isThere ? upstreamResources() : {};
  const servedOf = (name: string) => {
    const { kind = '', namespaced = false, verbs = [] } = discovered[name] ?? {};
    return { kind, namespaced, verbs: [...verbs].sort() };
  };

  it('every resource is served with its feature gate', () => {
    expect(Object.keys(upstream).filter((name) => discovered[name] === undefined)).toEqual([]);
  });

  it('every resource is served by default, or stands in the list of those that are not', () => {
    const missing = Object.keys(upstream).filter((name) => discoveredUsually[name] === undefined);
    expect(missing.sort()).toEqual([...UNSERVED].sort());
  });

  it('no resource is served that upstream has not', () => {
    expect(Object.keys(discovered).filter((name) => upstream[name] === undefined)).toEqual([]);
  });

  it('every resource has its kind, scope and verbs', () => {
    const served = Object.keys(upstream).map((name) => [name, servedOf(name)]);
    expect(Object.fromEntries(served)).toEqual(upstream);
  });
});

/** The newest version of each resource that has some. */
function namesOf(member: 'shortNames' | 'categories'): Readonly<Record<string, readonly string[]>> {
  const found = Object.entries(discovered).flatMap(([name, { [member]: names = [] }]) =>
    names.length === 0 ? [] : [[name.replace(/^([^/]*)\/[^/]+\//, '$1/'), names] as const],
  );
  return Object.fromEntries(found);
}

/** Upstream: ShortNames of the storages in k8s.io/kubernetes/pkg/registry */
it('short names are those of upstream', () => {
  expect(namesOf('shortNames')).toEqual({
    '/componentstatuses': ['cs'],
    '/configmaps': ['cm'],
    '/endpoints': ['ep'],
    '/events': ['ev'],
    '/limitranges': ['limits'],
    '/namespaces': ['ns'],
    '/nodes': ['no'],
    '/persistentvolumeclaims': ['pvc'],
    '/persistentvolumes': ['pv'],
    '/pods': ['po'],
    '/replicationcontrollers': ['rc'],
    '/resourcequotas': ['quota'],
    '/serviceaccounts': ['sa'],
    '/services': ['svc'],
    'apiextensions.k8s.io/customresourcedefinitions': ['crd', 'crds'],
    'apps/daemonsets': ['ds'],
    'apps/deployments': ['deploy'],
    'apps/replicasets': ['rs'],
    'apps/statefulsets': ['sts'],
    'autoscaling/horizontalpodautoscalers': ['hpa'],
    'batch/cronjobs': ['cj'],
    'certificates.k8s.io/certificatesigningrequests': ['csr'],
    'events.k8s.io/events': ['ev'],
    'networking.k8s.io/ingresses': ['ing'],
    'networking.k8s.io/ipaddresses': ['ip'],
    'networking.k8s.io/networkpolicies': ['netpol'],
    'policy/poddisruptionbudgets': ['pdb'],
    'scheduling.k8s.io/priorityclasses': ['pc'],
    'storage.k8s.io/storageclasses': ['sc'],
    'storage.k8s.io/volumeattributesclasses': ['vac'],
  });
});

/** Upstream: Categories of the storages in k8s.io/kubernetes/pkg/registry */
it('categories are those of upstream', () => {
  expect(namesOf('categories')).toEqual({
    '/pods': ['all'],
    '/replicationcontrollers': ['all'],
    '/services': ['all'],
    'admissionregistration.k8s.io/mutatingadmissionpolicies': ['api-extensions'],
    'admissionregistration.k8s.io/mutatingadmissionpolicybindings': ['api-extensions'],
    'admissionregistration.k8s.io/mutatingwebhookconfigurations': ['api-extensions'],
    'admissionregistration.k8s.io/validatingadmissionpolicies': ['api-extensions'],
    'admissionregistration.k8s.io/validatingadmissionpolicybindings': ['api-extensions'],
    'admissionregistration.k8s.io/validatingwebhookconfigurations': ['api-extensions'],
    'apiextensions.k8s.io/customresourcedefinitions': ['api-extensions'],
    'apiregistration.k8s.io/apiservices': ['api-extensions'],
    'apps/daemonsets': ['all'],
    'apps/deployments': ['all'],
    'apps/replicasets': ['all'],
    'apps/statefulsets': ['all'],
    'autoscaling/horizontalpodautoscalers': ['all'],
    'batch/cronjobs': ['all'],
    'batch/jobs': ['all'],
  });
});
