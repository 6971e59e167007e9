import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AnyResourceDefinition,
  APIGroupInfo,
  InstalledResource,
  RestStorage,
} from '@apiserver/apiserver-contracts';
import type { ApiContainer } from '../container/api-container.js';

/** The view of a container for discovery and OpenAPI, with groups that a test controls. */
export interface TestContainer extends Pick<ApiContainer, 'installed' | 'onChange'> {
  /** Replaces the groups. */
  replace(groups: readonly APIGroupInfo[]): void;
}

/** A container that only lists its groups. */
export function createTestContainer(groups: readonly APIGroupInfo[]): TestContainer {
  let installed = groups;
  const listeners = new Set<() => void>();
  return {
    installed: () => installed,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace: (next) => {
      installed = next;
      for (const listener of listeners) listener();
    },
  };
}

/** Properties of a test's resource; the rest comes from the schema of its first version. */
export interface TestResourceOptions extends Partial<Omit<AnyResourceDefinition, 'versions' | 'subresources'>> {
  readonly versions: readonly [KindSchema, ...KindSchema[]];
  readonly subresources?: Readonly<
    Record<string, { readonly verbs?: readonly string[]; readonly schema?: KindSchema }>
  >;
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A resource whose storage has all verbs, each of which throws. */
export function testResource(options: TestResourceOptions): InstalledResource {
  const { gvk, listKind = `${gvk.kind}List`, resource } = options.versions[0];
  const strategy = {
    validate: () => [],
    validateUpdate: () => [],
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
  };
  const { subresources = {}, versions, ...overrides } = options;
  const definition: AnyResourceDefinition = {
    group: gvk.group,
    kind: gvk.kind,
    listKind,
    resource: resource?.plural ?? `${gvk.kind.toLowerCase()}s`,
    singular: gvk.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: resource?.namespaced === false ? 'Cluster' : 'Namespaced',
    hubVersion: gvk.version,
    storageVersion: gvk.version,
    keyPrefix: resource?.plural ?? gvk.kind,
    strategy,
    columns: [],
    verbs: ALL_VERBS,
    selectableFieldNames: [],
    returnDeletedObject: false,
    ...overrides,
    versions: versions.map((schema) => ({ version: schema.gvk.version, schema })),
    subresources: Object.fromEntries(
      Object.entries(subresources).map(([name, entry]) => [name, { strategy, ...entry }]),
    ),
  };
  return {
    definition,
    storage: brokenStorage(),
    subresources: Object.fromEntries(Object.keys(subresources).map((name) => [name, brokenStorage()])),
  };
}

function brokenStorage(): RestStorage {
  const refuse = (): Promise<never> => Promise.reject(new TypeError('this storage is not meant to be called'));
  return {
    get: refuse,
    list: refuse,
    watch: refuse,
    create: refuse,
    update: refuse,
    delete: refuse,
    deleteCollection: refuse,
  };
}

/** A resource that is only created, like a review. */
export function createOnly(installed: InstalledResource): InstalledResource {
  const { storage } = installed;
  return { ...installed, storage: storage.create === undefined ? {} : { create: storage.create.bind(storage) } };
}
