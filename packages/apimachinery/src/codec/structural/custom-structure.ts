import type { StructSchema } from '../../schema/schema.js';
import { withPrunedDefaults } from './pruned-defaults.js';
import { type StructuralNode, structuralRoot } from './structural-node.js';

/** The structure by which the objects of a custom resource are pruned and defaulted. */
export function customStructure(schema: StructSchema): StructuralNode {
  return withPrunedDefaults(structuralRoot(schema), metadataOf(schema));
}

/** The schema of the metadata of a kind. */
export function metadataOf(schema: StructSchema): StructSchema {
  const metadata = schema.fields.find(({ name }) => name === 'metadata')?.schema;
  if (metadata?.type !== 'struct') throw new TypeError(`${schema.name} has no typed metadata`);
  return metadata;
}
