/** A CustomResourceDefinition, as far as these tests read it. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly group: string; readonly versions: readonly { readonly name: string }[] };
}

type Schema = { readonly [key: string]: unknown };

interface Variant {
  readonly kind: string;
  readonly group?: string;
  readonly cluster?: boolean;
  readonly listKind?: string;
  readonly schema: Schema;
  /** Members of the version beside its schema. */
  readonly version?: object;
  readonly moreVersions?: readonly object[];
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const replicas = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
};
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const spec = (properties: Schema, more: Schema = {}): Schema => object({ spec: object(properties, more) });

const intOrString: Schema = {
  plain: { 'x-kubernetes-int-or-string': true },
  described: { 'x-kubernetes-int-or-string': true, description: 'Either.', default: 5 },
  inAnyOf: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^a' },
  inAllOf: {
    'x-kubernetes-int-or-string': true,
    allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { minimum: 1 }],
  },
  otherAnyOf: {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ minimum: 1 }, { pattern: '^b' }],
    allOf: [{ maximum: 9 }],
  },
  listed: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
  mapped: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
  nullable: { 'x-kubernetes-int-or-string': true, nullable: true },
};

const embedded: Schema = {
  open: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  closed: object({ spec: object({ size: { type: 'integer' } }) }, { 'x-kubernetes-embedded-resource': true }),
  required: object(
    {
      apiVersion: { type: 'string' },
      kind: { type: 'string', enum: ['Pod'] },
      metadata: object({ name: { type: 'string' } }),
    },
    { 'x-kubernetes-embedded-resource': true, required: ['kind', 'metadata'] },
  ),
  listed: { type: 'array', items: { ...object({ spec: anything }), 'x-kubernetes-embedded-resource': true } },
  mapped: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { a: { type: 'string' } },
    },
  },
};

const nullables: Schema = {
  text: { type: 'string', nullable: true, description: 'Perhaps.' },
  object: object({ a: { type: 'string' } }, { nullable: true, required: ['a'] }),
  list: { type: 'array', nullable: true, items: { type: 'string' } },
  map: { type: 'object', nullable: true, additionalProperties: { type: 'string' } },
  mapOfNullables: { type: 'object', required: ['a'], additionalProperties: { type: 'string', nullable: true } },
  preserving: { ...anything, nullable: true },
};

const validated: Schema = {
  number: { type: 'number', minimum: 1.5, maximum: 9, exclusiveMaximum: true, exclusiveMinimum: true, multipleOf: 0.5 },
  integer: { type: 'integer', format: 'int32', minimum: 0, default: 0 },
  text: { type: 'string', minLength: 0, maxLength: 9, pattern: '^[a-z<>&]*$', default: '' },
  date: { type: 'string', format: 'date-time', title: 'When', example: '2026-01-01T00:00:00Z' },
  choice: { type: 'string', enum: ['b', 'a'] },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 3, minItems: 0 },
  rows: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name', 'port'],
    items: object({ name: { type: 'string' }, port: { type: 'integer', default: 80 } }, { required: ['name'] }),
  },
  atom: object({ a: { type: 'string' } }, { 'x-kubernetes-map-type': 'atomic', maxProperties: 4, minProperties: 1 }),
  defaulted: object(
    { min: { type: 'integer' }, max: { type: 'integer' } },
    {
      default: { min: 1, max: 2 },
      externalDocs: { url: 'https://example.com', description: 'More.' },
    },
  ),
  junctors: object(
    { a: { type: 'string' }, b: { type: 'string' } },
    {
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      anyOf: [{ properties: { a: { pattern: '^x' } } }, { not: { required: ['a'] } }],
      allOf: [{ properties: { b: { minLength: 1 } } }],
      not: { properties: { a: { enum: ['forbidden'] } }, required: ['a'] },
    },
  ),
  anyMap: { type: 'object', additionalProperties: true },
  emptyObject: { type: 'object' },
  bytes: { type: 'string', format: 'byte' },
  unknownFormat: { type: 'string', format: 'quantity-of-sorts' },
};

const variants: readonly Variant[] = [
  {
    kind: 'Widget',
    schema: object(
      {
        apiVersion: { type: 'string', description: 'Ours.' },
        kind: { type: 'string' },
        metadata: object({ name: { type: 'string', maxLength: 10 } }),
        spec: object({ size: { type: 'integer', description: 'How large.' } }, { required: ['size'] }),
        status: object({ ready: { type: 'boolean' } }),
      },
      { description: 'A widget.', required: ['spec'] },
    ),
    version: { subresources: { status: {} } },
  },
  { kind: 'Planet', cluster: true, schema: spec({ rings: { type: 'integer' } }) },
  { kind: 'Open', schema: anything },
  {
    kind: 'Bag',
    schema: object({
      spec: anything,
      data: { ...anything, description: 'Any.', properties: { a: { type: 'string' } } },
    }),
  },
  { kind: 'Either', schema: spec(intOrString) },
  { kind: 'Nest', schema: spec(embedded) },
  { kind: 'Maybe', schema: spec(nullables, { required: ['text', 'list', 'preserving'] }) },
  { kind: 'Rule', schema: spec(validated, { required: ['number'] }) },
  {
    kind: 'Crew',
    schema: replicas,
    version: { subresources: { status: {}, scale: { ...scale, labelSelectorPath: '.status.selector' } } },
  },
  { kind: 'Mast', cluster: true, group: 'ships.example.org', schema: replicas, version: { subresources: { scale } } },
  {
    kind: 'Pick',
    schema: spec({ colour: { type: 'string' }, inner: object({ size: { type: 'integer' } }) }),
    version: { selectableFields: [{ jsonPath: '.spec.colour' }, { jsonPath: '.spec.inner.size' }] },
  },
  {
    kind: 'Glass',
    listKind: 'Glassware',
    group: 'ships.example.org',
    schema: spec({ a: { type: 'string' } }),
    moreVersions: [
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: spec({ b: { type: 'string' } }) },
        subresources: { status: {} },
      },
      { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: anything } },
    ],
  },
  { kind: 'Apple', schema: { type: 'object' } },
];

/** Definitions that between them say all that a schema can say. */
export const definitions: readonly Definition[] = variants.map(definitionOf);

function definitionOf({
  kind,
  group = 'documents.example.com',
  cluster,
  listKind,
  schema,
  version,
  moreVersions = [],
}: Variant) {
  const plural = `${kind.toLowerCase()}s`;
  const own = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: cluster === true ? 'Cluster' : 'Namespaced',
      names: { kind, plural, ...(listKind !== undefined && { listKind }) },
      versions: [own, ...moreVersions] as readonly { readonly name: string }[],
    },
  };
}
