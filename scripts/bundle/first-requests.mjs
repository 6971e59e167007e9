// Starts a server in this process and asks it what clients ask first, for what a build records.
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const protobuf = 'application/vnd.kubernetes.protobuf';
const metadata = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
// A list of some of these takes more than one turn of the event loop.
const large = { ...configMap, metadata: { generateName: 'large-', annotations: { note: 'x'.repeat(64 * 1024) } } };
// Also sends a bookmark: the server's own watches get one every minute.
const watchList = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/**
 * The requests of kubectl and informers in their first second.
 *
 * @type {readonly { method?: string, path: string, accept?: string, type?: string, body?: object, encoding?: string
 * }[]}
 */
export const firstRequests = [
  { path: '/readyz' },
  { path: '/api', accept: discovery },
  { path: '/apis', accept: discovery },
  { path: '/api/v1' },
  { path: '/api/v1/namespaces', accept: table },
  { path: `${configMaps}?fieldManager=a`, method: 'POST', body: configMap },
  { path: `${configMaps}/a` },
  { path: `${configMaps}/a`, method: 'PUT', body: { ...configMap, data: { a: 'b' } } },
  { path: `${configMaps}/a`, method: 'PATCH', body: { data: { a: 'c' } }, type: 'application/merge-patch+json' },
  { path: `${configMaps}/a?fieldManager=b`, method: 'PATCH', body: configMap, type: 'application/apply-patch+yaml' },
  { path: `${configMaps}?limit=500`, accept: table },
  { path: `${configMaps}?watch=true&timeoutSeconds=1` },
  { path: `${configMaps}?watch=true&timeoutSeconds=1&${watchList}` },
  { path: `${configMaps}/a`, method: 'DELETE' },
  { path: `${configMaps}/a` },
  ...Array.from({ length: 8 }, () => ({ path: configMaps, method: 'POST', body: large })),
  ...['application/json', table, protobuf, `application/json;${metadata}`, `${protobuf};${metadata}`].flatMap(
    (accept) => [
      { path: configMaps, accept },
      { path: configMaps, accept, encoding: 'gzip' },
    ],
  ),
];

/** Flags of the server, besides its folder. */
export const flags = ['--secure-port=0', '--bind-address=127.0.0.1', '--authorization-mode=RBAC'];

/**
 * Ends the server too, so this must be a separate process.
 *
 * @param {(args: string[]) => Promise<void>} main of the binary
 * @param {string} dataDirectory stays
 * @param {{ ready?: () => void, responded: () => void }} moments that the caller waits for: before the first request
 * and after the last
 */
export async function serveFirstRequests(main, dataDirectory, { ready, responded }) {
  const listening = address();
  const ended = main([`--data-dir=${dataDirectory}`, ...flags]);
  const url = await listening;
  await startsEnd();
  ready?.();
  await askAll(url, dataDirectory);
  responded();
  // Windows has no signals: sent to oneself, this one would end the process before it has recorded anything.
  process.emit('SIGTERM', 'SIGTERM');
  await ended;
}

/**
 * A server that is ready still starts watches, writes its log and aggregates roles. All starts do that, so its modules
 * are modules of a start. A slow machine does it later than a fast one.
 */
export async function startsEnd() {
  await sleep(2000);
}

/** @returns {Promise<string>} the server's address, when it is ready */
function address() {
  const { write } = process.stdout;
  return new Promise((tell) => {
    /** @param {string | Uint8Array} said */
    process.stdout.write = (said) => {
      process.stdout.write = write;
      tell(/https:\S+/.exec(String(said))?.[0] ?? '');
      return true;
    };
  });
}

/**
 * @param {string} url
 * @param {string} dataDirectory
 */
async function askAll(url, dataDirectory) {
  const file = (/** @type {string} */ name) => readFileSync(join(dataDirectory, 'pki', name));
  const session = connect(url, { ca: file('ca.crt'), cert: file('admin.crt'), key: file('admin.key') });
  for (const request of firstRequests) {
    const { method = 'GET', path, accept = 'application/json', type = 'application/json', body, encoding } = request;
    const headers = { ...(body && { 'content-type': type }), ...(encoding && { 'accept-encoding': encoding }) };
    const stream = session.request({ ':method': method, ':path': path, accept, ...headers });
    stream.end(body && JSON.stringify(body));
    await text(stream);
  }
  session.close();
}
