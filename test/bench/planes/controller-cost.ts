import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';

/** Deletes a namespace of 100 objects, and an owner of 1,000 dependents, in the background and in the foreground. */
const program = `
  import { startControlPlane } from '@apiserver/envtest';
  await using plane = await startControlPlane();
  const send = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await plane.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return JSON.parse(await response.text());
  };
  const gone = async (path) => {
    for (;;) {
      const response = await plane.fetch(path);
      const { items } = JSON.parse(await response.text());
      if (response.status === 404 || items?.length === 0) return;
    }
  };
  const configMap = (metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const times = { namespace: [], Background: [], Foreground: [] };
  const timed = async (name, run, act) => {
    const begun = performance.now();
    await act();
    if (run >= 0) times[name].push(performance.now() - begun);
  };
  const maps = '/api/v1/namespaces/default/configmaps';
  for (let run = -2; run < Number(process.argv[1]); run++) {
    const name = 'n' + (run + 2);
    await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const content = '/api/v1/namespaces/' + name + '/configmaps';
    for (let index = 0; index < 100; index++) await send('POST', content, configMap({ name: 'map-' + index }));
    await timed('namespace', run, async () => {
      await send('DELETE', '/api/v1/namespaces/' + name);
      await gone('/api/v1/namespaces/' + name);
    });
    for (const propagationPolicy of ['Background', 'Foreground']) {
      const owner = await send('POST', maps, configMap({ name: 'owner' }));
      const { uid } = owner.metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }];
      for (let index = 0; index < 1000; index++) {
        await send('POST', maps, configMap({ name: 'owned-' + index, labels: { owned: 'yes' }, ownerReferences }));
      }
      await timed(propagationPolicy, run, async () => {
        await send('DELETE', maps + '/owner', { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy });
        await gone(maps + '?labelSelector=owned');
        await gone(maps + '/owner');
      });
    }
  }
  console.log(JSON.stringify(times));`;

const rows: readonly (readonly [name: string, key: string, aim: string])[] = [
  ['a namespace of 100 objects', 'namespace', '250'],
  ['an owner of 1,000 dependents, in the background', 'Background', '2000'],
  ['the same in the foreground', 'Foreground', '2000'],
];

/** Measures the time until everything is gone. */
export async function measureControllers(runs: number): Promise<void> {
  const flags = ['--input-type=module', '-e', program, String(runs)];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname });
  const times: Readonly<Record<string, number[]>> = JSON.parse(stdout);
  const measured = rows.map(([name, key, aim]) => {
    const sorted = (times[key] ?? []).toSorted((a, b) => a - b);
    return [name, ...[0.5, 0.9].map((part) => percentile(sorted, part).toFixed(0)), aim];
  });
  printTable(`deletions by controllers, ms, ${runs} runs`, [['', 'median', 'p90', 'aim'], ...measured]);
}
