import { type HostileCase, MIB, sending } from '../hostile-case.ts';

const GROUP = 'documents.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const many = (length: number) => Array.from({ length }, (_, index) => index);

/** A definition with one schema. */
function definition(plural: string, openAPIV3Schema: object, versions = 1) {
  return sending(
    'POST',
    DEFINITIONS,
    'json',
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Cluster',
        names: { plural, kind: `K${plural}` },
        versions: many(versions).map((i) => ({
          name: `v${i + 1}`,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema },
        })),
      },
    }),
  );
}

const properties = (length: number, schema: object) => ({
  type: 'object',
  properties: Object.fromEntries(many(length).map((i) => [`property${i}`, schema])),
});

/** An object in an object, and so on. */
function deep(depth: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { p: schema } };
  return schema;
}

const SCHEMAS: Readonly<Record<string, () => object>> = {
  'many properties': () => properties(30_000, { type: 'string' }),
  'long descriptions': () => properties(100, { type: 'string', description: '"\n'.repeat(6_000) }),
  'properties in properties': () => deep(450),
};

/** Definitions of large schemas, and the documents that they make. */
export const DOCUMENT_CASES: readonly HostileCase[] = [
  ...Object.entries(SCHEMAS).map(([name, schema]) => ({
    name: `a definition of ${name}`,
    request: (object: string) => definition(object, schema()),
    maxResponse: 8 * MIB,
  })),
  ...Object.entries(SCHEMAS).flatMap(([name, schema], i) => {
    const before = [definition(`documents${i}`, schema())];
    const reading = (path: string, accept = 'application/json') => ({
      before,
      request: () => ({ method: 'GET', path, headers: { accept } }),
      status: 200,
      maxResponse: 64 * MIB,
    });
    return [
      { name: `OpenAPI v3 of ${name}`, ...reading(`/openapi/v3/apis/${GROUP}/v1`) },
      {
        name: `OpenAPI v3 in protobuf of ${name}`,
        ...reading(`/openapi/v3/apis/${GROUP}/v1`, 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'),
      },
      { name: `OpenAPI v2 of ${name}`, ...reading('/openapi/v2') },
    ];
  }),
  {
    name: 'a definition of 200 versions',
    request: (object) => definition(object, properties(100, { type: 'string' }), 200),
    maxResponse: 8 * MIB,
  },
];
