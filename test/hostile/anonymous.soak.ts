import { reportSoak, soakShare } from '@apiserver/registry-store/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../watch/random.ts';
import { caseOf, leastHold, shownRequest } from './find-holds.ts';
import { MeasuredServer } from './measured-server.ts';
import { randomAnonymousRequest } from './random-anonymous.ts';

/** The bound of docs/security.md, in milliseconds. */
const MAX_HOLD = 10;
/** Requests that are measured together. */
const AT_ONCE = 20;

let server: MeasuredServer;
beforeAll(async () => {
  server = await MeasuredServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

it('no request of an anonymous client holds the event loop', async () => {
  const { seconds, seed } = soakShare();
  const random = new Random(seed);
  const end = performance.now() + seconds * 1_000;
  const found: object[] = [];
  let sent = 0;
  while (performance.now() < end) {
    const requests = Array.from({ length: AT_ONCE }, () => randomAnonymousRequest(random));
    sent += requests.length;
    const { hold, response } = await server.measure(caseOf(requests, 'anonymous'));
    if (response.status >= 500) found.push({ status: response.status, start: response.start });
    if (hold <= MAX_HOLD) continue;
    for (const request of requests) {
      const least = await leastHold(server, [request], 'anonymous');
      if (least > MAX_HOLD) found.push({ hold: least, ...shownRequest(request) });
    }
  }
  reportSoak(`${sent} requests of anonymous clients, ${found.length} held the loop or failed`);
  expect(found, `--seed=${seed}`).toEqual([]);
});
