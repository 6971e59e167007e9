import { groupVersions } from '@apiserver/api';
import { APIGroup, APIGroupList, APIResourceList, APIVersions, Status } from '@apiserver/api/meta/v1';
import type { GroupVersion, GroupVersionKind, JsonObject } from '@apiserver/apimachinery';
import type { ServedGroup } from '../discovery/served-group.js';
import { deleteOptionsSchema, listSchema, watchEventSchema } from './meta-definitions.js';

const EXTENSION = 'x-kubernetes-group-version-kind';

const metaKinds = [APIGroup, APIGroupList, APIResourceList, APIVersions, Status];

/** Kinds that every group version has. */
const sharedKinds: ReadonlyMap<string, string> = new Map([
  [deleteOptionsSchema.name, 'DeleteOptions'],
  [watchEventSchema.name, 'WatchEvent'],
]);

/** The served kinds, including their lists, by definition. */
export function servedKinds(groups: readonly ServedGroup[]): ReadonlyMap<string, GroupVersionKind> {
  const kinds = new Map<string, GroupVersionKind>();
  for (const { versions } of groups) {
    for (const { version, resources } of versions) {
      for (const { definition } of resources) {
        const schema = definition.versions.find((candidate) => candidate.version === version)?.schema;
        if (schema === undefined) continue;
        kinds.set(schema.schema.name, schema.gvk);
        kinds.set(listSchema(schema.schema, definition.listKind).name, { ...schema.gvk, kind: definition.listKind });
      }
    }
  }
  return kinds;
}

/**
 * Adds group, version and kind to each definition of a kind: of served kinds, of built-in kinds, and of the kinds that
 * exist in every group version.
 *
 * Upstream: DefinitionNamer in k8s.io/apiserver/pkg/endpoints/openapi/openapi.go
 */
export async function addKinds(
  definitions: Map<string, JsonObject>,
  served: ReadonlyMap<string, GroupVersionKind>,
  everyGroupVersion: readonly GroupVersion[],
): Promise<void> {
  const kindsOf = await kindsOfDefinitions(definitions.keys(), served, everyGroupVersion);
  for (const [name, definition] of definitions) {
    const kinds = kindsOf.get(name);
    if (kinds !== undefined) definitions.set(name, { ...definition, [EXTENSION]: kinds.map(kindEntry) });
  }
}

/** The kinds of definitions by name; those without kinds are left out. */
export async function kindsOfDefinitions(
  names: Iterable<string>,
  served: ReadonlyMap<string, GroupVersionKind>,
  everyGroupVersion: readonly GroupVersion[],
): Promise<ReadonlyMap<string, readonly GroupVersionKind[]>> {
  const known = new Map([...metaKinds.map(({ schema, gvk }) => [schema.name, gvk] as const), ...served]);
  const kinds = new Map<string, readonly GroupVersionKind[]>();
  for (const name of names) {
    const shared = sharedKinds.get(name);
    const one = known.get(name) ?? (isBuiltIn(name) ? await builtInKind(name) : undefined);
    const all = shared === undefined ? one && [one] : everyGroupVersion.map((gv) => ({ ...gv, kind: shared }));
    if (all !== undefined) kinds.set(name, all);
  }
  return kinds;
}

/** The JSON of a definition with its kinds. */
export function withKinds(definition: string, kinds: readonly GroupVersionKind[] | undefined): string {
  if (kinds === undefined) return definition;
  const members = definition.slice(1, -1);
  return `{${members}${members === '' ? '' : ','}"${EXTENSION}":${JSON.stringify(kinds.map(kindEntry))}}`;
}

function isBuiltIn(definition: string): boolean {
  return definition.startsWith('io.k8s.api.');
}

function kindEntry({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, kind, version };
}

/** A built-in kind that this server does not serve but other kinds use. */
async function builtInKind(definition: string): Promise<GroupVersionKind | undefined> {
  const [, path] = /^io\.k8s\.api\.(.+)\.[^.]+$/.exec(definition) ?? [];
  const entry = path === undefined ? undefined : groupVersions.find((one) => one.path === path.replaceAll('.', '/'));
  const kinds = (await entry?.load())?.kinds() ?? [];
  return kinds.find(({ schema }) => schema.name === definition)?.gvk;
}
