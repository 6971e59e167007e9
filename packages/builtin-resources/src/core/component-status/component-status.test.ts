import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ComponentStatus } from '@apiserver/api/core/v1';
import { isStatusError } from '@apiserver/apimachinery/errors';
import {
  everythingFieldSelector,
  everythingSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '@apiserver/apimachinery/selectors';
import type { GenericStore } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { afterEach, expect, it } from 'vitest';
import { CERTIFICATE, KEY } from '../../testing/self-signed-pair.js';
import { componentStatuses } from './index.js';
import { probeComponent } from './probe-component.js';
import { componentStatusVerbs } from './verbs.js';

const context = testContext({ namespace: '' });
const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

const list: Pick<GenericStore<ComponentStatus>, 'list'>['list'] = async () => ({ items: [], resourceVersion: '1' });
const verbsOver = (store: Partial<GenericStore<ComponentStatus>>) =>
  componentStatusVerbs(store as GenericStore<ComponentStatus>, async (port) =>
    port === 10259 ? { healthy: true, message: 'ok' } : { healthy: false, message: `refused at ${port}` },
  );

it('probes every component and the store', async () => {
  const verbs = verbsOver({ list });
  const listed = await verbs.list?.(context, everything);
  const now = rowTime(0);
  expect(
    listed?.items.map(({ object }) => componentStatuses.columns.map((column) => column.cell(object, now))),
  ).toEqual([
    ['controller-manager', 'Unhealthy', 'refused at 10257', ''],
    ['etcd-0', 'Healthy', 'ok', ''],
    ['scheduler', 'Healthy', 'ok', ''],
  ]);
  expect((await verbs.get?.(context, 'scheduler', {}))?.object).toEqual({
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    metadata: { name: 'scheduler' },
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  });
});

it('reports a failure of the store', async () => {
  const verbs = verbsOver({ list: async () => Promise.reject(new Error('no space')) });
  expect((await verbs.get?.(context, 'etcd-0', {}))?.object.conditions).toEqual([
    { type: 'Healthy', status: 'False', error: 'no space' },
  ]);
});

it('supports field selectors by name; it has no labels', async () => {
  const names = async (options: object) =>
    (await verbsOver({ list }).list?.(context, { ...everything, ...options }))?.items.map(
      ({ object }) => object.metadata.name,
    );
  expect(await names({ fieldSelector: parseFieldSelector('metadata.name=scheduler') })).toEqual(['scheduler']);
  expect(await names({ labelSelector: parseLabelSelector('a=b') })).toEqual([]);
});

it('returns a plain failure for an unknown name', async () => {
  const error: unknown = await verbsOver({ list })
    .get?.(context, 'x', {})
    .catch((thrown: unknown) => thrown);
  expect(isStatusError(error) && [error.status.code, error.status.message, error.status.reason]).toEqual([
    500,
    'Component not found: x',
    undefined,
  ]);
});

let server: ReturnType<typeof createServer> | undefined;
afterEach(() => server?.close());

async function serving(status: number): Promise<number> {
  server = createServer({ cert: CERTIFICATE, key: KEY }, (_request, response) => response.writeHead(status).end('ok'));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

it.each([
  [200, { healthy: true, message: 'ok' }],
  [302, { healthy: true, message: 'ok' }],
  [500, { healthy: false, message: 'HTTP probe failed with statuscode: 500' }],
])('a component that responds %d', async (status, result) => {
  expect(await probeComponent(await serving(status), context.signal)).toEqual(result);
});

it('a component that is not running', async () => {
  const port = await serving(200);
  await new Promise((resolve) => server?.close(resolve));
  expect(await probeComponent(port, context.signal)).toEqual({
    healthy: false,
    message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});
