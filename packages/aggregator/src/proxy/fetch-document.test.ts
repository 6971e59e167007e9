import type { fetchKept } from '@apiserver/proxy';
import { expect, it, vi } from 'vitest';
import { fetchDocument } from './fetch-document.js';

const fetched = vi.hoisted(() => vi.fn<typeof fetchKept>());
vi.mock(import('@apiserver/proxy'), async (load) => ({ ...(await load()), fetchKept: fetched }));

it.each([
  ['10.0.0.1', '10.0.0.1:6443'],
  ['fd00::1', '[fd00::1]:6443'],
])('names the host %s as a URL does', async (hostname, host) => {
  fetched.mockRejectedValueOnce(new Error('no network'));
  const transport = { ca: '', certificate: '', key: '', verify: true, connectTimeout: 1 };
  const request = { address: { hostname, port: 6443 }, transport, path: '/apis', accept: 'application/json' };
  await expect(fetchDocument(request)).rejects.toThrow(`https://${host}/apis`);
  expect(fetched.mock.lastCall?.[2].headers).toMatchObject({ Host: host });
});
