import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import type { Flunder } from './schema.js';
import { flunderSchema } from './schema.js';
import { flunderStrategy } from './strategy.js';

/** Flunders as a resource: everything the server serves of them is derived from this. */
export const flunders: ResourceDefinition<Flunder> = {
  group: 'wardle.example.com',
  kind: 'Flunder',
  listKind: 'FlunderList',
  resource: 'flunders',
  singular: 'flunder',
  shortNames: ['fl'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: [{ version: 'v1', schema: flunderSchema }],
  hubVersion: 'v1',
  storageVersion: 'v1',
  keyPrefix: 'wardle.example.com/flunders',
  strategy: flunderStrategy,
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'The flunder’s name.',
      priority: 0,
      cell: ({ metadata }) => metadata.name ?? '',
    },
    {
      name: 'Reference',
      type: 'string',
      format: '',
      description: 'What it refers to.',
      priority: 0,
      cell: ({ spec }) => spec.reference ?? '',
    },
  ],
  subresources: {},
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  selectableFields: ({ spec }) => ({ 'spec.referenceType': spec.referenceType }),
  selectableFieldNames: ['spec.referenceType'],
  returnDeletedObject: true,
};
