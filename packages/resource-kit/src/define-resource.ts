import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import type { KindLifecycle } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition, ResourceVersionDefinition } from '@apiserver/apiserver-contracts';

/** The default verbs of a resource, in discovery order. */
export const ALL_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** One version as a resource's folder declares it: group, version and kind are in the schema. */
type VersionDeclaration<T extends KubeObject> = Omit<ResourceVersionDefinition<T>, 'version'>;

/** Members with a default, or derived from the schema. */
type Derived = 'group' | 'kind' | 'listKind' | 'versions';
type Defaulted =
  | 'resource'
  | 'scope'
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'hubVersion'
  | 'storageVersion'
  | 'keyPrefix'
  | 'subresources'
  | 'verbs'
  | 'selectableFieldNames'
  | 'returnDeletedObject';

/** A built-in resource as its folder declares it. */
export interface ResourceDeclaration<T extends KubeObject>
  extends Omit<ResourceDefinition<T>, Derived | Defaulted>,
    Partial<Pick<ResourceDefinition<T>, Defaulted>> {
  /** In order of preference; at least one. By default, the first stable one (no alpha, no beta) is the hub. */
  readonly versions: readonly [VersionDeclaration<T>, ...VersionDeclaration<T>[]];
}

/**
 * Completes a declaration: names and scope come from the schema, other members have defaults (stored under the
 * plural, all verbs, no short names). Throws a TypeError for a schema without a resource, which is a programming
 * error.
 */
export function defineResource<T extends KubeObject>(declaration: ResourceDeclaration<T>): ResourceDefinition<T> {
  const { gvk, listKind, resource } = declaration.versions[0].schema;
  const isListed = (declaration.verbs ?? ALL_VERBS).includes('list');
  const plural = declaration.resource ?? resource?.plural;
  if (plural === undefined || (isListed && listKind === undefined)) {
    throw new TypeError(`${gvk.kind} is served by no resource`);
  }
  const versions = declaration.versions.map(completedVersion);
  const hubVersion =
    declaration.storedAs?.hubVersion ??
    declaration.hubVersion ??
    firstStable(versions.map(({ version }) => version)) ??
    gvk.version;
  return {
    group: gvk.group,
    kind: gvk.kind,
    listKind: listKind ?? `${gvk.kind}List`,
    resource: plural,
    singular: gvk.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: resource?.namespaced ? 'Namespaced' : 'Cluster',
    hubVersion,
    storageVersion: hubVersion,
    keyPrefix: declaration.storedAs?.keyPrefix ?? plural,
    subresources: {},
    verbs: ALL_VERBS,
    selectableFieldNames: [],
    returnDeletedObject: false,
    ...declaration,
    versions,
  };
}

function completedVersion<T extends KubeObject>(version: VersionDeclaration<T>): ResourceVersionDefinition<T> {
  const deprecated = deprecationOf(version.schema.lifecycle);
  return {
    ...version,
    version: version.schema.gvk.version,
    ...(deprecated === undefined ? undefined : { deprecated }),
  };
}

/** The release of the API: a deprecation in a later one is not announced yet. */
const RELEASE = 36;

/** The releases in the warning about a deprecated version. Upstream: k8s.io/apiserver/pkg/endpoints/deprecation */
function deprecationOf(lifecycle: KindLifecycle | undefined): ResourceVersionDefinition['deprecated'] {
  if (lifecycle?.deprecated === undefined || minorOf(lifecycle.deprecated) > RELEASE) return undefined;
  const { deprecated, removed, replacement } = lifecycle;
  return {
    since: deprecated,
    ...(removed === undefined ? undefined : { removed }),
    ...(replacement === undefined
      ? undefined
      : { replacement: `${formatGroupVersion(replacement)} ${replacement.kind}` }),
  };
}

/** The minor release in `1.36`. */
function minorOf(release: string): number {
  return Number(release.split('.')[1]);
}

function firstStable(versions: readonly string[]): string | undefined {
  return versions.find((version) => /^v[0-9]+$/.test(version));
}
