/**
 * CPU per request of the chain without a resource behind it: `node packages/generic-server/bench/request-cost.ts`,
 * after a build. First in process, then over TLS with the load from another process, HTTP/2 and HTTP/1.1.
 */
import { Buffer } from 'node:buffer';
import { fork } from 'node:child_process';
import { connect } from 'node:http2';
import { Agent, request as requestHttps } from 'node:https';
import { fileURLToPath } from 'node:url';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { createAuthentication } from '@apiserver/authentication';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { alwaysAllow } from '@apiserver/authorization';
import {
  completeGenericServerConfig,
  type GenericServerConfig,
  newGenericServer,
  newGenericServerConfig,
  newServerContext,
} from '@apiserver/generic-server';
import { createInProcessExchange } from '@apiserver/generic-server/testing';

const logger: Logger = { info() {}, warning() {}, error() {}, v: () => undefined, named: () => logger };
const body = Buffer.from(JSON.stringify({ kind: 'ConfigMap', data: 'x'.repeat(1_000) }));
const path = '/api/v1/namespaces/n/configmaps/a';
const print = (line: string) => process.stdout.write(`${line}\n`);

interface Load {
  readonly port: number;
  readonly requests: number;
  readonly concurrency: number;
  readonly version: 'h2' | 'h1';
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

function makeServer(config: GenericServerConfig) {
  config.authorizer = alwaysAllow();
  const server = newGenericServer(completeGenericServerConfig(config), { name: 'bench' });
  const respond: Handler = ({ responseHeaders }) => {
    responseHeaders.set('content-type', 'application/json');
    return { type: 'bytes', status: 200, body };
  };
  server.addHandlerSource({ handlerFor: ({ request }) => (request.path === path ? respond : undefined) });
  return server;
}

/** Microseconds of this process's CPU per request. */
async function cpuPer(requests: number, work: () => Promise<void>): Promise<string> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / requests).toFixed(1);
}

async function inProcess(): Promise<void> {
  const config = newGenericServerConfig(newServerContext({ logger }));
  config.authenticator = { authenticateRequest: async () => ({ user: { name: 'a', groups: [], extra: {} } }) };
  const { handler } = makeServer(config);
  const run = async (requests: number) => {
    for (let index = 0; index < requests; index++) {
      const exchange = createInProcessExchange({ url: path, headers: { accept: 'application/json' } });
      await handler(exchange);
      exchange.finish({ status: 200, bytesWritten: body.length, aborted: false });
    }
  };
  await run(20_000);
  print(`chain in process: ${await cpuPer(100_000, () => run(100_000))} µs CPU per request`);
}

async function overTls(): Promise<void> {
  const authority = makeTestCertificate({ commonName: 'authority', authority: true });
  const serving = makeTestCertificate({ commonName: 'server', issuer: authority, hosts: ['127.0.0.1', 'localhost'] });
  const client = makeTestCertificate({ commonName: 'alice', organizations: ['dev'], issuer: authority });
  const config = newGenericServerConfig(newServerContext({ logger }));
  const clientCAs = () => authority.certificate;
  config.authenticator = createAuthentication({ anonymous: false, clientCAs, logger, now: Date.now }).authenticator;
  config.secureServing = {
    address: '127.0.0.1',
    port: 0,
    http2MaxStreamsPerConnection: 0,
    disableHttp2: false,
    tls: {
      certificate: serving.certificate,
      key: serving.key,
      clientCA: authority.certificate,
      minVersion: 'TLSv1.2',
      cipherSuites: [],
    },
  };
  const prepared = makeServer(config).prepareServer();
  const stop = new AbortController();
  const running = prepared.run(stop.signal);
  const { port } = await prepared.listening;
  const shared = { port, concurrency: 50, ca: authority.certificate, certificate: client.certificate, key: client.key };
  for (const version of ['h2', 'h1'] as const) {
    await spawnLoad({ ...shared, version, requests: 10_000 });
    const requests = 50_000;
    print(
      `${version} over TLS: ${await cpuPer(requests, () => spawnLoad({ ...shared, version, requests }))} µs CPU per request`,
    );
  }
  stop.abort();
  await running;
}

function spawnLoad(load: Load): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, LOAD: JSON.stringify(load) } });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the load ended with ${code}`))));
  });
}

async function generateLoad(load: Load): Promise<void> {
  let left = load.requests;
  const { send, close } = load.version === 'h2' ? http2Sender(load) : http1Sender(load);
  const worker = async () => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: load.concurrency }, worker));
  close();
}

function http2Sender({ port, ca, certificate, key }: Load) {
  const session = connect(`https://127.0.0.1:${port}`, { ca, cert: certificate, key });
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const stream = session.request({ ':path': path, accept: 'application/json' });
      stream.on('error', reject).on('data', () => {});
      stream.on('end', resolve);
    });
  return { send, close: () => session.close() };
}

function http1Sender({ port, ca, certificate, key, concurrency }: Load) {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const options = {
    host: '127.0.0.1',
    port,
    path,
    ca,
    cert: certificate,
    key,
    agent,
    headers: { accept: 'application/json' },
  };
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const request = requestHttps(options, (response) => {
        response.on('data', () => {}).on('end', resolve);
      });
      request.on('error', reject).end();
    });
  return { send, close: () => agent.destroy() };
}

const load = process.env['LOAD'];
if (load === undefined) {
  await inProcess();
  await overTls();
} else {
  await generateLoad(JSON.parse(load));
}
