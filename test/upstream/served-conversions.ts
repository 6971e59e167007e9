import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { storedDefinitions } from '../../packages/builtin-resources/src/testing/group-dependencies.ts';

/** The functions that convert a version to and from its hub. */
export type Conversions = Required<Pick<ResourceVersionDefinition, 'toHub' | 'fromHub'>>;

const SERVED: ReadonlyMap<string, Conversions> = new Map(
  storedDefinitions().flatMap(({ versions, storedAs, group, hubVersion }) => {
    const [hubGroup, version] = storedAs === undefined ? [group, hubVersion] : [storedAs.group, storedAs.hubVersion];
    return versions.flatMap(({ schema, toHub, fromHub }): [string, Conversions][] =>
      toHub && fromHub ? [[keyOf(schema, hubGroup, version), { toHub, fromHub }]] : [],
    );
  }),
);

/** The server's own conversions between two versions of a kind; undefined if it does not serve them. */
export function servedConversions(version: KindSchema, { gvk: hub }: KindSchema): Conversions | undefined {
  return SERVED.get(keyOf(version, hub.group, hub.version));
}

function keyOf({ gvk: { group, version, kind } }: KindSchema, hubGroup: string, hubVersion: string): string {
  return `${group}/${version} ${kind} ${hubGroup}/${hubVersion}`;
}
