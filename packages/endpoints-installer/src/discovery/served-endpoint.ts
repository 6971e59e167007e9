import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { InstalledResource, RestStorage } from '@apiserver/apiserver-contracts';
import { connectVerbs } from '../container/connect-endpoint.js';
import { servedVerbs } from '../container/verb-routes.js';
import { resourcePolicyOf } from '../semantics/policies.js';

/** A resource or subresource in one version, for discovery and OpenAPI. */
export interface ServedEndpoint {
  readonly installed: InstalledResource;
  readonly version: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** Schema of its objects. */
  readonly schema: KindSchema;
  /** In the order in which discovery lists them; never empty. */
  readonly verbs: readonly string[];
}

/**
 * The endpoints of one version of a resource: the resource itself, then its subresources. Endpoints without verbs are
 * omitted. `declared` are the verbs of the resource, by default those in discovery.
 */
export function servedEndpoints(
  installed: InstalledResource,
  version: string,
  declared = installed.definition.discoveryVerbs ?? installed.definition.verbs,
): readonly ServedEndpoint[] {
  const { definition, storage, subresources } = installed;
  const schema = definition.versions.find((candidate) => candidate.version === version)?.schema;
  if (schema === undefined) return [];
  const verbs = servedVerbs(declared, storage);
  const main = { installed, version, subresource: '', schema, verbs };
  const { compareSubresources } = resourcePolicyOf(definition).discovery;
  const others = Object.entries(subresources)
    .sort(([a], [b]) => compareSubresources(a, b))
    .map(([subresource, behind]) => ({
      installed,
      version,
      subresource,
      schema: definition.subresources[subresource]?.schema ?? schema,
      verbs: subresourceVerbs(installed, subresource, behind),
    }));
  return [main, ...others].filter(({ verbs }) => verbs.length > 0);
}

function subresourceVerbs({ definition }: InstalledResource, name: string, storage: RestStorage): readonly string[] {
  const verbs = definition.subresources[name]?.verbs ?? ['get', 'patch', 'update'];
  const { connecter } = storage;
  return (connecter === undefined ? servedVerbs(verbs, storage) : connectVerbs(connecter)).toSorted();
}

/** Reports whether an endpoint's objects have the kind and version of its resource. */
export function isOwnKind({ installed, version, schema }: ServedEndpoint): boolean {
  const { definition } = installed;
  return sameKind(schema.gvk, { group: definition.group, version, kind: schema.gvk.kind });
}

function sameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
