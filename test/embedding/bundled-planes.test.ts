import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/**
 * Runs a program that gets what `npm run build` made: the entry of @apiserver/envtest is a bundle with its own copy of
 * all packages.
 */
function run(program: string, flags: readonly string[] = []): unknown {
  const args = [...flags, '--input-type=module', '-e', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }));
}

it('runs from bytecode, and from a module or a script', () => {
  const program = `
    import { createRequire } from 'node:module';
    import * as imported from '@apiserver/envtest';
    const require = createRequire(import.meta.url);
    const entry = require.resolve('@apiserver/envtest');
    const { Bundle } = require(entry.replace('index.cjs', 'loader.cjs'));
    console.log(JSON.stringify([
      new Bundle(entry.replace('index.cjs', '')).hasBytecode('envtest.cjs'),
      require('@apiserver/envtest').startControlPlane === imported.startControlPlane,
      await imported.startControlPlane({ wrong: 1 }).catch((error) => error instanceof imported.ControlPlaneError),
    ]));`;
  expect(run(program)).toEqual([true, true, true]);
});

it('takes what a program has made with other packages', () => {
  const program = `
    import { CoreV1Api } from '@kubernetes/client-node';
    import { newForbidden, newNotFound } from '@apiserver/apimachinery/errors';
    import { createMemoryStore } from '@apiserver/registry-store/memory';
    import { startControlPlane } from '@apiserver/envtest';
    const maps = '/api/v1/namespaces/default/configmaps';
    const refusing = (error) => ({ name: 'refusing', wrap: (next) => async (exchange) => {
      if (exchange.request.url.includes('refused')) throw error;
      return next(exchange);
    } });
    await using plane = await startControlPlane({
      storage: createMemoryStore(),
      objects: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } },
      configure(config) {
        config.generic.adjustFilters = (filters) => [...filters, refusing(newForbidden({ group: '', resource: 'x' }, 'y', 'no'))];
      },
    });
    const refused = await plane.fetch(maps + '/refused');
    const snapshot = plane.snapshot();
    await using other = await startControlPlane({ from: snapshot });
    const map = await other.client(CoreV1Api).readNamespacedConfigMap({ namespace: 'default', name: 'made' });
    const version = await (await other.fetch('/version')).json();
    console.log(JSON.stringify([refused.status, (await refused.json()).message, map.metadata.name, version.gitVersion]));`;
  expect(run(program)).toEqual([403, 'x "y" is forbidden: no', 'made', expect.stringMatching(/^v1\.36\.\d+/)]);
});

it('runs its controllers', () => {
  const program = `
    import { startControlPlane } from '@apiserver/envtest';
    const faults = [];
    const report = (error) => {
      if (error instanceof TypeError || error instanceof ReferenceError) faults.push(String(error));
    };
    const logger = { info() {}, warning() {}, error: report, v: () => undefined, named: () => logger };
    await using plane = await startControlPlane({ logger });
    const map = (metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const [owner] = await plane.install(map({ name: 'owner' }));
    const { uid } = owner.metadata;
    await plane.install(map({ name: 'one', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }] }));
    const maps = '/api/v1/namespaces/default/configmaps';
    await plane.fetch(maps + '/owner', { method: 'DELETE' });
    for (let tries = 0; tries < 600 && faults.length === 0; tries++) {
      if ((await plane.fetch(maps + '/one')).status === 404) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    console.log(JSON.stringify([(await plane.fetch(maps + '/one')).status, faults]));`;
  expect(run(program)).toEqual([404, []]);
});

/** The young generation is collected when the program says so, and has room for all that a plane allocates. */
const young = [
  '--expose-gc',
  '--no-allocation-site-pretenuring',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

it('leaves nothing of an ended plane that a collection of the young generation does not free', () => {
  const program = `
    import { setImmediate as turn } from 'node:timers/promises';
    import { startControlPlane } from '@apiserver/envtest';
    const crds = ['As', 'Bs'].map((kind) => ({
      apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',
      metadata: { name: kind.toLowerCase() + '.example.com' },
      spec: {
        group: 'example.com', scope: 'Namespaced', names: { plural: kind.toLowerCase(), kind },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }));
    await using plane = await startControlPlane({ crds });
    const use = async (other) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
      await (await other.fetch('/api/v1/namespaces/default/configmaps', { method: 'POST', headers, body })).text();
      await (await other.fetch('/api/v1/namespaces/default')).text();
      await other.stop();
      for (let i = 0; i < 10; i++) await turn();
    };
    const size = () => process.memoryUsage().heapUsed;
    const share = async (start) => {
      // Feedback of the first calls keeps what they called.
      for (let i = 0; i < 30; i++) await use(await start());
      gc();
      const shares = [];
      for (let i = 0; i < 9; i++) {
        for (let j = 0; j < 2; j++) gc({ type: 'minor' });
        const before = size();
        await use(await start());
        const allocated = size() - before;
        gc({ type: 'minor' });
        shares.push((size() - before) / allocated);
      }
      return shares.sort((a, b) => a - b)[4];
    };
    console.log(JSON.stringify([await share(() => plane.fork()), await share(() => startControlPlane())]));`;
  const leftIn = (): number => {
    const shares = run(program, young);
    expect(shares).toEqual([expect.any(Number), expect.any(Number)]);
    return Math.max(...(shares as number[]));
  };
  // One path from an old object to the plane leaves 0.2 of all that it allocates, in every process. In some processes
  // V8 keeps a last closure of its own accord.
  let least = leftIn();
  for (let others = 0; others < 4 && least >= 0.1; others++) least = Math.min(least, leftIn());
  expect(least).toBeLessThan(0.1);
}, 240_000);
