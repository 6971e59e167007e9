import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AdminClient } from '../harness/admin-client.ts';
import { configMaps, HealthyServer } from './healthy-server.ts';
import { frame, framesOf, headerBlock, preface, request, reset } from './http2-frames.ts';
import { RawConnection } from './raw-connection.ts';

const server = new HealthyServer();
const mebibyte = 1024 * 1024;

const get = (path: string): readonly (readonly [string, string])[] => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'localhost'],
  [':path', path],
];

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** All the leave that a client can give: 2 GiB for each stream, and 1 GiB for all. */
const allLeave = Buffer.concat([
  frame(4, 0, 0, Buffer.concat([Buffer.of(0, 4), uint32(2 ** 31 - 1)])),
  frame(8, 0, 0, uint32(2 ** 30)),
]);

const write = (client: AdminClient, name: string, size = 10) =>
  client.request('POST', configMaps, { metadata: { name }, data: { k: 'x'.repeat(size) } });

/** Another client asks while `during` runs: how many of its requests had a response by then. */
async function responsesToOthers(during: () => Promise<unknown>): Promise<number> {
  using other = server.client();
  await other.request('GET', '/readyz');
  let responses = 0;
  let over = false;
  const running = during().finally(() => {
    over = true;
  });
  while (!over) {
    expect((await other.request('GET', `${configMaps}?limit=1`)).status).toBe(200);
    if (!over) responses++;
    await sleep(2);
  }
  await running;
  return responses;
}

describe('one connection', () => {
  it('keeps a watch while 5,000 other responses are reset', { timeout: 60_000 }, async () => {
    using connection = new RawConnection(server, 'h2');
    await connection.send(Buffer.concat([preface, allLeave, request(1, get(`${configMaps}?watch=1`))]));
    const heads = () => [...framesOf(connection.received)].filter(({ type }) => type === 'headers').length;
    await expect.poll(heads).toBe(1);
    // As many at a time as a client may have open beside the watch, and fewer.
    const atOnce = 90;
    for (let round = 0; round < 5_000 / atOnce; round++) {
      const ids = Array.from({ length: atOnce }, (_, index) => 2 * (atOnce * round + index) + 3);
      await connection.send(Buffer.concat(ids.map((id) => request(id, get(`${configMaps}?watch=1`)))));
      await expect.poll(heads, { timeout: 30_000, interval: 5 }).toBe(1 + atOnce * (round + 1));
      await connection.send(Buffer.concat(ids.map((id) => reset(id))));
    }
    using writer = server.client();
    expect((await write(writer, 'seen')).status).toBe(201);
    await expect.poll(() => connection.text).toContain('"name":"seen"');
    expect([...framesOf(connection.received)].filter(({ type }) => type === 'goaway')).toEqual([]);
  });

  it('may be full of lists that are asked for and not read', { timeout: 90_000 }, async () => {
    using writer = server.client();
    for (let index = 0; index < 100; index++) expect((await write(writer, `large-${index}`, 100_000)).status).toBe(201);
    const memory = () => server.metric('process_resident_memory_bytes');
    const before = await memory();
    using connection = new RawConnection(server, 'h2');
    await connection.send(Buffer.concat([preface, allLeave]));
    connection.socket.pause();
    const lists = Array.from({ length: 50 }, (_, index) => request(2 * index + 1, get(configMaps)));
    await connection.send(Buffer.concat(lists));
    const responses = await responsesToOthers(() => sleep(3_000));
    // 50 lists of 10 MB each.
    expect((await memory()) - before).toBeLessThan(100 * mebibyte);
    expect(responses).toBeGreaterThan(0);
  });

  it('that asks for everything byte by byte gets a response', { timeout: 60_000 }, async () => {
    using connection = new RawConnection(server, 'h2');
    const bytes = Buffer.concat([preface, request(1, get('/readyz')), request(3, get('/livez'))]);
    for (const byte of bytes) await connection.send(Buffer.of(byte));
    await expect.poll(() => connection.text.match(/ok/g)?.length).toBe(2);
  });
});

describe('a thousand creates at once', () => {
  it('let others have their turn', { timeout: 60_000 }, async () => {
    using writer = server.client();
    const names = Array.from({ length: 1_000 }, (_, index) => `at-once-${index}`);
    const responses = await responsesToOthers(() => Promise.all(names.map((name) => write(writer, name))));
    expect(responses).toBeGreaterThan(0);
    const listed = JSON.parse((await writer.request('GET', configMaps)).body).items;
    const made = new Set(listed.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
    expect(names.filter((name) => !made.has(name))).toEqual([]);
  });

  it('come on one connection at the same moment', { timeout: 60_000 }, async () => {
    using connection = new RawConnection(server, 'h2');
    const posts = Array.from({ length: 1_000 }, (_, index) => {
      const body = Buffer.from(JSON.stringify({ metadata: { name: `raw-${index}` } }));
      const fields = [...get(configMaps).slice(1), ['content-type', 'application/json'] as const];
      const head = frame(1, 4, 2 * index + 1, headerBlock([[':method', 'POST'], ...fields]));
      return Buffer.concat([head, frame(0, 1, 2 * index + 1, body)]);
    });
    const responded = () => {
      const frames = [...framesOf(connection.received)];
      return new Set(frames.filter(({ type }) => type === 'headers' || type === 'reset').map(({ stream }) => stream));
    };
    const all = async () => {
      await connection.send(Buffer.concat([preface, allLeave, ...posts]));
      await expect.poll(() => responded().size).toBe(1_000);
    };
    const responses = await responsesToOthers(all);
    expect(responses).toBeGreaterThan(0);
    using reader = server.client();
    const listed = JSON.parse((await reader.request('GET', configMaps)).body).items;
    const made = listed.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('raw-'));
    // Those beyond the streams that a client may have open were refused, and are not there.
    const refused = [...framesOf(connection.received)].filter(({ type }) => type === 'reset').length;
    expect(made.length + refused).toBe(1_000);
  });
});
