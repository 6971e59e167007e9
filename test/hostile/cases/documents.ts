import { setTimeout as sleep } from 'node:timers/promises';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { type Attacker, type HostileCase, type HostileResponse, MIB, sending } from '../hostile-case.ts';

const PROTOBUF = {
  v2: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  v3: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
};
/** Milliseconds in which a definition is served. */
const DEADLINE = 10_000;

const many = (length: number) => Array.from({ length }, (_, index) => index);
const groupOf = (name: string) => `${name}.example.com`;

/** A definition in a group of its own. */
function definition(name: string, openAPIV3Schema: object, versions = 1) {
  const group = groupOf(name);
  const served = many(versions).map((i) => ({
    name: `v${i + 1}`,
    served: true,
    storage: i === 0,
    schema: { openAPIV3Schema },
  }));
  const spec = { group, scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions: served };
  return sending('POST', DEFINITIONS, 'json', JSON.stringify({ metadata: { name: `things.${group}` }, spec }));
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
  'long descriptions': () => properties(50, { type: 'string', description: '"\n'.repeat(4_000) }),
  'properties in properties': () => deep(450),
};

const GROUP_SIZE = 400;

/** Serves many kinds of one group, reads its documents in each form, and deletes the kinds. */
async function readLargeGroup(attacker: Attacker, name: string): Promise<HostileResponse> {
  const group = groupOf(name);
  const schema = properties(20, { type: 'string', description: 'x'.repeat(100) });
  const metadata = (plural: string) => ({ name: `${plural}.${group}`, labels: { group: name } });
  for (const i of many(GROUP_SIZE)) {
    const names = { plural: `things${i}`, kind: `Thing${i}` };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const spec = { group, scope: 'Cluster', names, versions };
    await attacker.send(
      sending('POST', DEFINITIONS, 'json', JSON.stringify({ metadata: metadata(names.plural), spec })),
    );
  }
  const read = (path: string, accept = 'application/json') =>
    attacker.send({ method: 'GET', path, headers: { accept } });
  const last = () => read(`/apis/${group}/v1/things${GROUP_SIZE - 1}`);
  for (const end = Date.now() + DEADLINE; (await last()).status !== 200 && Date.now() < end; await sleep(20)) {}
  try {
    await read('/openapi/v2');
    await read('/openapi/v2', PROTOBUF.v2);
    return await read(`/openapi/v3/apis/${group}/v1`, PROTOBUF.v3);
  } finally {
    await attacker.send({ method: 'DELETE', path: `${DEFINITIONS}?labelSelector=group=${name}` });
  }
}

/** Serves a definition, reads a document that has it, and deletes it. */
async function readDocument(
  attacker: Attacker,
  name: string,
  {
    schema,
    path,
    accept,
  }: { readonly schema: object; readonly path: (group: string) => string; readonly accept: string },
): Promise<HostileResponse> {
  const group = groupOf(name);
  await attacker.send(definition(name, schema));
  const served = () => attacker.send({ method: 'GET', path: `/apis/${group}/v1/things` });
  for (const end = Date.now() + DEADLINE; (await served()).status !== 200 && Date.now() < end; await sleep(20)) {}
  const response = await attacker.send({ method: 'GET', path: path(group), headers: { accept } });
  await attacker.send({ method: 'DELETE', path: `${DEFINITIONS}/things.${group}` });
  return response;
}

/** Definitions of large schemas, and the documents that they make. */
export const DOCUMENT_CASES: readonly HostileCase[] = [
  ...Object.entries(SCHEMAS).flatMap(([what, schema]): HostileCase[] => {
    const reading = (name: string, path: (group: string) => string, accept = 'application/json'): HostileCase => ({
      name: `${name} of ${what}`,
      request: (name) => definition(name, schema()),
      attack: (attacker, name) => readDocument(attacker, name, { schema: schema(), path, accept }),
      status: 200,
      maxResponse: 16 * MIB,
    });
    const v3 = (group: string) => `/openapi/v3/apis/${group}/v1`;
    const v2 = () => '/openapi/v2';
    return [
      reading('OpenAPI v3', v3),
      reading('OpenAPI v3 in protobuf', v3, PROTOBUF.v3),
      reading('OpenAPI v2', v2),
      reading('OpenAPI v2 in protobuf', v2, PROTOBUF.v2),
    ];
  }),
  {
    name: `documents of a group of ${GROUP_SIZE} kinds`,
    request: () => ({ method: 'GET', path: DEFINITIONS }),
    attack: readLargeGroup,
    status: 200,
    maxResponse: 64 * MIB,
  },
  {
    name: 'a definition of 200 versions',
    request: (name) => definition(name, properties(100, { type: 'string' }), 200),
    status: 201,
    maxResponse: 8 * MIB,
  },
];
