import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeTestCertificate, type TestCertificateOptions, testKeyUsage } from '@apiserver/authentication/testing';

/** Kinds of servers behind services. */
export const BACKENDS = [
  ...['whole', 'whole', 'whole', 'beta', 'legacy', 'other', 'broken', 'failing', 'missing', 'redirecting'],
  ...['plain', 'closed', 'none', 'portless', 'endless', 'unready'],
  // Of wrong certificates.
  ...['foreign', 'stranger', 'nobody', 'namesake', 'aged', 'lost', 'early', 'client', 'odd', 'crowd'],
] as const;
export type BackendKind = (typeof BACKENDS)[number];

/** Servers of all kinds. The services have the names of the kinds. */
export interface Backends {
  readonly ports: Readonly<Record<BackendKind, number>>;
  /** In PEM. */
  readonly authority: string;
}

const authority = makeTestCertificate({ commonName: 'backends', authority: true });
const stranger = makeTestCertificate({ commonName: 'stranger', authority: true });
const namesake = makeTestCertificate({ commonName: 'backends', authority: true });
const aged = makeTestCertificate({ commonName: 'aged', authority: true, notAfter: new Date('2021-02-03T04:05:06Z') });
const hosts = [...new Set(BACKENDS)].map((name) => `${name}.fish.svc`);
const foreignHosts = ['other.example.com', '10.1.2.3'];

/** Certificates with one fault, or with several ones. */
const CERTIFICATES: Readonly<Partial<Record<BackendKind, TestCertificateOptions>>> = {
  foreign: { issuer: authority, hosts: foreignHosts },
  stranger: { issuer: stranger, hosts },
  nobody: { issuer: stranger, hosts: foreignHosts },
  namesake: { issuer: namesake, hosts },
  aged: { issuer: aged, hosts },
  lost: { issuer: stranger, hosts: foreignHosts, notAfter: new Date('2022-02-03T04:05:06Z') },
  early: { issuer: authority, hosts, notBefore: new Date('2119-02-03T04:05:06Z') },
  client: { issuer: authority, hosts, extendedKeyUsage: [testKeyUsage.clientAuth] },
  odd: { issuer: stranger, hosts, extendedKeyUsage: [testKeyUsage.clientAuth] },
  crowd: { issuer: authority, hosts: Array.from({ length: 100 }, (_, at) => `h${at}.example.com`) },
};

/** Reports whether a client that verifies a server of that kind refuses it. */
export const isRefused = (kind: BackendKind) => CERTIFICATES[kind] !== undefined;

/** Starts all servers. */
export async function startBackends(stack: AsyncDisposableStack): Promise<Backends> {
  const known = makeTestCertificate({ commonName: 'known', issuer: authority, hosts });
  const ports: Partial<Record<BackendKind, number>> = {};
  for (const kind of new Set(BACKENDS)) {
    const faulty = CERTIFICATES[kind];
    const { certificate: cert, key } =
      faulty === undefined ? known : makeTestCertificate({ commonName: `${kind} server`, ...faulty });
    const answer = (request: IncomingMessage, response: ServerResponse) => void respond(kind, request, response);
    const server: Server = kind === 'plain' ? createPlainServer(answer) : createServer({ cert, key }, answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports[kind] = (server.address() as AddressInfo).port;
    if (kind === 'closed') server.close();
    else
      stack.defer(() => {
        if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
        server.close();
      });
  }
  return { ports: ports as Record<BackendKind, number>, authority: `${authority.certificate}${aged.certificate}` };
}

/** Answers like a server of that kind. Paths outside discovery and OpenAPI tell what arrived. */
async function respond(kind: BackendKind, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const send = (status: number, body: unknown, type = 'application/json', headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  if (kind === 'failing') return send(500, 'internal\n', 'text/plain');
  if (kind === 'missing') return send(404, '404 page not found\n', 'text/plain; charset=utf-8');
  if (kind === 'redirecting') {
    return send(302, 'moved', 'text/plain', { location: `https://elsewhere.example.com${url.pathname}` });
  }
  const [, root, group = '', version = '', ...rest] = url.pathname.split('/');
  if (kind === 'broken' && (root === 'apis' || root === 'openapi') && rest.length === 0) return send(200, '{"kind": 1');
  if (url.pathname === '/apis') return respondGroups(kind, request, send);
  if (root === 'apis' && version !== '' && rest.join('') === '') return send(200, resources(kind, group, version));
  if (root === 'openapi') return respondOpenApi(kind, url, send);
  const body = await text(request);
  const headers = Object.entries(request.headersDistinct).map(([name, values]) => [name, values ?? []] as const);
  const echoed = {
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(headers.sort(([a], [b]) => (a < b ? -1 : 1))),
    body,
  };
  const status = Number(url.searchParams.get('status') ?? 200);
  const given: Record<string, string> = { 'x-own': 'a', 'access-control-allow-origin': '*', 'audit-id': 'theirs' };
  if (url.searchParams.has('location')) given['location'] = url.searchParams.get('location') ?? '';
  return send(status, status === 204 || status === 304 ? '' : echoed, 'application/json', given);
}

type Send = (status: number, body: unknown, type?: string, headers?: Record<string, string>) => unknown;

/** Groups of the random cases, which every server with aggregated discovery knows. */
const groupsOf = (kind: BackendKind) => Array.from({ length: 40 }, (_, at) => `g${at}.${kind}.example.com`);
const VERSIONS = ['v1', 'v2', 'v1beta1', 'v1alpha1'];

function respondGroups(kind: BackendKind, request: IncomingMessage, send: Send): unknown {
  if (kind === 'legacy') return send(404, '404 page not found\n', 'text/plain');
  const version = kind === 'beta' ? 'v2beta1' : 'v2';
  const groups = kind === 'other' ? ['other.example.com'] : groupsOf(kind);
  const items = groups.map((name) => ({
    metadata: { name, creationTimestamp: null },
    versions: VERSIONS.map((one) => ({ version: one, resources: aggregated(name, one), freshness: 'Stale' })),
  }));
  const etag = `"${kind}"`;
  if (request.headers['if-none-match'] === etag) return send(304, '', undefined, { etag });
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
  return send(200, list, `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`, { etag });
}

function aggregated(group: string, version: string): object[] {
  return [
    {
      resource: 'fishes',
      responseKind: { group, version, kind: 'Fish' },
      scope: 'Namespaced',
      singularResource: 'fish',
      verbs: ['get', 'list'],
      shortNames: ['fi'],
      categories: ['all'],
      subresources: [
        { subresource: 'status', responseKind: { group, version, kind: 'Fish' }, verbs: ['get'] },
        { subresource: 'bare', verbs: ['create'] },
      ],
    },
    { resource: 'reviews', scope: 'Cluster', singularResource: '', verbs: ['create'] },
  ];
}

function resources(kind: BackendKind, group: string, version: string): object {
  const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}` };
  const one = { name: 'fishes', singularName: 'fish', namespaced: true, kind: 'Fish', verbs: ['get', 'list', 'watch'] };
  const more = [
    { name: 'fishes/status', singularName: '', namespaced: true, kind: 'Fish', verbs: ['get'] },
    {
      name: 'fishes/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get'],
    },
    { name: 'lost/exec', singularName: '', namespaced: true, kind: 'Lost', verbs: ['create'] },
    {
      name: 'ponds',
      singularName: 'pond',
      namespaced: false,
      kind: 'Pond',
      verbs: [],
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: 'x',
    },
  ];
  return { ...list, resources: kind === 'legacy' ? [one, ...more] : [one] };
}

function respondOpenApi(kind: BackendKind, url: URL, send: Send): unknown {
  if (url.pathname === '/openapi/v2') {
    const paths = {
      '/apis/g1.example.com/v1/fishes': { get: { operationId: 'listFish', responses: { 200: { description: 'OK' } } } },
    };
    return send(200, { swagger: '2.0', info: { title: kind, version: 'v0' }, paths });
  }
  if (kind === 'legacy') return send(404, '404 page not found\n', 'text/plain');
  const path = url.pathname.replace('/openapi/v3', '').slice(1);
  const known = groupsOf(kind).flatMap((group) => VERSIONS.map((version) => `apis/${group}/${version}`));
  if (path === '') {
    const paths = Object.fromEntries(
      known.map((one) => [one, { serverRelativeURL: `/openapi/v3/${one}?hash=${kind}` }]),
    );
    return send(200, { paths });
  }
  if (!known.includes(path)) return send(404, 'not here\n', 'text/plain');
  return send(
    200,
    { openapi: '3.0.0', info: { title: kind, version: 'v0' }, paths: { [`/${path}`]: {} } },
    'application/json',
    { etag: `"${kind}"`, 'cache-control': 'public, immutable' },
  );
}
