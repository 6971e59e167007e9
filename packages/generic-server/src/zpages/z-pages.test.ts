import type { RequestAudit } from '@apiserver/apiserver-contracts';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { versionInfo } from '@apiserver/component-base/version';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { describe, expect, it } from 'vitest';
import { createEndpointMetrics } from '../metrics/endpoint-metrics.js';
import { RequestMetrics } from '../metrics/request-metrics.js';
import { PathMux } from '../mux/non-go-restful-mux.js';
import { callHandler } from '../testing/call-handler.js';
import { installZPages } from './z-pages.js';

const GO = `node${process.versions.node}`;
function pageMetrics(registry: MetricsRegistry) {
  const nothing = () => {};
  const { deprecatedRequests } = createEndpointMetrics(registry, { request: nothing, afterTimeout: nothing });
  return { metrics: new RequestMetrics(registry), deprecatedRequests };
}

const FLAGS = { b: '1', a: '<x> "y"' };

/** Pages of a process that has run for an hour, a minute and a second. */
function pages(random = 0, registry = new MetricsRegistry()) {
  const mux = new PathMux();
  const processStart = Date.parse('2026-01-02T04:05:06.700Z');
  installZPages(mux, {
    config: {
      now: () => processStart + 3_661_900,
      random: () => random,
      version: versionInfo({ packageVersion: '0.1.0' }),
      zpages: { statusz: true, flags: () => FLAGS },
    },
    ...pageMetrics(registry),
    processStart,
    listedPaths: () => ['/apis', '/healthz', '/healthz/ping', '/metrics', '/openid/v1/jwks', '/.well-known/x', '/'],
  });
  return mux;
}

async function page(path: string, accept?: string, userAgent?: string) {
  const headers = { ...(accept === undefined ? {} : { accept }), ...(userAgent && { 'user-agent': userAgent }) };
  return await callHandler(
    async (exchange) => {
      exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      const handler = pages().handlerFor(exchange, () => Promise.reject(new Error('no handler')));
      return await (handler as NonNullable<typeof handler>)(exchange);
    },
    { url: path, headers },
  );
}

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const NOT_ACCEPTABLE = 'only the following media types are accepted: application/json, application/yaml, text/plain';
const structured = (kind: string, version: string, media = 'application/json') =>
  `${media};v=${version};g=config.k8s.io;as=${kind}`;

// The bodies are those of k8s.io/apiserver v0.36.6.
describe('/statusz', () => {
  it.each([
    undefined,
    ' ',
    '*/*',
    'text/plain',
    'text/*',
    'text/html,text/plain;q=0.5',
    'application/json, text/plain',
  ])('is text for %j', async (accept) => {
    const { status, headers, body } = await page('/statusz', accept);
    const time = 'Fri Jan  2 04:05:06 UTC 2026';
    expect([status, headers['content-type'], body]).toEqual([
      200,
      'text/plain; charset=utf-8',
      `\napiserver statusz\n${WARNING}\n\nStarted: ${time}\nUp: 1 hr 01 min 02 sec\nGo version: ${GO}\nBinary version: 1.36.0+apiserver.0.1.0\nEmulation version: 1.36\nPaths: /healthz /metrics\n`,
    ]);
  });

  it('is an object on request', async () => {
    const { headers, body } = await page('/statusz', structured('Statusz', 'v1beta1'));
    expect([headers['content-type'], headers['warning'], body]).toEqual([
      'application/json;g=config.k8s.io;v=v1beta1;as=Statusz',
      undefined,
      `{"kind":"Statusz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},"startTime":"2026-01-02T04:05:06Z","uptimeSeconds":3662,"goVersion":"${GO}","binaryVersion":"1.36.0+apiserver.0.1.0","emulationVersion":"1.36","paths":["/healthz","/metrics"]}\n`,
    ]);
  });
});

describe('/flagz', () => {
  it.each([undefined, '*/*'])('is text for %j', async (accept) => {
    expect((await page('/flagz', accept)).body).toBe(`\napiserver flagz\n${WARNING}\na:<x> "y"\nb:1\n`);
  });

  it.each<[string, string, string | undefined]>([
    [
      'v1beta1',
      '{"kind":"Flagz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},"flags":{"a":"\\u003cx\\u003e \\"y\\"","b":"1"}}\n',
      undefined,
    ],
    [
      'v1alpha1',
      '{"kind":"Flagz","apiVersion":"config.k8s.io/v1alpha1","metadata":{"name":"apiserver"},"flags":{"a":"\\u003cx\\u003e \\"y\\"","b":"1"}}\n',
      '299 - "This version of the flagz endpoint is deprecated. Please use a newer version."',
    ],
  ])('is an object of %s on request', async (version, object, warning) => {
    const { body, headers } = await page('/flagz', structured('Flagz', version));
    expect([body, headers['warning']]).toEqual([object, warning]);
  });

  it('is YAML on request, and indented for people', async () => {
    const yaml = await page('/flagz', structured('Flagz', 'v1beta1', 'application/yaml'));
    const indented = await page('/flagz', structured('Flagz', 'v1beta1'), 'curl/8');
    expect([yaml.body, indented.body.split('\n').length]).toEqual([
      'apiVersion: config.k8s.io/v1beta1\nflags:\n  a: <x> "y"\n  b: "1"\nkind: Flagz\nmetadata:\n  name: apiserver\n',
      11,
    ]);
  });

  it.each([
    'application/json',
    structured('Flagz', 'v1'),
    structured('Statusz', 'v1beta1'),
    'application/vnd.kubernetes.protobuf',
    'text/plain;as=X',
  ])('is a 406 for %s', async (accept) => {
    const { status, body } = await page('/flagz', accept);
    expect([status, JSON.parse(body)]).toMatchObject([406, { message: NOT_ACCEPTABLE, reason: 'NotAcceptable' }]);
  });
});

it.each<[string, string, object]>([
  ['GET', '/flagz', { verb: 'GET', dry_run: '', resource: 'flagz' }],
  ['HEAD', '/statusz', { verb: 'GET', dry_run: '', resource: 'statusz' }],
  ['POST', '/statusz?dryRun=All', { verb: 'POST', dry_run: 'All', resource: 'statusz' }],
])('counts requests and notes those for a deprecated version: %s %s', async (method, url, labels) => {
  const registry = new MetricsRegistry();
  const annotations: string[][] = [];
  const kind = url.startsWith('/flagz') ? 'Flagz' : 'Statusz';
  await callHandler(
    async (exchange) => {
      exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      const audit: Pick<RequestAudit, 'annotate'> = { annotate: (...pair) => void annotations.push(pair) };
      exchange.context.audit = audit as RequestAudit;
      const handler = pages(0, registry).handlerFor(exchange, () => Promise.reject(new Error('no handler')));
      return await (handler as NonNullable<typeof handler>)(exchange);
    },
    { method, url, headers: { accept: structured(kind, 'v1alpha1') } },
  );
  const api = { group: 'config.k8s.io', version: 'v1alpha1', ...labels };
  const { text } = await registry.expose();
  const [, seen = ''] = /^apiserver_request_total\{(.*)\} 1$/m.exec(text) ?? [];
  const pairs = Object.fromEntries([...seen.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  expect(pairs).toEqual({ ...api, subresource: '', scope: '', component: 'apiserver', code: '200' });
  expect(text).toMatch(/^apiserver_requested_deprecated_apis\{.*resource="(flagz|statusz)".*\} 1$/m);
  expect(annotations).toEqual([['k8s.io/deprecated', 'true']]);
});
