import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { systemClock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { RestClientMetrics } from '@apiserver/rest-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CallingWebhookError } from './calling-webhook-error.js';
import type { ServicePort, WebhookClientConfig } from './client-config.js';
import { startTestWebhook, type TestWebhook } from './testing/index.js';
import type { PostToServer } from './webhook-client.js';
import { WebhookClients } from './webhook-clients.js';

const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['hook.tools.svc', 'localhost', '127.0.0.1'] });
const stranger = makeTestCertificate({ commonName: 'others', authority: true });

type Respond = Parameters<typeof startTestWebhook>[1];
const echo: Respond = ({ body }) => ({ received: JSON.parse(body) });

let respond: Respond = echo;
let webhook: TestWebhook;
let resolved: ServicePort[] = [];

beforeAll(async () => {
  webhook = await startTestWebhook(serving, (request, response) => respond(request, response));
});
afterAll(() => webhook[Symbol.asyncDispose]());
beforeEach(() => {
  respond = echo;
  resolved = [];
});

function clients(more: Partial<ConstructorParameters<typeof WebhookClients>[0]> = {}): WebhookClients {
  return new WebhookClients({
    resolveService: (service) => {
      resolved.push(service);
      return { hostname: '127.0.0.1', port: webhook.port };
    },
    clock: systemClock,
    ...more,
  });
}

const service: WebhookClientConfig = {
  name: 'test',
  service: { namespace: 'tools', name: 'hook', path: '/convert', port: 8443 },
  caBundle: authority.certificate,
};
const byUrl = (more: Partial<WebhookClientConfig> = {}): WebhookClientConfig => ({
  name: 'test',
  url: `https://127.0.0.1:${webhook.port}/convert/`,
  caBundle: authority.certificate,
  ...more,
});

async function failure(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: unknown) => messageOf(error),
  );
}

describe('a webhook behind a service', () => {
  it('is called at the resolved address, by its own name', async () => {
    const result = await clients().clientFor(service).post('{"a":1}');
    const { method, url, headers, body } = webhook.requests.at(-1) ?? {};
    const names = ['host', 'user-agent', 'accept', 'content-type'];
    expect([result, resolved, method, url, names.map((name) => headers?.[name]), body]).toEqual([
      '{"received":{"a":1}}',
      [{ namespace: 'tools', name: 'hook', port: 8443 }],
      'POST',
      '/convert?timeout=30s',
      ['hook.tools.svc:8443', 'kube-apiserver-admission', 'application/json, */*', 'application/json'],
      '{"a":1}',
    ]);
  });

  it('is trusted by its own certificate, which has another issuer', async () => {
    const pinned = { ...service, caBundle: serving.certificate };
    expect(await clients().clientFor(pinned).post('1')).toBe('{"received":1}');
  });

  it('is shown the credentials of the user for its host and port', async () => {
    const asked: string[] = [];
    const userFor = (target: string) => {
      asked.push(target);
      return { token: () => 'secret' };
    };
    await clients({ userFor }).clientFor(service).post('{}');
    await clients({ userFor }).clientFor(byUrl()).post('{}');
    const headers = webhook.requests.slice(-2).map((request) => request.headers.authorization);
    expect([asked, headers]).toEqual([
      ['hook.tools.svc:8443', `127.0.0.1:${webhook.port}`],
      ['Bearer secret', 'Bearer secret'],
    ]);
  });

  it('has port 443 and the path "/" by default', async () => {
    const bare = { ...service, service: { namespace: 'tools', name: 'hook' } };
    await clients().clientFor(bare).post('{}');
    const { url, headers } = webhook.requests.at(-1) ?? {};
    expect([resolved[0]?.port, url, headers?.['host']]).toEqual([443, '/?timeout=30s', 'hook.tools.svc:443']);
  });

  it('is not called if the service cannot be resolved', async () => {
    const resolveService = () => Promise.reject(new Error('service "hook" not found'));
    expect(await failure(clients({ resolveService }).clientFor(service).post('{}'))).toBe(
      'Post "https://hook.tools.svc:8443/convert?timeout=30s": service "hook" not found',
    );
  });

  it('must have a certificate for the name of the service', async () => {
    const other = { ...service, service: { namespace: 'tools', name: 'other' } };
    expect(await failure(clients().clientFor(other).post('{}'))).toBe(
      'Post "https://other.tools.svc:443/?timeout=30s": tls: failed to verify certificate: x509: ' +
        'certificate is valid for hook.tools.svc, localhost, not other.tools.svc',
    );
  });
});

describe('a webhook with a URL', () => {
  it.each([
    ['/convert/', '/convert?timeout=30s'],
    ['/a%2Fb%ff', '/a/b%EF%BF%BD?timeout=30s'],
  ])('is called there, at %s', async (path, called) => {
    const client = clients().clientFor(byUrl({ url: `https://127.0.0.1:${webhook.port}${path}` }));
    expect([await client.post('{}'), webhook.requests.at(-1)?.url]).toEqual(['{"received":{}}', called]);
  });

  it.each(['', stranger.certificate])('is refused without its authority in the caBundle', async (caBundle) => {
    const before = webhook.requests.length;
    const message = await failure(clients().clientFor(byUrl({ caBundle })).post('{}'));
    expect([message, webhook.requests.length]).toEqual([
      `Post "https://127.0.0.1:${webhook.port}/convert?timeout=30s": tls: failed to verify certificate: x509: ` +
        'certificate signed by unknown authority',
      before,
    ]);
  });

  it.each([
    [{}, 'failed calling webhook "test": webhook configuration must have either service or URL'],
    [
      { url: 'https://a:b' },
      'failed calling webhook "test": Unparsable URL: parse "https://a:b": invalid port ":b" after host',
    ],
  ])('is refused without a usable address: %j', (address, message) => {
    const call = () => clients().clientFor({ name: 'test', caBundle: '', ...address });
    expect(call).toThrow(new CallingWebhookError('test', new Error(message.split(': ').slice(1).join(': '))));
  });

  it('is not dialled at an address that is not allowed', async () => {
    const dialed: string[] = [];
    const allowsAddress = (address: string) => {
      dialed.push(address);
      return false;
    };
    const fenced = clients({ allowsAddress });
    const before = webhook.connections();
    const messages = [
      await failure(fenced.clientFor(byUrl()).post('{}')),
      await failure(fenced.clientFor(byUrl({ url: `https://localhost:${webhook.port}/` })).post('{}')),
    ];
    expect([messages, dialed.length > 1, webhook.connections()]).toEqual([
      [
        `Post "https://127.0.0.1:${webhook.port}/convert?timeout=30s": address not allowed`,
        `Post "https://localhost:${webhook.port}/?timeout=30s": address not allowed`,
      ],
      true,
      before,
    ]);
  });
});

describe('connections', () => {
  it('are kept, and shared by webhooks with the same configuration', async () => {
    const shared = clients();
    const before = webhook.connections();
    for (const name of ['a', 'b', 'a']) await shared.clientFor(byUrl({ name })).post('{}');
    expect(webhook.connections() - before).toBe(1);
  });

  it('that the webhook closed are replaced', async () => {
    const client = clients().clientFor(byUrl());
    const before = webhook.connections();
    const sockets = new Set<Socket | null>();
    respond = (request, response) => {
      sockets.add(response.socket);
      return echo(request, response);
    };
    for (let i = 0; i < 3; i++) {
      expect(await client.post(JSON.stringify({ i }))).toBe(`{"received":{"i":${i}}}`);
      for (const socket of sockets) socket?.destroy();
    }
    expect(webhook.connections() - before).toBe(3);
  });

  it('that the webhook closes after it has read a review fail it, and get it once', async () => {
    const client = clients().clientFor(byUrl());
    await client.post('{}');
    let reviews = 0;
    respond = (_, { socket }) => {
      reviews++;
      socket?.destroy();
      return undefined;
    };
    expect([await failure(client.post('{}')), reviews]).toEqual([expect.stringMatching(/^Post "https:.*": EOF$/), 1]);
  });
});

describe('a response', () => {
  const respondWith =
    (status: number, body: string, headers: Record<string, string> = {}): Respond =>
    (_, response) => {
      response.writeHead(status, headers);
      response.end(body);
      return undefined;
    };

  it.each<[string, Respond, string]>([
    ['no body', respondWith(200, ''), '0-length response with status code: 200 and content type: application/json'],
    [
      'an error as text',
      respondWith(500, 'went wrong', { 'content-type': 'text/plain' }),
      'an error on the server ("went wrong") has prevented the request from succeeding',
    ],
    ['no reason', respondWith(400, ''), 'the server rejected our request for an unknown reason'],
    [
      'a redirect',
      respondWith(302, '', { location: 'https://127.0.0.1:1/' }),
      'the server responded with the status code 302 but did not return more information',
    ],
    [
      'a Status',
      respondWith(
        403,
        JSON.stringify({ kind: 'Status', apiVersion: 'v1', code: 403, message: 'never', status: 'Failure' }),
      ),
      'never',
    ],
  ])('with %s is a failure', async (_, response, message) => {
    respond = response;
    expect(await failure(clients().clientFor(byUrl()).post('{}'))).toBe(message);
  });

  it('that is too large is not read to its end', async () => {
    const closed = Promise.withResolvers<void>();
    respond = (_, response) => {
      response.once('close', closed.resolve);
      const chunk = Buffer.alloc(2 ** 20, 0x20);
      const send = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', send);
      send();
      return undefined;
    };
    expect(await failure(clients().clientFor(byUrl()).post('{}'))).toBe(
      'the response of the server is larger than 8388608 bytes',
    );
    await closed.promise;
  });

  it('that breaks off is a failure', async () => {
    respond = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      setTimeout(() => response.socket?.destroy(), 20);
      return undefined;
    };
    expect(await failure(clients().clientFor(byUrl()).post('{}'))).toBe(
      'unexpected error when reading response body. Please retry. Original error: unexpected EOF',
    );
  });

  it('that comes too late is a failure, with the time limit in the request', async () => {
    const client = clients().clientFor(service);
    // The kept connection leaves the time limit to the response.
    await client.post('{}');
    respond = () => new Promise(() => {});
    expect([await failure(client.post('{}', { timeout: 200 })), webhook.requests.at(-1)?.url]).toEqual([
      'Post "https://hook.tools.svc:8443/convert?timeout=1s": context deadline exceeded',
      '/convert?timeout=1s',
    ]);
  });

  it('is not waited for when the caller leaves', async () => {
    const leaving = new AbortController();
    respond = () => {
      leaving.abort(new Error('left'));
      return new Promise(() => {});
    };
    expect(await failure(clients().clientFor(service).post('{}', { signal: leaving.signal }))).toBe('left');
  });
});

describe('a proxy', () => {
  const asked: string[] = [];
  let refusal = '';
  const proxy = createServer();
  proxy.on('connect', ({ url = '', headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    if (refusal !== '') {
      socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
      return;
    }
    const backend = connect(webhook.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      backend.pipe(socket).pipe(backend);
    });
    socket.on('error', () => backend.destroy());
    backend.on('error', () => socket.destroy());
  });
  let address: string;

  beforeAll(async () => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  beforeEach(() => {
    asked.length = 0;
    refusal = '';
  });

  const through = (environment: Readonly<Record<string, string>>, config = service) =>
    clients({ environment }).clientFor(config).post('{}');

  it('connects to the webhook by its name, which is not resolved here', async () => {
    const result = await through({ https_proxy: `user:secret@${address}`, NO_PROXY: 'other.svc' });
    const authorization = `Basic ${Buffer.from('user:secret').toString('base64')}`;
    expect([result, asked, resolved]).toEqual(['{"received":{}}', [`hook.tools.svc:8443 ${authorization}`], []]);
  });

  it('is not used where NO_PROXY names the webhook, and for this machine', async () => {
    await through({ HTTPS_PROXY: address, NO_PROXY: 'a.b, .svc' });
    await through({ HTTPS_PROXY: address }, byUrl());
    expect(asked).toEqual([]);
  });

  it('fails requests when it refuses, or cannot be reached', async () => {
    refusal = '403 Forbidden';
    const url = 'Post "https://hook.tools.svc:8443/convert?timeout=30s"';
    expect([
      await failure(through({ HTTPS_PROXY: `http://${address}` })),
      await failure(through({ HTTPS_PROXY: 'http://127.0.0.1:1' })),
      await failure(through({ HTTPS_PROXY: 'socks4://127.0.0.1:1' })),
    ]).toEqual([
      `${url}: Forbidden`,
      `${url}: proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused`,
      `${url}: proxies of the scheme socks4 are not supported by this server`,
    ]);
  });
});

describe('a SOCKS proxy', () => {
  /** The bytes that the client sent before the connection was made. */
  const asked: string[] = [];
  let reply = 0;
  const proxy = createTcpServer((socket) => {
    const parts: Buffer[] = [];
    const steps: (() => void)[] = [
      () => socket.write(Buffer.from([5, asksForPassword ? 2 : 0])),
      ...(asksForPassword ? [() => socket.write(Buffer.from([1, 0]))] : []),
      () => {
        socket.write(Buffer.from([5, reply, 0, 1, 127, 0, 0, 1, 0, 80]));
        if (reply !== 0) return;
        socket.off('data', read);
        const backend = connect(webhook.port, '127.0.0.1', () => backend.pipe(socket).pipe(backend));
        backend.on('error', () => socket.destroy());
        socket.on('error', () => backend.destroy());
        socket.on('close', () => backend.destroy());
      },
    ];
    const read = (bytes: Buffer) => {
      parts.push(bytes);
      asked.push(bytes.toString('latin1'));
      steps.shift()?.();
    };
    socket.on('data', read);
    socket.on('error', () => {});
  });
  let asksForPassword = false;
  let address: string;

  beforeAll(async () => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => proxy.close());
  beforeEach(() => {
    asked.length = 0;
    reply = 0;
    asksForPassword = false;
  });

  const through = (proxyUrl: string) =>
    clients({ environment: { HTTPS_PROXY: proxyUrl } })
      .clientFor(service)
      .post('{}');

  it.each(['socks5', 'socks5h'])('of the scheme %s connects to the webhook by its name', async (scheme) => {
    expect([await through(`${scheme}://${address}`), asked.at(-1), resolved]).toEqual([
      '{"received":{}}',
      '\x05\x01\x00\x03\x0ehook.tools.svc\x20\xfb',
      [],
    ]);
  });

  it('gets a user and a password', async () => {
    asksForPassword = true;
    expect([await through(`socks5://us%40er:secret@${address}`), asked[1]]).toEqual([
      '{"received":{}}',
      '\x01\x05us@er\x06secret',
    ]);
  });

  it('fails requests when it refuses, or cannot be reached', async () => {
    const url = 'Post "https://hook.tools.svc:8443/convert?timeout=30s"';
    reply = 5;
    expect([await failure(through(`socks5://${address}`)), await failure(through('socks5://127.0.0.1:1'))]).toEqual([
      `${url}: socks connect tcp ${address}->hook.tools.svc:8443: unknown error connection refused`,
      `${url}: socks connect tcp 127.0.0.1:1->hook.tools.svc:8443: dial tcp 127.0.0.1:1: connect: connection refused`,
    ]);
  });
});

describe('this server as a webhook', () => {
  const own: WebhookClientConfig = { name: 'own', caBundle: '', url: 'https://kubernetes.default.svc/apis/a/hook' };

  it('is called in process', async () => {
    const posted: string[] = [];
    const postToServer: PostToServer = async ({ path, query }, json) => {
      posted.push(`${path}?${query} ${json}`);
      return '{"ok":true}';
    };
    const byService = { ...own, url: '', service: { namespace: 'default', name: 'kubernetes', path: '/b' } };
    const results = [
      await clients({ postToServer }).clientFor(own).post('1'),
      await clients({ postToServer }).clientFor(byService).post('2'),
    ];
    expect([results, posted]).toEqual([
      ['{"ok":true}', '{"ok":true}'],
      ['/apis/a/hook?timeout=30s 1', '/b?timeout=30s 2'],
    ]);
  });

  it('is no other port, and fails without a response', async () => {
    const postToServer = async () => '';
    expect(await failure(clients({ postToServer }).clientFor(own).post('1'))).toBe(
      '0-length response with status code: 200 and content type: application/json',
    );
    const other = { ...service, service: { namespace: 'default', name: 'kubernetes', port: 8443 } };
    expect(await failure(clients({ postToServer }).clientFor(other).post('1'))).toMatch(
      /x509: certificate is valid for/,
    );
  });
});

it('counts requests, and certificates without alternative names', async () => {
  const registry = new MetricsRegistry();
  const observer = new RestClientMetrics(registry).webhooks;
  await clients({ observer }).clientFor(service).post('{"a":1}');
  const nameless = makeTestCertificate({ issuer: authority, commonName: 'hook.tools.svc' });
  await using old = await startTestWebhook(nameless, () => ({}));
  const resolveService = () => ({ hostname: '127.0.0.1', port: old.port });
  await failure(clients({ observer, resolveService }).clientFor(service).post('{}'));
  const weak = makeTestCertificate({ issuer: authority, hosts: ['hook.tools.svc'], digest: 'sha1' });
  await using insecure = await startTestWebhook({ ...weak, ciphers: 'DEFAULT:@SECLEVEL=0' }, () => ({}));
  const address = () => ({ hostname: '127.0.0.1', port: insecure.port });
  expect(await failure(clients({ observer, resolveService: address }).clientFor(service).post('{}'))).toBe(
    'Post "https://hook.tools.svc:8443/convert?timeout=30s": tls: failed to verify certificate: x509: certificate ' +
      'signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm ' +
      'ECDSA-SHA1" while trying to verify candidate authority certificate "webhooks")',
  );
  const { text } = await registry.expose();
  const lines = text
    .split('\n')
    .filter((line) => /^(rest_client|apiserver_webhooks)/.test(line) && !line.includes('le="'));
  expect(lines.filter((line) => !line.includes('duration_seconds_sum'))).toEqual([
    'apiserver_webhooks_x509_insecure_sha1_total 1',
    'apiserver_webhooks_x509_missing_san_total 1',
    'rest_client_request_duration_seconds_count{host="hook.tools.svc:8443",verb="POST"} 3',
    'rest_client_request_size_bytes_sum{host="hook.tools.svc:8443",verb="POST"} 11',
    'rest_client_request_size_bytes_count{host="hook.tools.svc:8443",verb="POST"} 3',
    'rest_client_requests_total{code="200",host="hook.tools.svc:8443",method="POST"} 1',
    'rest_client_requests_total{code="<error>",host="hook.tools.svc:8443",method="POST"} 2',
    'rest_client_response_size_bytes_sum{host="hook.tools.svc:8443",verb="POST"} 20',
    'rest_client_response_size_bytes_count{host="hook.tools.svc:8443",verb="POST"} 1',
  ]);
});
