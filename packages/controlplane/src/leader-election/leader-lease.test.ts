import type { Lease } from '@apiserver/api/coordination/v1';
import { newAlreadyExists } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it, vi } from 'vitest';
import { at, NOW } from '../testing/election-fixtures.js';
import { fakeClient } from '../testing/fake-client.js';
import { LeaderLease } from './leader-lease.js';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

function setUp() {
  const clock = new ManualClock(NOW);
  const { logger, lines } = createTestLogger();
  const leases: ResourceClient<Lease> = fakeClient().resource(LEASES);
  const reads = vi.fn((namespace: string, name: string) => leases.get(namespace, name));
  const client: Pick<ResourceClient<Lease>, 'get' | 'create' | 'update'> = {
    get: reads,
    create: (namespace, lease) => leases.create(namespace, lease),
    update: (namespace, lease) => leases.update(namespace, lease),
  };
  const onSlowRenewal = vi.fn();
  const leaseOf = (identity: string) =>
    new LeaderLease({
      client,
      namespace: 'kube-system',
      name: 'l',
      identity,
      leaseDuration: 15_900,
      onSlowRenewal,
      clock,
      logger,
    });
  const stored = async () => (await leases.get('kube-system', 'l')).spec;
  return { clock, lines, leases, reads, onSlowRenewal, leaseOf, stored };
}

/** A lease of another process, which it took 100 seconds ago. */
function foreign(changes: Partial<Lease['spec']> = {}, ...absent: (keyof Lease['spec'])[]): Lease {
  const held = { holderIdentity: 'b', leaseDurationSeconds: 15, acquireTime: at(-100), renewTime: at(-100) };
  const spec: Lease['spec'] = { ...held, leaseTransitions: 3, ...changes };
  for (const name of absent) delete spec[name];
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'kube-system', name: 'l', labels: { kept: 'yes' } },
    spec,
  };
}

describe('acquireOrRenew', () => {
  it('creates a lease, of whole seconds', async () => {
    const { leases, leaseOf } = setUp();
    const lease = leaseOf('a');
    expect([lease.isOwn, await lease.acquireOrRenew(), lease.isOwn]).toEqual([false, true, true]);
    const { apiVersion, kind, metadata, spec } = await leases.get('kube-system', 'l');
    expect([apiVersion, kind, metadata.name, metadata.namespace]).toEqual([
      ...['coordination.k8s.io/v1', 'Lease', 'l', 'kube-system'],
    ]);
    const times = { acquireTime: at(0), renewTime: at(0) };
    expect(spec).toEqual({ holderIdentity: 'a', leaseDurationSeconds: 15, ...times, leaseTransitions: 0 });
  });

  it('renews its lease without a read, as long as it is valid', async () => {
    const { clock, leaseOf, reads, stored, onSlowRenewal } = setUp();
    const lease = leaseOf('a');
    await lease.acquireOrRenew();
    reads.mockClear();
    clock.advance(14_999);
    expect([await lease.acquireOrRenew(), reads.mock.calls.length, onSlowRenewal.mock.calls.length]).toEqual([
      ...[true, 0, 0],
    ]);
    expect(await stored()).toMatchObject({ acquireTime: at(0), leaseTransitions: 0 });
    reads.mockClear();
    clock.advance(15_000);
    expect([await lease.acquireOrRenew(), reads.mock.calls.length, onSlowRenewal.mock.calls.length]).toEqual([
      ...[true, 1, 1],
    ]);
    expect(await stored()).toMatchObject({ holderIdentity: 'a', acquireTime: at(0), leaseTransitions: 0 });
  });

  it('waits for another holder from the moment at which it saw the last renewal', async () => {
    const { clock, leases, leaseOf, stored } = setUp();
    await leases.create('kube-system', foreign());
    const lease = leaseOf('a');
    expect(await lease.acquireOrRenew()).toBe(false);
    clock.advance(14_999);
    expect(await lease.acquireOrRenew()).toBe(false);
    // A renewal, although its time is long past.
    const seen = await leases.get('kube-system', 'l');
    await leases.update('kube-system', { ...seen, spec: { ...seen.spec, renewTime: at(-90) } });
    expect(await lease.acquireOrRenew()).toBe(false);
    clock.advance(14_999);
    expect([await lease.acquireOrRenew(), lease.isOwn]).toEqual([false, false]);
    clock.advance(1);
    expect([await lease.acquireOrRenew(), lease.isOwn]).toEqual([true, true]);
    expect((await leases.get('kube-system', 'l')).metadata.labels).toEqual({ kept: 'yes' });
    const { acquireTime, renewTime, ...held } = await stored();
    expect(held).toEqual({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 4 });
    expect([acquireTime, Date.parse(acquireTime ?? '')]).toEqual([renewTime, NOW + 29_999]);
  });

  it('waits for the whole duration again when the clock was set back', async () => {
    const { clock, leases, leaseOf } = setUp();
    await leases.create('kube-system', foreign());
    const lease = leaseOf('a');
    await lease.acquireOrRenew();
    clock.setBack(3_600_000);
    expect(await lease.acquireOrRenew()).toBe(false);
    clock.advance(14_999);
    expect(await lease.acquireOrRenew()).toBe(false);
    clock.advance(1);
    expect(await lease.acquireOrRenew()).toBe(true);
  });

  it.each([
    ['has no holder', foreign({ holderIdentity: '' }), 4],
    ['has neither holder nor transitions', foreign({}, 'holderIdentity', 'leaseTransitions'), 1],
  ])('takes a lease at once that %s', async (_what, lease, leaseTransitions) => {
    const { leases, leaseOf, stored, onSlowRenewal } = setUp();
    await leases.create('kube-system', lease);
    expect(await leaseOf('a').acquireOrRenew()).toBe(true);
    expect(await stored()).toMatchObject({ holderIdentity: 'a', acquireTime: at(0), leaseTransitions });
    expect(onSlowRenewal).not.toHaveBeenCalled();
  });

  it('takes a lease without a duration at once', async () => {
    const { leases, leaseOf } = setUp();
    await leases.create('kube-system', foreign({}, 'leaseDurationSeconds'));
    expect(await leaseOf('a').acquireOrRenew()).toBe(true);
  });

  it('goes on with its lease of an earlier run', async () => {
    const { leases, leaseOf, stored, onSlowRenewal } = setUp();
    await leases.create('kube-system', foreign({ holderIdentity: 'a' }));
    expect(await leaseOf('a').acquireOrRenew()).toBe(true);
    expect(await stored()).toMatchObject({ acquireTime: at(-100), renewTime: at(0), leaseTransitions: 3 });
    expect(onSlowRenewal).toHaveBeenCalledTimes(1);
  });

  it('gets an acquire time if its lease has none', async () => {
    const { leases, leaseOf, stored } = setUp();
    await leases.create('kube-system', foreign({ holderIdentity: 'a' }, 'acquireTime'));
    await leaseOf('a').acquireOrRenew();
    expect(await stored()).toMatchObject({ acquireTime: at(0) });
  });

  it.each(['get', 'create'] as const)('fails and logs it if the server does: %s', async (verb) => {
    const { leases, leaseOf, lines } = setUp();
    leases[verb] = () => Promise.reject(new Error('no storage'));
    expect(await leaseOf('a').acquireOrRenew()).toBe(false);
    const message = 'Failed to acquire or renew the lease';
    expect(lines).toEqual([{ level: 'error', message, fields: { lease: 'l' }, error: new Error('no storage') }]);
  });

  it('loses against another process that creates the lease', async () => {
    const { leases, leaseOf } = setUp();
    leases.create = () => Promise.reject(newAlreadyExists(LEASES, 'l'));
    const lease = leaseOf('a');
    expect([await lease.acquireOrRenew(), lease.isOwn]).toEqual([false, false]);
  });
});

describe('release', () => {
  it('leaves the lease of another process alone', async () => {
    const { leases, leaseOf, stored, lines } = setUp();
    await leases.create('kube-system', foreign());
    await leaseOf('a').release();
    expect([await stored(), lines]).toEqual([foreign().spec, []]);
  });

  it('keeps the number of transitions', async () => {
    const { clock, leases, leaseOf, stored } = setUp();
    await leases.create('kube-system', foreign({ holderIdentity: 'a' }));
    clock.advance(2_000);
    await leaseOf('a').release();
    const times = { acquireTime: at(2), renewTime: at(2) };
    expect(await stored()).toEqual({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 3, ...times });
  });

  it('has nothing to do without a lease, and logs other failures', async () => {
    const { leases, leaseOf, lines } = setUp();
    await leaseOf('a').release();
    expect(lines).toEqual([]);
    leases.get = () => Promise.reject(new Error('no storage'));
    await leaseOf('a').release();
    const message = 'Failed to release the lease';
    expect(lines).toEqual([{ level: 'error', message, fields: { lease: 'l' }, error: new Error('no storage') }]);
  });
});
