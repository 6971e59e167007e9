import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { AdminClient } from '../harness/admin-client.ts';
import { configMaps, HealthyServer } from './healthy-server.ts';
import { frame, preface, request } from './http2-frames.ts';

const server = new HealthyServer();
const mebibyte = 1024 * 1024;
/** SETTINGS_INITIAL_WINDOW_SIZE: 0 */
const noWindow = frame(4, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));

/** The token of an account that may read ConfigMaps, and is no member of system:masters. */
async function readerToken(admin: AdminClient): Promise<string> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  await admin.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'reader' } });
  await admin.request('POST', `${rbac}/roles`, { metadata: { name: 'reader' }, rules });
  await admin.request('POST', `${rbac}/rolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
  });
  const path = '/api/v1/namespaces/default/serviceaccounts/reader/token';
  const { status } = (await admin.json('POST', path, { spec: {} })) as { readonly status: { readonly token: string } };
  return status.token;
}

/** A connection with 90 lists that get no window credit. */
async function unreadLists(token: string): Promise<Disposable> {
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.credentials.ca, ALPNProtocols: ['h2'] });
  socket.on('error', () => {}).resume();
  const fields = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'localhost'],
    [':path', configMaps],
    ['authorization', `Bearer ${token}`],
  ] as const;
  const lists = Array.from({ length: 90 }, (_, index) => request(2 * index + 1, fields));
  await new Promise<void>((resolve) => socket.write(Buffer.concat([preface, noWindow, ...lists]), () => resolve()));
  return { [Symbol.dispose]: () => void socket.destroy() };
}

/** The status of a response on a new connection. */
async function statusOf(path: string, token: string): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: server.credentials.ca });
  try {
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}` });
    stream.resume();
    return await new Promise((resolve, reject) => {
      stream.on('response', (response) => resolve(Number(response[':status'])));
      stream.on('error', reject);
    });
  } finally {
    session.destroy();
  }
}

describe('900 unread lists', () => {
  it('delay no other response, and take little memory', { timeout: 90_000 }, async () => {
    using admin = server.client();
    const token = await readerToken(admin);
    const data = { k: 'x'.repeat(100_000) };
    for (let index = 0; index < 30; index++) {
      expect((await admin.request('POST', configMaps, { metadata: { name: `large-${index}` }, data })).status).toBe(
        201,
      );
    }
    const memory = () => server.metric('process_resident_memory_bytes');
    const before = await memory();
    using attack = new DisposableStack();
    for (let index = 0; index < 10; index++) attack.use(await unreadLists(token));
    for (let round = 0; round < 20; round++) {
      const page = `${configMaps}?limit=1`;
      const ofOthers = admin.request('GET', page).then(({ status }) => status);
      const statuses = [...['/livez', '/readyz'].map((path) => statusOf(path, token)), ofOthers];
      expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
      // While the queues of this account are full, flow control refuses its further lists.
      await expect.poll(() => statusOf(page, token)).toBe(200);
    }
    expect((await memory()) - before).toBeLessThan(450 * mebibyte);
  });
});
