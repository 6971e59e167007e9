import type { Schema, StructSchema } from '../../schema/schema.js';

/** A structural schema for pruning and defaulting, with fields by name. */
export interface StructuralNode {
  readonly fields: ReadonlyMap<string, StructuralNode>;
  /** The node of undeclared members; `open`: allowed, without a schema; undefined: not allowed. */
  readonly rest: StructuralNode | 'open' | undefined;
  readonly items: StructuralNode | undefined;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly nullable: boolean;
  /** A JSON value; undefined if there is none. */
  readonly default: unknown;
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
}

const TYPE_AND_META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Reports whether a member identifies a resource. In resources, embedded or not, such members are never pruned or
 * defaulted.
 */
export function isResourceField(name: string): boolean {
  return TYPE_AND_META.has(name);
}

/** The node of a custom resource. Structural schemas do not contain themselves. */
export function structuralRoot(schema: StructSchema): StructuralNode {
  return { ...nodeOf(schema), embeddedResource: true };
}

function nodeOf(schema: Schema): StructuralNode {
  const isStruct = schema.type === 'struct';
  const isList = schema.type === 'list';
  const { object = schema, list = schema } = schema.otherShapes ?? {};
  return {
    fields: object.type === 'struct' ? fieldNodes(object) : new Map(),
    rest: restOf(object),
    items: list.type === 'list' ? nodeOf(list.element) : undefined,
    preserveUnknownFields: schema.type === 'any' || [schema, object].some(preservesUnknownFields),
    embeddedResource: isStruct && schema.embeddedResource === true,
    nullable: schema.nullable === true,
    default: schema.default,
    listType: isList ? schema.listType : undefined,
    listMapKeys: isList ? (schema.keys ?? []) : [],
  };
}

function preservesUnknownFields(schema: Schema): boolean {
  return (schema.type === 'struct' || schema.type === 'list') && schema.preserveUnknownFields === true;
}

function restOf(schema: Schema): StructuralNode['rest'] {
  if (schema.type === 'map') return nodeOf(schema.element);
  return schema.type === 'struct' && schema.openFields === true ? 'open' : undefined;
}

function fieldNodes(struct: StructSchema): Map<string, StructuralNode> {
  // A resource's metadata is decoded as ObjectMeta and follows no schema of the resource.
  const own = struct.fields.filter(({ schema }) => schema.type !== 'struct' || schema.name === '');
  const nodes = new Map(own.map(({ name, schema }) => [name, nodeOf(schema)]));
  if (struct.declaredMetadata !== undefined) nodes.set('metadata', nodeOf(struct.declaredMetadata));
  return nodes;
}
