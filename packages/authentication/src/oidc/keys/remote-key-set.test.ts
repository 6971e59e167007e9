import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '@apiserver/apimachinery/clock';
import { expect, it } from 'vitest';
import { RemoteKeySet } from './remote-key-set.js';

it('verifies a token with many keys in turns of the event loop', async () => {
  const { kty, crv, x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const body = JSON.stringify({ keys: Array(100).fill({ kty, crv, x, y, kid: 'k' }) });
  const headers = { 'cache-control': 'max-age=3600' };
  const client = { get: async () => ({ code: 200, status: '200 OK', headers, body }) };
  const { signal } = new AbortController();
  const keys = new RemoteKeySet({ url: 'https://keys', client, clock: systemClock, signal });
  await keys.verify('k', () => true);
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns++) await new Promise(setImmediate);
  })();
  const verifying = keys.verify('k', () => {
    for (const until = performance.now() + 1; performance.now() < until; );
    return false;
  });
  await expect(verifying).rejects.toThrow('failed to verify id token signature');
  isOver = true;
  await counting;
  expect(turns).toBeGreaterThan(10);
});
