import type { KubeObject } from '@apiserver/apimachinery';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { constrained, named, OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';
import { column, defineObjectKind, defineResource, nameColumn, objectStrategy } from '@apiserver/resource-kit';

/** An example of a kind: a flunder refers to a fish or to another flunder. */
export interface Flunder extends KubeObject {
  spec: { reference?: string; referenceType: 'Flunder' | 'Fischer' };
}

const spec = struct('com.example.wardle.v1.FlunderSpec', 'v1.FlunderSpec', () => [
  ['reference', 1, constrained(STRING, { maxLength: 63 }), OMIT_EMPTY],
  ['referenceType', 2, named('v1.ReferenceType', ['Fischer', 'Flunder']), OMIT_EMPTY, { default: 'Flunder' }],
]);
const names = { group: 'wardle.example.com', version: 'v1', kind: 'Flunder', plural: 'flunders' };
const place = { scope: 'Namespaced', definitionPackage: 'com.example.wardle.v1' } as const;

/** Flunders as a resource: everything the server serves of them is derived from this. */
export const flunders = defineResource<Flunder>({
  versions: [{ schema: defineObjectKind<Flunder>({ ...names, ...place }, () => [['spec', 2, spec, OMIT_EMPTY]]) }],
  shortNames: ['fl'],
  categories: ['all'],
  keyPrefix: 'wardle.example.com/flunders',
  strategy: objectStrategy({
    namespaced: true,
    validate: ({ metadata, spec: { reference, referenceType } }) =>
      referenceType === 'Flunder' && reference === metadata.name
        ? [fieldInvalid(FieldPath.of('spec', 'reference'), reference, 'a flunder must not refer to itself')]
        : [],
  }),
  columns: [nameColumn, column('Reference', 'What it refers to.', ({ spec: { reference = '' } }) => reference)],
  selectableFields: ({ spec }) => ({ 'spec.referenceType': spec.referenceType }),
  selectableFieldNames: ['spec.referenceType'],
  returnDeletedObject: true,
});
