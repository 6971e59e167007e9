import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacker, type HostileCase, type HostileResponse, KIB, sending } from '../hostile-case.ts';

const FLOW_CONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1';
const MAX_QUEUES = 10_000_000;
/** Milliseconds after which the server uses a new level. */
const TAKEN_OVER = 500;

/** A level without seats of its own, with as many queues as validation allows. */
function level(name: string) {
  const limitResponse = { type: 'Queue', queuing: { queues: MAX_QUEUES, handSize: 1, queueLengthLimit: 50 } };
  const limited = { nominalConcurrencyShares: 0, lendablePercent: 0, limitResponse };
  return { metadata: { name }, spec: { type: 'Limited', limited } };
}

const creating = (name: string) =>
  sending('POST', `${FLOW_CONTROL}/prioritylevelconfigurations`, 'json', JSON.stringify(level(name)));

async function createAndDump(attacker: Attacker, name: string): Promise<HostileResponse> {
  const created = await attacker.send(creating(name));
  if (created.status !== 201) return created;
  await sleep(TAKEN_OVER);
  return attacker.send({ method: 'GET', path: '/debug/api_priority_and_fairness/dump_queues' });
}

/** Objects of priority and fairness that would take very much memory. */
export const FLOW_CONTROL_CASES: readonly HostileCase[] = [
  {
    name: 'a level of ten million queues',
    status: 200,
    // The queues of the other levels.
    maxResponse: 128 * KIB,
    request: creating,
    attack: createAndDump,
  },
];
