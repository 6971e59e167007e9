import { reportSoak, soakShare } from '@apiserver/registry-store/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { Random } from '../../watch/random.ts';
import { caseOf, leastHold, shownRequest } from '../find-holds.ts';
import { isExpected, sending } from '../hostile-case.ts';
import { MeasuredServer } from '../measured-server.ts';
import { ATTACKED_DEFINITION, attackedKinds, NAMESPACE } from './attacked-kinds.ts';
import { type AttackedKind, type RandomWrites, WritesOfKind } from './random-writes.ts';

/** The bound of docs/security.md, in milliseconds. */
const MAX_HOLD = 100;
/** Samples that are measured together. */
const AT_ONCE = 4;

/** `SOAK_KIND`: a part of the paths of the only kinds under attack. */
const KINDS = attackedKinds().filter(({ path }) => path.includes(process.env['SOAK_KIND'] ?? ''));

let server: MeasuredServer;
beforeAll(async () => {
  server = await MeasuredServer.start();
  const made = [
    ['/api/v1/namespaces', { metadata: { name: NAMESPACE } }],
    [`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } }],
    [DEFINITIONS, ATTACKED_DEFINITION],
  ] as const;
  for (const [path, body] of made) await server.attacker.send(sending('POST', path, 'json', JSON.stringify(body)));
});
afterAll(() => server[Symbol.asyncDispose]());

/** The requests of a sample that hold the loop for too long, each with its hold in a sequence that is sent again. */
async function culprits({ requests }: RandomWrites): Promise<readonly object[]> {
  const found: object[] = [];
  for (const request of requests) {
    const { hold, response } = await server.measure(caseOf([request]));
    if (hold > MAX_HOLD) found.push({ hold, status: response.status, ...shownRequest(request) });
  }
  return found;
}

function sampleOf(sample: number): RandomWrites {
  const kind = KINDS[sample % KINDS.length] as AttackedKind;
  return new WritesOfKind(new Random(sample), kind, `r${sample}`).made();
}

/** The faults of one sample. */
async function faultsOf(sample: number): Promise<readonly object[]> {
  const writes = sampleOf(sample);
  const { title, requests } = writes;
  const hostile = caseOf(requests);
  const { response } = await server.measure(hostile);
  const { status, start } = response;
  const failed = isExpected(hostile, response) ? [] : [{ sample, title, status, start }];
  const hold = await leastHold(server, requests);
  if (hold <= MAX_HOLD) return failed;
  return [...failed, { sample, title, hold, culprits: await culprits(writes) }];
}

it('no body of repeated pieces holds the event loop', async () => {
  const { seconds, seed } = soakShare();
  const end = performance.now() + seconds * 1_000;
  const found: object[] = [];
  let sample = seed;
  while (performance.now() < end) {
    const samples = Array.from({ length: AT_ONCE }, () => sample++);
    const all = caseOf(samples.flatMap((one) => sampleOf(one).requests));
    const { hold, response } = await server.measure(all);
    if (hold <= MAX_HOLD && isExpected(all, response)) continue;
    for (const one of samples) {
      const faults = await faultsOf(one);
      for (const fault of faults) console.log(JSON.stringify(fault));
      found.push(...faults);
    }
  }
  reportSoak(`${sample - seed} bodies of repeated pieces, ${found.length} held the loop or failed`);
  expect(found, `--seed=${seed}`).toEqual([]);
});
