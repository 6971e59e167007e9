import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { type BenchDefinition, benchDefinition } from './bench-definitions.ts';
import { printTable } from './print-table.ts';
import { inspectable, memoryAfterCollection, type ServerMemory } from './server-memory.ts';
import { whileWorking } from './server-statistics.ts';

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const parallel = 8;
const pollMs = 100;

/** The number and size of the definitions, and the program if it is not the one that was built here. */
export interface DefinitionCostOptions {
  readonly count: number;
  readonly bytes: number;
  readonly binary?: string;
  readonly nodeOptions?: readonly string[];
}

/**
 * Measures definitions: from the first POST until all are established and in aggregated discovery, then the documents
 * of all, then those after a change of one definition.
 */
export async function measureDefinitions({ count, bytes, binary, nodeOptions = [] }: DefinitionCostOptions) {
  await using server = await startApiServer({
    nodeOptions: [...inspectable, ...nodeOptions],
    args: ['--authorization-mode=RBAC'],
    ...(binary === undefined ? {} : { binary }),
  });
  using client = new AdminClient(server.kubeconfig);
  const definitions = Array.from({ length: count }, (_, index) => benchDefinition(index, bytes));
  const size = definitions.reduce((sum, { manifest }) => sum + JSON.stringify(manifest).length, 0) / count;
  const empty = await memoryAfterCollection(server);
  const rows: (readonly string[])[] = [['step', '', 'cpu ms', 'wall ms', 'RSS MiB']];
  const step = async (name: string, work: () => Promise<unknown>) => {
    const begun = performance.now();
    const { cpuSeconds, after } = await whileWorking(client, work);
    const wall = performance.now() - begun;
    rows.push([name, '', (cpuSeconds * 1000).toFixed(0), wall.toFixed(0), (after.residentBytes / 2 ** 20).toFixed(0)]);
  };
  await step(`define ${count}`, () => define(client, definitions));
  const defined = await memoryAfterCollection(server);
  await step('read the documents', () => readDocuments(client, definitions[0]));
  for (const which of ['change one', 'change another']) {
    const changed = definitions[which === 'change one' ? 0 : count - 1];
    await step(which, () => change(client, changed));
    await step('  and read the documents', () => readDocuments(client, changed));
  }
  printTable(`${count} definitions of ${size.toFixed(0)} bytes`, rows);
  console.log(`memory of a definition: ${ofOne(empty, defined, count)}`);
  console.log(`with all documents: ${ofOne(empty, await memoryAfterCollection(server), count)}`);
  await stop(server);
}

async function define(client: AdminClient, definitions: readonly BenchDefinition[]): Promise<void> {
  const queue = [...definitions];
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { status, body } = await client.request('POST', DEFINITIONS, next.manifest);
        if (status !== 201) throw new Error(`${next.name}: ${status} ${body}`);
      }
    }),
  );
  while (!(await areDiscoverable(client, definitions))) await sleep(pollMs);
  while (!(await areEstablished(client, definitions.length))) await sleep(pollMs);
}

interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly resources?: readonly { readonly resource: string }[] }[];
  }[];
}

async function areDiscoverable(client: AdminClient, definitions: readonly BenchDefinition[]): Promise<boolean> {
  const { body } = await client.request('GET', '/apis', undefined, { accept: AGGREGATED });
  const found = new Set<string>();
  for (const { metadata, versions } of (JSON.parse(body) as DiscoveryList).items) {
    for (const { resource } of versions.flatMap(({ resources = [] }) => resources)) {
      found.add(`${resource}.${metadata.name}`);
    }
  }
  return definitions.every(({ name }) => found.has(name));
}

async function areEstablished(client: AdminClient, count: number): Promise<boolean> {
  const { body } = await client.request('GET', DEFINITIONS);
  return body.split('"reason":"InitialNamesAccepted"').length > count;
}

/** Reads what a client of one kind reads, and the documents of all. */
async function readDocuments(client: AdminClient, definition: BenchDefinition | undefined): Promise<void> {
  const requests: readonly (readonly [string, string?])[] = [
    ['/apis', AGGREGATED],
    ['/openapi/v3'],
    [`/openapi/v3/apis/${definition?.group}/v1`],
    ['/openapi/v2'],
  ];
  for (const [path, accept] of requests) {
    const { status } = await client.request('GET', path, undefined, accept === undefined ? {} : { accept });
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
}

/** Adds a field to one definition and waits until OpenAPI has it. */
async function change(client: AdminClient, definition: BenchDefinition | undefined): Promise<void> {
  const field = `added${Math.trunc(performance.now())}`;
  const path = '/spec/versions/2/schema/openAPIV3Schema/properties/spec/properties/';
  const patch = [{ op: 'add', path: `${path}${field}`, value: { type: 'string' } }];
  const headers = { 'content-type': 'application/json-patch+json' };
  const { status, body } = await client.request('PATCH', `${DEFINITIONS}/${definition?.name}`, patch, headers);
  if (status !== 200) throw new Error(`${definition?.name}: ${status} ${body}`);
  const document = `/openapi/v3/apis/${definition?.group}/v1`;
  while (!(await client.request('GET', document)).body.includes(field)) await sleep(pollMs);
}

function ofOne(empty: ServerMemory, full: ServerMemory, count: number): string {
  const kibibytes = (bytes: number) => `${(bytes / count / 1024).toFixed(0)} KiB`;
  return `${kibibytes(full.own - empty.own)} own, ${kibibytes(full.heap - empty.heap)} of it heap`;
}

async function stop(server: ApiServer): Promise<void> {
  const { stderr } = await server.stop();
  const errors = stderr.split('\n').filter((line) => /^E\d{4}/.test(line));
  if (errors.length > 0) throw new Error(errors.join('\n'));
}
