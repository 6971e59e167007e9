import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AssembledServer, assembledServer } from './assembled-server.ts';
import { object, paths } from './objects.ts';

const GROUP = 'coordination.k8s.io';
const VERSION = `${GROUP}/v1beta1`;
const RUNTIME_CONFIG = `--runtime-config=${VERSION}=true`;
const HOOK = 'poststarthook/start-kube-apiserver-coordinated-leader-election-controller';
const CANDIDATES = `/apis/${VERSION}/namespaces/default/leasecandidates`;
const LEASES = paths.inGroup(GROUP, 'default', 'leases');
/** Elections after a death take the rest of the lease, a look and the time for responses: 12 seconds. */
const TIMEOUT = 60_000;

const now = () => new Date().toISOString().replace('Z', '000Z');

const candidate = (name: string, emulationVersion: string) =>
  object(VERSION, 'LeaseCandidate', name, {
    spec: {
      leaseName: 'work',
      binaryVersion: '1.36.0',
      emulationVersion,
      strategy: 'OldestEmulationVersion',
      renewTime: now(),
    },
  });

/** Responds to pings and renews the lease as client-go does, until the signal aborts. */
async function live(server: AssembledServer, name: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { body: self } = await server.ask('GET', `${CANDIDATES}/${name}`);
    const isAsked = self.spec.pingTime > self.spec.renewTime;
    if (isAsked) {
      await server.ask('PUT', `${CANDIDATES}/${name}`, { ...self, spec: { ...self.spec, renewTime: now() } });
    }
    const { code, body: lease } = await server.ask('GET', `${LEASES}/work`);
    const { holderIdentity, preferredHolder } = lease.spec ?? {};
    if (code === 200 && holderIdentity === name && preferredHolder === undefined) {
      const spec = { ...lease.spec, renewTime: now(), leaseDurationSeconds: 2 };
      await server.ask('PUT', `${LEASES}/work`, { ...lease, spec });
    }
    await sleep(200);
  }
}

describe('a server with coordinated leader election', () => {
  const server = assembledServer('--feature-gates=CoordinatedLeaderElection=true', RUNTIME_CONFIG);
  const holder = async () => (await server.ask('GET', `${LEASES}/work`)).body.spec?.holderIdentity;

  it('holds elections by a lease of its own', async () => {
    const own = `${paths.inGroup(GROUP, 'kube-system', 'leases')}/leader-election-controller`;
    await server.until(200, () => server.ask('GET', own));
    expect((await server.ask('GET', own)).body.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^.+_[0-9a-f-]{36}$/),
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    const metrics = (await server.ask('GET', '/metrics')).body;
    expect(metrics).toContain('leader_election_master_status{name="leader-election-controller"} 1\n');
    expect(metrics).toContain('workqueue_adds_total{name="leader-election-controller"}');
    expect((await server.ask('GET', '/readyz?verbose')).body).toContain(`[+]${HOOK} ok`);
  });

  it(
    'elects the older of two candidates, and the other one when the first dies',
    async () => {
      const [older, newer] = [new AbortController(), new AbortController()];
      await server.make(CANDIDATES, candidate('newer', '1.36.0'));
      await expect.poll(holder, { timeout: TIMEOUT }).toBe('newer');
      await server.make(CANDIDATES, candidate('older', '1.35.0'));
      const lives = [live(server, 'older', older.signal), live(server, 'newer', newer.signal)];
      await expect.poll(holder, { timeout: TIMEOUT }).toBe('older');
      older.abort();
      await expect.poll(holder, { timeout: TIMEOUT }).toBe('newer');
      newer.abort();
      await Promise.all(lives);
    },
    2 * TIMEOUT,
  );
});

describe('a server without the feature', () => {
  const server = assembledServer(RUNTIME_CONFIG);

  it('serves candidates by the runtime config, and elects nobody', async () => {
    await server.make(CANDIDATES, candidate('a', '1.36.0'));
    const lease = object(`${GROUP}/v1`, 'Lease', 'other', { spec: { strategy: 'OldestEmulationVersion' } });
    expect((await server.make(LEASES, lease)).spec).toEqual({});
    expect((await server.ask('GET', `/readyz?verbose`)).body).not.toContain(HOOK);
    const { body } = await server.ask('GET', LEASES);
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['other']);
  });
});

describe('a server with the feature and without its kind', () => {
  const server = assembledServer('--feature-gates=CoordinatedLeaderElection=true');

  it('keeps the fields of leases, and becomes ready', async () => {
    await server.until(200, () => server.ask('GET', '/readyz'));
    const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'a' };
    expect((await server.make(LEASES, object(`${GROUP}/v1`, 'Lease', 'kept', { spec }))).spec).toEqual(spec);
    expect((await server.ask('GET', CANDIDATES)).code).toBe(404);
  });
});
