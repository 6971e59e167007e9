import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORPORA } from './corpus.ts';
import { type HostilePeers, isExpected, KIB } from './hostile-case.ts';
import { MeasuredServer } from './measured-server.ts';

// The fast part of the corpus: every case gets the right response, in no more bytes than it may be. `npm run soak`
// measures the time and the memory.
describe.each(Object.entries(CORPORA))('%s', (_, { corpus, start }) => {
  let server: MeasuredServer;
  let peers: HostilePeers;
  beforeAll(async () => {
    peers = await start();
    server = await MeasuredServer.start(['--storage-backend=memory', ...peers.args]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await peers[Symbol.asyncDispose]();
  });

  describe.each(Object.entries(corpus))('%s', (_area, cases) => {
    it.for(cases.map((hostile) => [hostile.name, hostile] as const))('%s', async ([, hostile]) => {
      const { response, sentBytes } = await server.run(hostile);
      const maxResponse = hostile.maxResponse ?? 64 * KIB + sentBytes;
      const shown = `${response.status} in ${response.bytes} bytes: ${response.start}`;
      expect([isExpected(hostile, response), response.bytes <= maxResponse], shown).toEqual([true, true]);
      expect((await server.attacker.send({ method: 'GET', path: '/livez' }, 'anonymous')).status).toBe(200);
    });
  });
});
