import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook } from '@apiserver/webhook/testing';
import { type Attacker, type HostileCase, type HostileResponse, MIB, sending } from '../../hostile-case.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Milliseconds until the server has read a document. */
const DEADLINE = 10_000;
/** Milliseconds in which the server uses it. */
const USE_MS = 500;
/** Of a document. */
const LONG = 15 * MIB;

const groupOf = (name: string) => `${name}.example.com`;
const many = (length: number, item: (index: number) => string) => Array.from({ length }, (_, i) => item(i)).join();

/** The documents of a server by path; GROUP stands for its group. */
type Documents = Readonly<Record<string, () => string>>;

/** Registers a server with these documents, and reads from the aggregator what they are part of. */
async function register(attacker: Attacker, name: string, documents: Documents): Promise<HostileResponse> {
  const group = groupOf(name);
  const bodies = new Map(
    Object.entries(documents).map(([path, body]) => [path.replace('GROUP', group), body().replaceAll('GROUP', group)]),
  );
  const [last = ''] = [...bodies.keys()].slice(-1);
  await using server = await startTestWebhook(makeTestCertificate({ hosts: ['localhost'] }), ({ url }, response) => {
    const body = bodies.get(url);
    response.setHeader('content-type', url === '/apis' ? DISCOVERY : 'application/json');
    response.statusCode = body === undefined && url !== `/apis/${group}/v1` ? 404 : 200;
    response.end(body ?? '{}');
    return undefined;
  });
  const { port } = server;
  const service = {
    metadata: { name },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  };
  const spec = { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true };
  const target = { service: { namespace: 'default', name, port } };
  const apiService = { metadata: { name: `v1.${group}` }, spec: { ...spec, ...target } };
  await attacker.send(sending('POST', SERVICES, 'json', JSON.stringify(service)));
  await attacker.send(sending('POST', API_SERVICES, 'json', JSON.stringify(apiService)));
  try {
    const isRead = () => server.requests.some(({ url }) => url === last);
    for (const end = Date.now() + DEADLINE; !isRead() && Date.now() < end; await sleep(20));
    await sleep(USE_MS);
    const path = last.startsWith('/openapi') ? last : '/apis';
    const headers = { accept: path === '/apis' ? DISCOVERY : 'application/json' };
    return await attacker.send({ method: 'GET', path, headers });
  } finally {
    await attacker.send({ method: 'DELETE', path: `${API_SERVICES}/v1.${group}` });
    await attacker.send({ method: 'DELETE', path: `${SERVICES}/${name}` });
  }
}

const serving = (name: string, documents: Documents, maxResponse = 4 * MIB): HostileCase => ({
  name,
  request: () => ({ method: 'GET', path: '/apis' }),
  attack: (attacker, server) => register(attacker, server, documents),
  status: 200,
  maxResponse,
});

const CONTENTS: Readonly<Record<string, () => string>> = {
  blanks: () => ' '.repeat(LONG),
  'empty maps': () => `{"resources":[],"items":[],"paths":{},"x":[${'{},'.repeat(LONG / 3)}{}]}`,
  'short keys': () => `{"resources":[],"items":[],"paths":{},${many(LONG / 12, (i) => `"k${i}":1`)}}`,
  'lists in lists': () => `{"x":${'['.repeat(LONG / 2)}${']'.repeat(LONG / 2)}}`,
};

const resource = (i: number) =>
  `{"resource":"r${i}","responseKind":{"kind":"K"},"scope":"Cluster","singularResource":"r","verbs":["get"]}`;
const discovery = (count: number) =>
  `{"items":[{"metadata":{"name":"GROUP"},"versions":[{"version":"v1","resources":[${many(count, resource)}]}]}]}`;

/** Extension servers with documents that would take very long to read. */
export const EXTENSION_SERVER_CASES: readonly HostileCase[] = [
  ...Object.entries({
    discovery: '/apis',
    'a list of resources': '/apis/GROUP/v1',
    'OpenAPI v3': '/openapi/v3',
  }).flatMap(([document, path]) =>
    Object.entries(CONTENTS).map(([content, body]) => serving(`${document} of ${content}`, { [path]: body })),
  ),
  ...['10,000', '100,000'].map((count) =>
    serving(`discovery of ${count} resources`, { '/apis': () => discovery(Number(count.replace(',', ''))) }),
  ),
  serving('resources, all of them subresources', {
    '/apis/GROUP/v1': () => `{"resources":[${many(20_000, (i) => `{"name":"a/${i}","namespaced":true,"kind":"K"}`)}]}`,
  }),
  // The document of the whole server is the response. Definitions of other cases may be in it.
  serving(
    'OpenAPI v2 of short keys',
    { '/openapi/v2': () => `{"paths":{},${many(LONG / 12, (i) => `"k${i}":1`)}}` },
    16 * MIB,
  ),
];
