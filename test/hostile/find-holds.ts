import {
  type Attacker,
  type HostileCase,
  type HostileRequest,
  type HostileResponse,
  isExpected,
} from './hostile-case.ts';
import type { MeasuredServer } from './measured-server.ts';

/** Runs of requests that hold the loop for too long: the least hold counts. */
const RUNS = 3;

const ANY: HostileCase = { name: 'any', request: () => ({ method: 'GET', path: '/' }) };

/** Requests that are sent one after the other. The response is the first that is a bug, if any is. */
export function caseOf(requests: readonly HostileRequest[], who?: 'anonymous'): HostileCase {
  return {
    name: 'random',
    ...(who && { who }),
    request: () => requests[0] as HostileRequest,
    attack: async (attacker) => {
      const responses: HostileResponse[] = [];
      for (const request of requests) responses.push(await send(attacker, request, who));
      return responses.find((response) => !isExpected(ANY, response)) ?? (responses[0] as HostileResponse);
    },
  };
}

/** Clients may end before the server does. */
async function send(attacker: Attacker, request: HostileRequest, who?: 'anonymous'): Promise<HostileResponse> {
  try {
    return await attacker.send(request, who);
  } catch (error) {
    return { status: 0, headers: {}, bytes: 0, start: String(error) };
  }
}

/** The least hold of a few runs, in milliseconds. */
export async function leastHold(
  server: MeasuredServer,
  requests: readonly HostileRequest[],
  who?: 'anonymous',
): Promise<number> {
  const holds: number[] = [];
  for (let run = 0; run < RUNS; run++) holds.push((await server.measure(caseOf(requests, who))).hold);
  return Math.min(...holds);
}

/** A request for messages. */
export function shownRequest({ method, path, headers = {}, body = '' }: HostileRequest): object {
  return {
    ...{ method, path: path.slice(0, 120), pathLength: path.length, bodyLength: body.length },
    body: Buffer.from(body.slice(0, 40)).toString('latin1'),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, `${value.slice(0, 60)} (${value.length})`]),
    ),
  };
}
