import type { ClientHttp2Stream } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AdminClient } from '../harness/admin-client.ts';
import { configMaps, HealthyServer } from './healthy-server.ts';

const server = new HealthyServer();
const mebibyte = 1024 * 1024;

/** Writes `count` objects of `size` bytes, 50 at a time. */
async function fill(
  client: AdminClient,
  prefix: string,
  { count, size }: { count: number; size: number },
): Promise<void> {
  const data = { k: 'x'.repeat(size) };
  for (let index = 0; index < count; index += 50) {
    const batch = Array.from({ length: Math.min(50, count - index) }, (_, n) =>
      client.request('POST', configMaps, { metadata: { name: `${prefix}-${index + n}` }, data }),
    );
    for (const { status } of await Promise.all(batch)) expect(status).toBe(201);
  }
}

/** A request whose response is not read. */
function unread(client: AdminClient, path: string): ClientHttp2Stream {
  const stream = client.session.request({ ':method': 'GET', ':path': path });
  stream.on('error', () => {});
  return stream;
}

const memory = () => server.metric('process_resident_memory_bytes');

describe('watches', () => {
  it('that are dropped without a word are forgotten', { timeout: 60_000 }, async () => {
    const clients = Array.from({ length: 20 }, () => server.client());
    for (const client of clients) for (let index = 0; index < 50; index++) unread(client, `${configMaps}?watch=1`);
    const open = () => server.watches();
    await expect.poll(open).toBe(1_000);
    for (const client of clients) client.session.destroy();
    await expect.poll(open).toBe(0);
  });

  it('that are not read are cut off and cost little; the others miss nothing', { timeout: 180_000 }, async () => {
    using slow = server.client();
    using writer = server.client();
    using reader = server.client();
    const end = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { object } of reader.watch(`${configMaps}?watch=1`, end.signal)) seen.push(object.metadata.name);
    })();
    const streams = Array.from({ length: 20 }, () => unread(slow, `${configMaps}?watch=1`));
    const open = () => server.watches();
    await expect.poll(open).toBe(21);
    await fill(writer, 'event', { count: 100, size: 10_000 });
    const before = await memory();
    await fill(writer, 'more', { count: 400, size: 100_000 });
    await expect.poll(open, { timeout: 90_000 }).toBe(1);
    // The events themselves are kept for everybody, once; twenty queues of them would be 800 MiB.
    expect((await memory()) - before).toBeLessThan(500 * mebibyte);
    await expect.poll(() => seen.length).toBeGreaterThanOrEqual(500);
    expect(new Set(seen.slice(-400)).size).toBe(400);
    for (const stream of streams) stream.close();
    end.abort();
    await reading;
  });
});

describe('lists', () => {
  it('that are not read are not made', { timeout: 180_000 }, async () => {
    using writer = server.client();
    await fill(writer, 'listed', { count: 10_000, size: 1_024 });
    expect((await writer.request('GET', configMaps)).body.length).toBeGreaterThan(10 * mebibyte);
    const before = await memory();
    using slow = server.client();
    const streams = Array.from({ length: 50 }, () => unread(slow, configMaps));
    await sleep(1_000);
    // Fifty lists of 50 MiB each.
    expect((await memory()) - before).toBeLessThan(200 * mebibyte);
    expect((await writer.request('GET', '/readyz')).status).toBe(200);
    for (const stream of streams) stream.close();
  });
});
