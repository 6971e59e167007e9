import { ObjectMeta, TypeMeta } from '@apiserver/api/meta/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import {
  defineKind,
  type FieldTuple,
  INLINE,
  type KindSchema,
  OMIT_EMPTY,
  struct,
} from '@apiserver/apimachinery/schema';
import { ALL_VERBS } from './define-resource.js';

/** The names of a kind. */
export interface ObjectKindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural name of its resource. */
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** The package of the kind in OpenAPI and protobuf, with the version: com.example.wardle.v1 */
  readonly definitionPackage: string;
}

/**
 * The schema of a kind. Type and metadata are predefined; `fields` returns the other fields, from protobuf number 2
 * on. It is called when the schema is first used.
 */
export function defineObjectKind<T extends KubeObject>(
  { group, version, kind, plural, scope, definitionPackage }: ObjectKindNames,
  fields: () => readonly FieldTuple[],
): KindSchema<T> {
  const schema = struct(`${definitionPackage}.${kind}`, `${version}.${kind}`, () => [
    ['', 0, TypeMeta, INLINE],
    ['metadata', 1, ObjectMeta, OMIT_EMPTY],
    ...fields(),
  ]);
  return defineKind<T>([group, version, kind], schema, {
    list: `${kind}List`,
    resource: [plural, scope === 'Namespaced' ? 'namespaced' : 'cluster', ALL_VERBS.join(' ')],
  });
}
