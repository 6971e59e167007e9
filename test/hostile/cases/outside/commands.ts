import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { Attacker, HostileCase, HostileResponse } from '../../hostile-case.ts';
import { commanded, execHead, makeNode, spdy, startRawBackend } from './raw-backends.ts';

const COMMANDS = 400;
/** Clients that connect together. */
const AT_ONCE = 20;
/** Milliseconds until all commands run, and until all have ended. */
const DEADLINE = 20_000;

/** The status of a command, and the ends of its streams. */
const ENDED = Buffer.concat([
  spdy(1, 1, Buffer.from('{"status":"Success"}')),
  ...[5, 7].map((id) => spdy(id, 1, Buffer.alloc(0))),
]);

async function until(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + DEADLINE; !isTrue() && Date.now() < end; await sleep(20));
}

/** Runs many commands that the kubelet ends in one moment. */
async function endTogether(attacker: Attacker, name: string): Promise<HostileResponse> {
  const running: TLSSocket[] = [];
  using server = await startRawBackend(commanded((socket) => void running.push(socket)));
  await using _node = await makeNode(attacker, name, server.port);
  const clients: TLSSocket[] = [];
  let [bytes, successes] = [0, 0];
  const open = async () => {
    const client = connect({ ...attacker.administrator, ALPNProtocols: ['http/1.1'] });
    clients.push(client);
    client.on('error', () => {});
    client.on('data', (data: Buffer) => {
      bytes += data.length;
      if (data.includes('"Success"')) successes++;
    });
    await once(client, 'secureConnect');
    client.write(execHead(name));
  };
  while (clients.length < COMMANDS) await Promise.all(Array.from({ length: AT_ONCE }, open));
  await until(() => running.length === COMMANDS);
  for (const socket of running) socket.write(ENDED);
  await until(() => successes === COMMANDS);
  for (const client of clients) client.destroy();
  return { status: successes === COMMANDS ? 101 : 0, headers: {}, bytes, start: `${successes} have ended` };
}

/** Many commands at a time. */
export const COMMAND_CASES: readonly HostileCase[] = [
  {
    name: `${COMMANDS} commands that their kubelet ends together`,
    request: () => ({ method: 'GET', path: '/' }),
    attack: endTogether,
    status: 101,
    maxResponse: COMMANDS * 1_024,
  },
];
