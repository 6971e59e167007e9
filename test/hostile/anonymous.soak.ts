import { reportSoak, soakShare } from '@apiserver/registry-store/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../watch/random.ts';
import type { Attacker, HostileCase, HostileRequest, HostileResponse } from './hostile-case.ts';
import { MeasuredServer } from './measured-server.ts';
import { randomAnonymousRequest } from './random-anonymous.ts';

/** The bound of docs/security.md, in milliseconds. */
const MAX_HOLD = 10;
/** Requests that are measured together. */
const AT_ONCE = 20;
/** Runs of a request that holds the loop for too long: the least hold counts. */
const RUNS = 3;

let server: MeasuredServer;
beforeAll(async () => {
  server = await MeasuredServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Clients may end before the server does. */
async function send(attacker: Attacker, request: HostileRequest): Promise<HostileResponse> {
  try {
    return await attacker.send(request, 'anonymous');
  } catch (error) {
    return { status: 0, headers: {}, bytes: 0, start: String(error) };
  }
}

function caseOf(requests: readonly HostileRequest[]): HostileCase {
  return {
    name: 'random',
    who: 'anonymous',
    request: () => requests[0] as HostileRequest,
    attack: async (attacker) => {
      const responses: HostileResponse[] = [];
      for (const request of requests) responses.push(await send(attacker, request));
      return responses.find(({ status }) => status >= 500) ?? (responses[0] as HostileResponse);
    },
  };
}

const shown = ({ method, path, headers = {}, body = '' }: HostileRequest) => ({
  ...{ method, path: path.slice(0, 120), pathLength: path.length, bodyLength: body.length },
  body: Buffer.from(body.slice(0, 40)).toString('latin1'),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, `${value.slice(0, 60)} (${value.length})`]),
  ),
});

async function leastHold(request: HostileRequest): Promise<number> {
  const holds: number[] = [];
  for (let run = 0; run < RUNS; run++) holds.push((await server.measure(caseOf([request]))).hold);
  return Math.min(...holds);
}

it('no request of an anonymous client holds the event loop', async () => {
  const { seconds, seed } = soakShare();
  const random = new Random(seed);
  const end = performance.now() + seconds * 1_000;
  const found: object[] = [];
  let sent = 0;
  while (performance.now() < end) {
    const requests = Array.from({ length: AT_ONCE }, () => randomAnonymousRequest(random));
    sent += requests.length;
    const { hold, response } = await server.measure(caseOf(requests));
    if (response.status >= 500) found.push({ status: response.status, start: response.start });
    if (hold <= MAX_HOLD) continue;
    for (const request of requests) {
      const least = await leastHold(request);
      if (least > MAX_HOLD) found.push({ hold: least, ...shown(request) });
    }
  }
  reportSoak(`${sent} requests of anonymous clients, ${found.length} held the loop or failed`);
  expect(found, `--seed=${seed}`).toEqual([]);
});
