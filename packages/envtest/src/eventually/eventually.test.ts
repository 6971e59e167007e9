import { afterAll, expect, it } from 'vitest';
import { ControlPlaneError, eventually, startControlPlane } from '../index.js';
import { PlaneChanges } from './plane-changes.js';

const plane = await startControlPlane({ controllers: [], clock: 'held' });
afterAll(() => plane.stop());
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** A check that succeeds once `isTrue` says so, and the number of its runs. */
function counted(isTrue: () => boolean | Promise<boolean>) {
  const runs = { count: 0 };
  const check = async () => {
    runs.count++;
    if (!(await isTrue())) throw new Error(`not yet ${runs.count}`);
    return runs.count;
  };
  return { check, runs };
}

it('resolves with the result of the first check that returns', async () => {
  expect(await plane.eventually(() => 7)).toBe(7);
  expect(await eventually(async () => 'now', { plane, timeout: 1 })).toBe('now');
});

it('checks again when an object is written, whatever the time of the plane', async () => {
  const { check, runs } = counted(async () => (await plane.find(configMap('late'))) !== undefined);
  const found = plane.eventually(check, { timeout: '1m' });
  await expect.poll(() => runs.count).toBeGreaterThanOrEqual(5);
  const before = runs.count;
  await plane.install(configMap('late'));
  await found;
  expect(runs.count).toBeLessThanOrEqual(before + 2);
});

it('checks again when another client has its response', async () => {
  const seen = plane.requests().length;
  const requested = plane.eventually(() => plane.requests({ verb: 'list', name: '' }).length > seen, { timeout: '1m' });
  await plane.fetch(configMaps);
  expect(await requested).toBe(true);
});

it('notices what follows a change elsewhere', async () => {
  let isDone = false;
  const done = plane.eventually(() => isDone, { timeout: '1m' });
  await plane.install(configMap('cause'));
  setTimeout(() => {
    isDone = true;
  }, 50);
  expect(await done).toBe(true);
});

it('does bounded work while nothing changes, even if the check sends requests', async () => {
  const { check, runs } = counted(async () => (await plane.fetch('/version')).status === 599);
  await expect(plane.eventually(check, { timeout: 300 })).rejects.toThrow(ControlPlaneError);
  expect(runs.count).toBeLessThan(10);
});

it('fails with the last failure', async () => {
  const failing = plane.eventually(() => expect({ a: 1 }).toEqual({ a: 2 }), { timeout: '20ms' });
  await expect(failing).rejects.toThrow(
    /^not within 20ms \(\d+ checks\): expected \{ a: 1 \} to deeply equal \{ a: 2 \}/,
  );
  await expect(failing).rejects.toMatchObject({ cause: { actual: { a: 1 }, expected: { a: 2 } } });
  await expect(plane.eventually(() => false, { timeout: 1 })).rejects.toThrow('the check returned false');
  await expect(plane.eventually(() => new Promise(() => {}), { timeout: 5 })).rejects.toThrow(
    'not within 5 ms (one check): the check has not returned',
  );
  await expect(plane.eventually(() => true, { timeout: 'soon' })).rejects.toThrow(ControlPlaneError);
  const misspelt = JSON.parse('{"timout":1}');
  await expect(plane.eventually(() => true, misspelt)).rejects.toThrow(
    'options of eventually.timout: unknown field (known: timeout)',
  );
});

it('follows the plane no longer than its check', () => {
  const following = new Set<string>();
  const follow = (name: string) => {
    following.add(name);
    return () => following.delete(name);
  };
  const changes = new PlaneChanges({
    store: {
      watch: () => {
        const close = follow('store');
        return { revision: 1, catchUp: () => undefined, close };
      },
    },
    requests: { lastNumber: 0, subscribe: () => follow('requests') },
  });
  expect([...following]).toEqual(['store', 'requests']);
  changes[Symbol.dispose]();
  expect([...following]).toEqual([]);
});

it('finds objects of any kind and version', async () => {
  const scaler = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'scaler' },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  };
  await plane.install(scaler);
  plane.clearRequests();
  expect(await plane.find(scaler)).toMatchObject(scaler);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', namespace: 'ignored' } };
  expect(await plane.find(namespace)).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } });
  expect(await plane.find(configMap('absent'))).toBeUndefined();
  await expect(plane.find({ ...scaler, kind: 'Nothing' })).rejects.toThrow('does not serve autoscaling/v1 Nothing');
  await expect(plane.find({ ...scaler, metadata: {} })).rejects.toThrow('an object without a name');
  expect(plane.requests()).toEqual([]);
});
