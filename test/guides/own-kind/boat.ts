import type { KubeObject } from '@apiserver/apimachinery';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { constrained, INT32, OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';
import {
  ageColumn,
  column,
  defineObjectKind,
  defineResource,
  nameColumn,
  objectStrategy,
} from '@apiserver/resource-kit';

/** A boat and its captain. */
export interface Boat extends KubeObject {
  spec: { captain?: string; berths: number };
}

const spec = struct('com.example.harbour.v1.BoatSpec', 'v1.BoatSpec', () => [
  ['captain', 1, constrained(STRING, { maxLength: 63 }), OMIT_EMPTY],
  ['berths', 2, INT32, OMIT_EMPTY, { default: 2 }],
]);
const schema = defineObjectKind<Boat>(
  {
    group: 'harbour.example.com',
    version: 'v1',
    kind: 'Boat',
    plural: 'boats',
    scope: 'Namespaced',
    definitionPackage: 'com.example.harbour.v1',
  },
  () => [['spec', 2, spec, OMIT_EMPTY]],
);

/** Boats as a resource. Routes, discovery, OpenAPI and tables derive from it. */
export const boats = defineResource<Boat>({
  versions: [{ schema }],
  shortNames: ['bo'],
  keyPrefix: 'harbour.example.com/boats',
  strategy: objectStrategy({
    namespaced: true,
    validate: ({ spec: { berths } }) =>
      berths < 1 ? [fieldInvalid(FieldPath.of('spec', 'berths'), berths, 'a boat must have a berth')] : [],
  }),
  columns: [
    nameColumn,
    column('Captain', 'Person in command.', ({ spec: { captain = '' } }) => captain),
    column('Berths', 'Number of beds.', ({ spec: { berths } }) => String(berths)),
    ageColumn,
  ],
});
