import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Runs a program that gets what `npm run build` made: the entry of @apiserver/envtest is a bundle with its own copy of all packages. */
function run(program: string): unknown {
  const args = ['--input-type=module', '-e', program];
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
