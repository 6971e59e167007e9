import { expect, it } from 'vitest';
import { createServerClient } from './webhook-client.js';

it('a call leaves no timer behind', async () => {
  const timers = new Set<() => void>();
  const schedule = (callback: () => void) => {
    timers.add(callback);
    return () => void timers.delete(callback);
  };
  const config = {
    server: { protocol: 'https:', hostname: 'hook', port: '', pathname: '/' },
    transport: () => ({ ca: '', certificate: '', key: '', verify: true, connectTimeout: 1 }),
    credentials: () => ({}),
  };
  const during: number[] = [];
  const client = createServerClient({ config, path: '/', clock: { now: () => 0, schedule } }, async (_, json) => {
    during.push(timers.size);
    return json;
  });
  expect([await client.post('{}'), during, timers.size]).toEqual(['{}', [1], 0]);
});
