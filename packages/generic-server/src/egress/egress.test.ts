import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readEgressConfiguration, validateEgressConfiguration } from './egress-configuration.js';
import { newEgressSelector } from './egress-selector.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'egress-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(selections: string) {
  const file = join(folder, 'egress.yaml');
  const head = 'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\n';
  writeFileSync(file, `${head}egressSelections:\n${selections}`);
  return readEgressConfiguration(file);
}

const selection = (name: string, connection: string) => `- {name: ${name}, connection: ${connection}}\n`;
const SUPPORTED = 'supported values: "Direct", "HTTPConnect", "GRPC"';

// The messages are those of k8s.io/apiserver v0.36.6.
describe('validation', () => {
  it.each<[string, readonly string[]]>([
    [selection('cluster', '{proxyProtocol: Direct}'), []],
    [selection('CONTROLPLANE', '{proxyProtocol: HTTPConnect, transport: {uds: {udsName: /s}}}'), []],
    [selection('etcd', '{proxyProtocol: HTTPConnect, transport: {tcp: {url: "http://p:1"}}}'), []],
    [
      selection('cluster', '{proxyProtocol: Direct, transport: {}}'),
      ['service.connection.transport: Invalid value: "direct": config must be absent for direct connect'],
    ],
    [
      selection('cluster', '{proxyProtocol: Other}'),
      [`service.connection.protocol: Unsupported value: "Other": ${SUPPORTED}`],
    ],
    [
      selection('Master', '{proxyProtocol: Direct}') + selection('cluster', '{proxyProtocol: Direct}'),
      ['service.connection: Unsupported value: "master": supported values: "cluster", "controlplane", "etcd"'],
    ],
    [selection('master', '{proxyProtocol: Direct}'), []],
    [
      selection('controlplane', '{proxyProtocol: Direct}') + selection('master', '{proxyProtocol: Direct}'),
      ['service.connection[1]: Duplicate value: "controlplane"'],
    ],
    [
      selection('cluster', '{proxyProtocol: Direct}') + selection('Cluster', '{proxyProtocol: Direct}'),
      ['service.connection[1]: Duplicate value: "cluster"'],
    ],
    [
      selection('cluster', '{proxyProtocol: HTTPConnect}'),
      ['service.connection.transport: Required value: transport must be set for HTTPConnect'],
    ],
    [
      selection('cluster', '{proxyProtocol: HTTPConnect, transport: {}}'),
      ['service.connection.tcp: Required value: One of TCP or UDS must be set'],
    ],
    [
      selection('cluster', '{proxyProtocol: GRPC, transport: {tcp: {url: "http://p"}}}'),
      ['service.connection.uds: Required value: UDS must be set with GRPC'],
    ],
    [
      selection('cluster', '{proxyProtocol: HTTPConnect, transport: {tcp: {url: "ftp://p"}}}'),
      ['service.connection.url: Invalid value: "ftp://p": supported connection protocols are http:// and https://'],
    ],
    [
      selection(
        'cluster',
        '{proxyProtocol: HTTPConnect, transport: {tcp: {url: "https://p", tlsConfig: {caBundle: /n}}}}',
      ),
      [
        'service.connection.tlsConfig.caBundle: Invalid value: "/n": TLS config ca bundle does not exist',
        'service.connection.tlsConfig.clientCert: Invalid value: "nil": Using TLS requires clientCert',
        'service.connection.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey',
      ],
    ],
  ])('%j: %j', (selections, messages) => {
    expect(validateEgressConfiguration(read(selections)).map(fieldErrorMessage)).toEqual(messages);
  });

  it('is refused with an unknown field, and without a file', () => {
    expect(() => read('- {names: a}\n')).toThrow('strict decoding error: unknown field "egressSelections[0].names"');
    expect(() => readEgressConfiguration('/none')).toThrow(
      'unable to read egress selector configuration from "/none" [open /none: no such file or directory]',
    );
  });
});

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

function tracked(socket: Socket): Socket {
  sockets.add(socket);
  return socket.on('error', () => {});
}

/** A proxy that connects, or responds with these bytes. It keeps the requested addresses. */
async function proxy(where: string | number, answer?: string) {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on('connection', tracked);
  server.on('connect', (request, client) => {
    asked.push(`${request.url} ${request.headers.host}`);
    if (answer !== undefined) return void client.end(answer);
    const [host, port] = String(request.url).split(':');
    const backend = tracked(connect(Number(port), host));
    backend.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(backend).pipe(client);
    });
  });
  if (typeof where === 'number') server.listen(where, '127.0.0.1');
  else server.listen(where);
  servers.push(server);
  await once(server, 'listening');
  return { asked, address: server.address() as AddressInfo };
}

async function echo(): Promise<number> {
  const server = createServer((socket) => tracked(socket).pipe(socket)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const httpConnect = (transport: string) =>
  selection('cluster', `{proxyProtocol: HTTPConnect, transport: ${transport}}`);

function selectorOf(selections: string) {
  const registry = new MetricsRegistry({ withProcess: false });
  return { registry, select: newEgressSelector(read(selections), { metrics: registry, clock: systemClock }) };
}

async function metrics(registry: MetricsRegistry): Promise<readonly string[]> {
  const { text } = await registry.expose();
  return text
    .split('\n')
    .filter((line) => /^apiserver_egress_dialer_dial_(start|failure|duration_seconds_count)/.test(line));
}

describe('HTTPConnect', () => {
  it.each(['tcp', 'uds'])('connects over %s', async (transport) => {
    const path = join(folder, 'proxy.sock');
    const { asked, address } = await proxy(transport === 'tcp' ? 0 : path);
    const to = transport === 'tcp' ? `{tcp: {url: "http://127.0.0.1:${address.port}"}}` : `{uds: {udsName: ${path}}}`;
    const { registry, select } = selectorOf(httpConnect(to));
    const port = await echo();
    const socket = await select('cluster')?.({ hostname: '127.0.0.1', port });
    socket?.write('hello');
    const [data] = await once(socket as NonNullable<typeof socket>, 'data');
    socket?.destroy();
    expect([String(data), asked, select('controlplane'), await metrics(registry)]).toEqual([
      'hello',
      [`127.0.0.1:${port} 127.0.0.1`],
      undefined,
      [
        `apiserver_egress_dialer_dial_duration_seconds_count{protocol="http_connect",transport="${transport}"} 1`,
        `apiserver_egress_dialer_dial_start_total{protocol="http_connect",transport="${transport}"} 1`,
      ],
    ]);
  });

  it.each<[answer: string, reason: string]>([
    ['HTTP/1.1 403 Forbidden\r\n\r\n', 'proxy error from PROXY while dialing 10.0.0.1:443, code 403: 403 Forbidden'],
    ['', 'reading HTTP response from CONNECT to 10.0.0.1:443 via proxy PROXY failed: EOF'],
    ['HTTP/1.1 200', 'reading HTTP response from CONNECT to 10.0.0.1:443 via proxy PROXY failed: unexpected EOF'],
    [
      'nonsense\r\n\r\n',
      'reading HTTP response from CONNECT to 10.0.0.1:443 via proxy PROXY failed: malformed HTTP response "nonsense"',
    ],
  ])('takes %j for a failure', async (answer, reason) => {
    const { address } = await proxy(0, answer);
    const { registry, select } = selectorOf(httpConnect(`{tcp: {url: "http://127.0.0.1:${address.port}"}}`));
    const dialing = select('cluster')?.({ hostname: '10.0.0.1', port: 443 });
    await expect(dialing).rejects.toThrow(reason.replaceAll('PROXY', `127.0.0.1:${address.port}`));
    expect(await metrics(registry)).toEqual([
      'apiserver_egress_dialer_dial_failure_count{protocol="http_connect",stage="proxy",transport="tcp"} 1',
      'apiserver_egress_dialer_dial_start_total{protocol="http_connect",transport="tcp"} 1',
    ]);
  });

  it('leaves the bytes behind the response to the connection', async () => {
    const { address } = await proxy(0, 'HTTP/1.1 200 OK\r\n\r\nmore');
    const { select } = selectorOf(httpConnect(`{tcp: {url: "http://127.0.0.1:${address.port}"}}`));
    const socket = await select('cluster')?.({ hostname: '10.0.0.1', port: 443 });
    expect(String((await once(socket as NonNullable<typeof socket>, 'data'))[0])).toBe('more');
  });

  it('fails without a proxy', async () => {
    const { registry, select } = selectorOf(httpConnect(`{uds: {udsName: ${join(folder, 'none.sock')}}}`));
    await expect(select('cluster')?.({ hostname: '10.0.0.1', port: 443 })).rejects.toThrow('ENOENT');
    expect((await metrics(registry))[0]).toContain('stage="connect",');
  });
});

describe('a selector', () => {
  it.each<[string, string]>([
    [
      httpConnect('{tcp: {url: "https://p", tlsConfig: {clientKey: /none.key, clientCert: /none.crt}}}'),
      'failed to create dialer for egressSelection "cluster": failed to read key pair /none.crt & /none.key, got open /none.crt: no such file or directory',
    ],
  ])('refuses %j', (selections, message) => {
    expect(() => selectorOf(selections)).toThrow(message);
  });
});
