import { gunzipSync } from 'node:zlib';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { responseBody } from '@apiserver/endpoints-installer/testing';
import { expect, it } from 'vitest';
import { createInProcessExchange } from '../testing/call-handler.js';
import { metricsHandler } from './metrics-handler.js';
import { negotiateExposition, prefersCompression } from './negotiate-exposition.js';

const PROTOBUF = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const ASKED = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';

it.each<[string, string]>([
  ['', `${TEXT}; escaping=underscores`],
  ['text/*', `${TEXT}; escaping=underscores`],
  [`${ASKED};q=0.5,text/plain;version=0.0.4;q=0.4`, `${PROTOBUF}; escaping=underscores`],
  ['application/openmetrics-text;version=1.0.0,text/plain;version=0.0.5', `${TEXT}; escaping=underscores`],
  ['text/plain;version=0.0.5;escaping=dots, text/plain;escaping=allow-utf-8', `${TEXT}; escaping=allow-utf-8`],
  ['text/plain;escaping=values;q=0.1,application/json', `${TEXT}; escaping=values`],
  ['text/plain;escaping=x', `${TEXT}; escaping=underscores`],
  ['application/vnd.google.protobuf;encoding=delimited', `${TEXT}; escaping=underscores`],
])('Accept %j gets %s', (accept, contentType) => {
  expect(negotiateExposition(accept).contentType).toBe(contentType);
});

it.each<[readonly string[], boolean]>([
  [[], false],
  [['gzip'], true],
  [['deflate, gzip;q=0.5, br'], true],
  [['deflate', 'gzip'], true],
  [['*'], false],
  [['*;q=0.5, gzip'], true],
  [['identity, gzip'], false],
  [['identity;q=0.2, gzip; q=0.3'], true],
  [['gzip;q=0'], false],
  [['br;level=1, gzip'], false],
  [['br x, gzip'], false],
  [['gzip x, identity'], true],
  [['gzip;q=0.5x'], true],
  [['gzip;q=2'], false],
  [[', gzip'], false],
  [['GZIP'], false],
])('Accept-Encoding %j compresses: %s', (values, expected) => {
  expect(prefersCompression({ all: () => values })).toBe(expected);
});

it('reads as many codings as a client sends', () => {
  const values = Array.from({ length: 5_000 }, () => 'gzip,'.repeat(100));
  expect(prefersCompression({ all: () => values })).toBe(true);
});

async function served(headers: Record<string, string>) {
  const registry = new MetricsRegistry({ withProcess: false });
  registry.gauge({ name: 'g', help: 'G.', labels: [] }).with({}).value = 7;
  const exchange = createInProcessExchange({ url: '/metrics', headers });
  const response = await metricsHandler(registry, { canReset: false, processStart: 5_999 })(exchange);
  const names = ['content-type', 'content-encoding', 'process-start-time-unix'];
  return { body: await responseBody(response), headers: names.map((name) => exchange.responseHeaders.get(name)) };
}

it('metrics are compressed if the client prefers it', async () => {
  const plain = await served({});
  expect(plain.headers).toEqual([`${TEXT}; escaping=underscores`, undefined, '5']);
  expect(Buffer.from(plain.body).toString()).toContain('# TYPE g gauge\ng 7\n');
  const compressed = await served({ 'accept-encoding': 'gzip' });
  expect(compressed.headers).toEqual([`${TEXT}; escaping=underscores`, 'gzip', '5']);
  expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
});

it('metrics are messages of protobuf if the client asks for them', async () => {
  const { body, headers } = await served({ accept: ASKED });
  expect(headers[0]).toBe(`${PROTOBUF}; escaping=underscores`);
  expect(Buffer.from(body).includes(Buffer.from('0a016712', 'hex'))).toBe(true);
});
