import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORPUS } from './corpus.ts';
import { isExpected, KIB } from './hostile-case.ts';
import { type HostileIssuers, startHostileIssuers } from './hostile-issuers.ts';
import { MeasuredServer } from './measured-server.ts';

// The fast part of the corpus: every case gets the right response, in no more bytes than it may be. `npm run soak`
// measures the time and the memory.
let server: MeasuredServer;
let issuers: HostileIssuers;
beforeAll(async () => {
  issuers = await startHostileIssuers();
  server = await MeasuredServer.start(['--storage-backend=memory', ...issuers.args]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});

describe.each(Object.entries(CORPUS))('%s', (_, cases) => {
  it.for(cases.map((hostile) => [hostile.name, hostile] as const))('%s', async ([, hostile]) => {
    const { response, sentBytes } = await server.run(hostile);
    const maxResponse = hostile.maxResponse ?? 64 * KIB + sentBytes;
    const shown = `${response.status} in ${response.bytes} bytes: ${response.start}`;
    expect([isExpected(hostile, response), response.bytes <= maxResponse], shown).toEqual([true, true]);
    expect((await server.attacker.send({ method: 'GET', path: '/livez' }, 'anonymous')).status).toBe(200);
  });
});
