import { ObjectMeta, TypeMeta } from '@apiserver/api/meta/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { constrained, defineKind, INLINE, named, OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';

/** An example of a kind: a flunder refers to a fish or to another flunder. */
export interface Flunder extends KubeObject {
  spec: FlunderSpec;
}

export interface FlunderSpec {
  /** The name of what it refers to; "" for nothing. */
  reference?: string;
  /** Default: Flunder. */
  referenceType: 'Flunder' | 'Fischer';
}

const referenceType = named('v1.ReferenceType', ['Fischer', 'Flunder']);

const spec = struct('com.example.wardle.v1.FlunderSpec', 'v1.FlunderSpec', () => [
  ['reference', 1, constrained(STRING, { maxLength: 63 }), OMIT_EMPTY],
  ['referenceType', 2, referenceType, OMIT_EMPTY, { default: 'Flunder' }],
]);

/** What decoding, defaults, protobuf, OpenAPI and `kubectl explain` are made from. */
export const flunderSchema: KindSchema<Flunder> = defineKind(
  ['wardle.example.com', 'v1', 'Flunder'],
  struct('com.example.wardle.v1.Flunder', 'v1.Flunder', () => [
    ['', 0, TypeMeta, INLINE],
    ['metadata', 1, ObjectMeta, OMIT_EMPTY],
    ['spec', 2, spec, OMIT_EMPTY],
  ]),
  {
    list: 'FlunderList',
    resource: ['flunders', 'namespaced', 'create delete deletecollection get list patch update watch'],
  },
);
