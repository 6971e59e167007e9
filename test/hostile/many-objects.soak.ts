import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Attacker, type HostileRequest, type HostileResponse, sending } from './hostile-case.ts';
import { MeasuredServer } from './measured-server.ts';

// Controllers read all objects of a namespace or a kind. They may hold the loop no longer than a request.
const MAX_HOLD_MS = 100;
const OBJECTS = 4_000;
/** Requests under way at once. */
const WIDTH = 32;
const POLL_MS = 200;
const PATIENCE_MS = 120_000;

let server: MeasuredServer;
beforeAll(async () => {
  server = await MeasuredServer.start(['--storage-backend=memory', '--controllers=*']);
});
afterAll(() => server[Symbol.asyncDispose]());

const posted = (path: string, body: object) => sending('POST', path, 'json', JSON.stringify(body));

/** Sends many requests, which must succeed. */
async function fill(attacker: Attacker, request: (index: number) => HostileRequest): Promise<void> {
  const indices = Array.from({ length: OBJECTS }, (_, i) => i).values();
  const send = async () => {
    for (const index of indices) expect(await attacker.send(request(index))).toMatchObject({ status: 201 });
  };
  await Promise.all(Array.from({ length: WIDTH }, send));
}

/** Repeats a request until it has the status. */
async function until(attacker: Attacker, request: HostileRequest, status: number): Promise<HostileResponse> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await attacker.send(request);
    if (response.status === status) return response;
    if (Date.now() > end) throw new Error(`${request.path} stays: ${response.status} ${response.start}`);
    await sleep(POLL_MS);
  }
}

/** Characters of a bookmark. */
const END_LENGTH = 1_000;

const NAMESPACE = '/api/v1/namespaces/crowded';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const get = (path: string): HostileRequest => ({ method: 'GET', path });

async function measured(attack: (attacker: Attacker) => Promise<HostileResponse>): Promise<void> {
  const request = () => ({ method: 'GET', path: '/' });
  const { hold, cpu } = await server.measure({ name: '', request, attack });
  console.log(`soak: ${expect.getState().currentTestName?.padEnd(60)} ${hold} ms of ${cpu.toFixed(0)} ms`);
  expect(hold).toBeLessThan(MAX_HOLD_MS);
}

it('counts the pods of a namespace for a quota', async () => {
  const { attacker } = server;
  await attacker.send(posted('/api/v1/namespaces', { metadata: { name: 'crowded' } }));
  await until(attacker, get(`${NAMESPACE}/serviceaccounts/default`), 200);
  const resources = { requests: { cpu: '1m' }, limits: { memory: '1Mi' } };
  const spec = { containers: [{ name: 'c', image: 'i', resources }] };
  await fill(attacker, (i) => posted(`${NAMESPACE}/pods`, { metadata: { name: `p${i}` }, spec }));
  await measured(async () => {
    const hard = { pods: '10k', 'requests.cpu': '100' };
    await attacker.send(posted(`${NAMESPACE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } }));
    // Refused until the quota has this status.
    const counted = [{ op: 'test', path: '/status/used/pods', value: `${OBJECTS / 1_000}k` }];
    const path = `${NAMESPACE}/resourcequotas/q`;
    return until(attacker, sending('PATCH', path, 'jsonPatch', JSON.stringify(counted)), 200);
  });
});

const WATCHES = 300;
/** Streams of one connection. */
const STREAMS = 100;

it(`sends ${WATCHES} watches the pods that there are`, async () => {
  await measured(async (attacker) => {
    const { administrator } = attacker;
    const { host, port } = administrator;
    const options = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const sessions = Array.from({ length: WATCHES / STREAMS }, () => connect(`https://${host}:${port}`, administrator));
    const isEnded = (session: (typeof sessions)[number]) =>
      new Promise<void>((resolve, reject) => {
        let end = '';
        const stream = session.request({ ':path': `${NAMESPACE}/pods?${options}` }).on('error', reject);
        stream.on('data', (bytes: Buffer) => {
          end = (end + bytes.toString('latin1')).slice(-END_LENGTH);
          if (end.includes('"k8s.io/initial-events-end":"true"')) resolve();
        });
      });
    await Promise.all(sessions.flatMap((session) => Array.from({ length: STREAMS }, () => isEnded(session))));
    for (const session of sessions) session.destroy();
    return attacker.send(get('/readyz'));
  });
});

it('deletes a namespace with its pods', async () => {
  await measured(async (attacker) => {
    await attacker.send({ method: 'DELETE', path: NAMESPACE });
    return until(attacker, get(NAMESPACE), 404);
  });
});

it('deletes a definition with its objects', async () => {
  const { attacker } = server;
  const names = { plural: 'things', kind: 'Thing' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const spec = { group: 'crowded.example.com', scope: 'Namespaced', names, versions };
  await attacker.send(posted(DEFINITIONS, { metadata: { name: 'things.crowded.example.com' }, spec }));
  const things = '/apis/crowded.example.com/v1/namespaces/default/things';
  await until(attacker, get(things), 200);
  const head = { apiVersion: 'crowded.example.com/v1', kind: 'Thing' };
  const filling = 'x'.repeat(500);
  await fill(attacker, (i) => posted(things, { ...head, metadata: { name: `t${i}` }, spec: { filling } }));
  const path = `${DEFINITIONS}/things.crowded.example.com`;
  await measured(async () => {
    await attacker.send({ method: 'DELETE', path });
    return until(attacker, get(path), 404);
  });
});

/** Creates a config map, and returns its UID. */
async function owned(attacker: Attacker, name: string, owner?: Owner): Promise<string> {
  const ownerReferences = owner && [{ apiVersion: 'v1', kind: 'ConfigMap', blockOwnerDeletion: true, ...owner }];
  const { start } = await attacker.send(posted(CONFIG_MAPS, { metadata: { name, ownerReferences } }));
  return /"uid":"([^"]+)"/.exec(start)?.[1] ?? expect.unreachable(start);
}

interface Owner {
  readonly name: string;
  readonly uid: string;
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

it.each(['Background', 'Foreground'])('deletes a chain of owners: %s', async (policy) => {
  let owner: Owner = { name: 'c0', uid: await owned(server.attacker, 'c0') };
  for (let i = 1; i < OBJECTS; i++) owner = { name: `c${i}`, uid: await owned(server.attacker, `c${i}`, owner) };
  await measured(async (attacker) => {
    await attacker.send({ method: 'DELETE', path: `${CONFIG_MAPS}/c0?propagationPolicy=${policy}` });
    return until(attacker, get(`${CONFIG_MAPS}/c${policy === 'Foreground' ? 0 : OBJECTS - 1}`), 404);
  });
});

it.each(['Background', 'Foreground'])('deletes an owner with its dependents: %s', async (policy) => {
  const uid = await owned(server.attacker, 'owner');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', blockOwnerDeletion: true, name: 'owner', uid }];
  await fill(server.attacker, (i) => posted(CONFIG_MAPS, { metadata: { name: `d${i}`, ownerReferences } }));
  await measured(async (attacker) => {
    await attacker.send({ method: 'DELETE', path: `${CONFIG_MAPS}/owner?propagationPolicy=${policy}` });
    for (let i = 0; i < OBJECTS; i++) await until(attacker, get(`${CONFIG_MAPS}/d${i}`), 404);
    return attacker.send(get(`${CONFIG_MAPS}/owner`));
  });
});
