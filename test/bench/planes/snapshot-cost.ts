import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';

/** A plane of 1,000 objects and 20 definitions: half of the objects are custom resources. */
const program = `
  import { startControlPlane } from '@apiserver/envtest';
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } } },
  } } };
  const kinds = Array.from({ length: 20 }, (_, index) => ({ plural: 'kinds' + index, kind: 'Kind' + index }));
  const crds = kinds.map((names) => ({
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',
    metadata: { name: names.plural + '.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  }));
  const objects = Array.from({ length: 1000 }, (_, index) => {
    const metadata = { name: 'object-' + index, namespace: 'default' };
    return index % 2 === 0
      ? { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(500) } }
      : { apiVersion: 'example.com/v1', kind: kinds[index % 20].kind, metadata, spec: { size: index, color: 'red' } };
  });
  await using plane = await startControlPlane({ crds, objects });
  const maps = '/api/v1/namespaces/default/configmaps';
  const headers = { 'content-type': 'application/json' };
  const times = { snapshot: [], restore: [], 'restore all': [], fork: [], 'first response': [], stop: [] };
  const timed = async (name, run, act) => {
    const begun = performance.now();
    const result = await act();
    if (run >= 0) times[name].push(performance.now() - begun);
    return result;
  };
  const change = async () => {
    for (let index = 0; index < 10; index++) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'new-' } });
      await (await plane.fetch(maps, { method: 'POST', headers, body })).text();
    }
  };
  const kept = plane.snapshot();
  for (let run = -3; run < Number(process.argv[1]); run++) {
    await change();
    const snapshot = await timed('snapshot', run, async () => plane.snapshot());
    await change();
    await timed('restore', run, () => plane.restore(snapshot));
    await (await plane.fetch(maps, { method: 'DELETE' })).text();
    await timed('restore all', run, () => plane.restore(kept));
    const fork = await timed('fork', run, () => plane.fork());
    await timed('first response', run, async () => (await fork.fetch('/apis/example.com/v1/kinds7')).text());
    await timed('stop', run, () => fork.stop());
  }
  console.log(JSON.stringify(times));`;

const aims: Readonly<Record<string, string>> = {
  snapshot: '1',
  restore: '10',
  'restore all': '10',
  fork: '10',
  stop: '5',
};

/**
 * Measures snapshots of a plane with 1,000 objects and 20 definitions. A restore undoes 10 creations; "all", 500
 * deletions.
 */
export async function measureSnapshots(runs: number): Promise<void> {
  const flags = ['--input-type=module', '-e', program, String(runs)];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname });
  const times: Readonly<Record<string, number[]>> = JSON.parse(stdout);
  const rows = Object.entries(times).map(([name, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return [name, ...[0, 0.5, 0.9].map((part) => percentile(sorted, part).toFixed(2)), aims[name] ?? ''];
  });
  printTable(`snapshots of 1,000 objects and 20 definitions, ms, ${runs} runs`, [
    ['', 'best', 'median', 'p90', 'aim'],
    ...rows,
  ]);
}
