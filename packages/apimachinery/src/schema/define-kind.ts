import type { GroupVersionSchema, KindLifecycle, KindResource, KindSchema } from './kind-schema.js';
import type { StructSchema } from './schema.js';

/** The facts about a kind in generated code. */
export interface KindFacts {
  readonly list?: string;
  readonly item?: string;
  /** Plural, scope and verbs. */
  readonly resource?: readonly [plural: string, scope: 'namespaced' | 'cluster', verbs: string];
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: readonly [group: string, version: string, kind: string];
}

/** A built-in kind. `gvk` is group, version and kind. */
export function defineKind<T>(
  gvk: readonly [group: string, version: string, kind: string],
  schema: StructSchema,
  facts: KindFacts = {},
): KindSchema<T> {
  const [group, version, kind] = gvk;
  const resource = kindResource(facts);
  const lifecycle = kindLifecycle(facts);
  return {
    gvk: { group, version, kind },
    schema,
    semantics: 'typed',
    ...(facts.list === undefined ? {} : { listKind: facts.list }),
    ...(facts.item === undefined ? {} : { itemKind: facts.item }),
    ...(resource === undefined ? {} : { resource }),
    ...(lifecycle === undefined ? {} : { lifecycle }),
  };
}

/** The kinds of a group version, listed on demand. */
export function defineGroupVersion(
  group: string,
  version: string,
  kinds: () => readonly KindSchema<unknown>[],
): GroupVersionSchema {
  return { group, version, kinds };
}

function kindResource({ resource }: KindFacts): KindResource | undefined {
  if (resource === undefined) return undefined;
  const [plural, scope, verbs] = resource;
  return { plural, namespaced: scope === 'namespaced', verbs: verbs === '' ? [] : verbs.split(' ') };
}

function kindLifecycle(facts: KindFacts): KindLifecycle | undefined {
  const { introduced, deprecated, removed, replacement } = facts;
  if (introduced === undefined && deprecated === undefined && removed === undefined) return undefined;
  return {
    ...(introduced === undefined ? {} : { introduced }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removed === undefined ? {} : { removed }),
    ...(replacement === undefined
      ? {}
      : { replacement: { group: replacement[0], version: replacement[1], kind: replacement[2] } }),
  };
}
