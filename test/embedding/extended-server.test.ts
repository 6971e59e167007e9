import { join } from 'node:path';
import { extendAdmission, newAdmissionForbidden } from '@apiserver/admission';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { newServerContext } from '@apiserver/generic-server';
import {
  completeKubeApiServerConfig,
  createServerChain,
  type KubeApiServerConfig,
  KubeApiserverOptions,
  prepareKubeApiServerConfig,
  startKubeApiserver,
} from '@apiserver/kube-apiserver';
import { afterEach, describe, expect, it } from 'vitest';
import { flunders } from '../../examples/sample-apiserver/src/flunder.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const FLUNDERS = '/apis/wardle.example.com/v1/namespaces/default/flunders';
const flunder = { apiVersion: 'wardle.example.com/v1', kind: 'Flunder', metadata: { name: 'one' }, spec: {} };

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

/** A full server in this process and in memory, whose config is changed, with its administrator. */
async function startExtended(configure: (config: KubeApiServerConfig) => void) {
  const dataDirectory = stack.use(temporaryDirectory('extended')).path;
  const server = stack.use(await startKubeApiserver({ dataDirectory, storageBackend: 'memory', configure }));
  const kubeconfig = server.kubeconfigPath ?? '';
  return { kubeconfig, admin: stack.use(new AdminClient(kubeconfig)) };
}

const missing = kubectlMissing();

describe('a full server is extended in code', () => {
  it('by a filter', async () => {
    const { admin } = await startExtended(({ generic }) => {
      generic.adjustFilters = (defaults) => [
        {
          name: 'server-name',
          wrap: (next) => (exchange) => {
            exchange.responseHeaders.set('x-served-by', 'the sea');
            return next(exchange);
          },
        },
        ...defaults,
      ];
    });
    expect((await admin.request('GET', '/api/v1/namespaces/default')).headers['x-served-by']).toBe('the sea');
  });

  it('by an admission function, which runs behind the plugins', async () => {
    const owned: AdmissionPlugin = {
      name: 'Owned',
      handles: (operation, { resource }) => operation === 'CREATE' && resource.resource === 'configmaps',
      admit: ({ object, user }) => {
        if (object !== undefined) object.metadata.labels = { ...object.metadata.labels, owner: user?.name ?? '' };
      },
      validate: (attributes) => {
        if (attributes.name === 'wreck') throw newAdmissionForbidden(attributes, new Error('no wrecks here'));
      },
    };
    const { admin } = await startExtended(({ generic }) => {
      generic.admission = extendAdmission(generic.admission, owned);
    });
    const create = (name: string) =>
      admin.json('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
    expect(await create('boat')).toMatchObject({ metadata: { labels: { owner: 'kubernetes-admin' } } });
    expect(await create('wreck')).toMatchObject({
      code: 403,
      message: 'configmaps "wreck" is forbidden: no wrecks here',
    });
    const lost = await admin.json('POST', '/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'boat' } });
    expect(lost).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
  });

  it.skipIf(missing !== undefined)(`by a group${missing ? ` (skipped: ${missing})` : ''}`, async () => {
    const { admin, kubeconfig } = await startExtended((config) => {
      config.extraGroups = [{ resources: [flunders] }];
    });
    const kubectl = stack.use(new Kubectl(kubeconfig));
    expect(await kubectl.ok(['create', '-f', '-'], JSON.stringify(flunder))).toBe(
      'flunder.wardle.example.com/one created\n',
    );
    expect(await kubectl.ok(['get', 'all,fl', '-o', 'name'])).toContain('flunder.wardle.example.com/one');
    expect(await kubectl.ok(['explain', 'flunders'])).toContain('GROUP:      wardle.example.com');
    const service = await admin.json('GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1.wardle.example.com');
    expect(service).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { groupPriorityMinimum: 1000, versionPriority: 1000 },
    });
    const groups = await admin.json('GET', '/apis');
    expect(JSON.stringify(groups)).toContain('"preferredVersion":{"groupVersion":"wardle.example.com/v1"');
    expect(
      await admin.json('POST', FLUNDERS, { ...flunder, metadata: { name: 'x', labels: { a: '!' } } }),
    ).toMatchObject({
      code: 422,
    });
  });

  it('phase by phase', async () => {
    const options = new KubeApiserverOptions();
    options.data.dataDirectory = join(stack.use(temporaryDirectory('phases')).path, 'data');
    options.data.backend = 'memory';
    options.secureServing.bindAddress = '127.0.0.1';
    options.secureServing.securePort = 0;
    expect(options.validate()).toEqual([]);
    const context = newServerContext({ logger: throwingLogger });
    const { config } = await prepareKubeApiServerConfig(options, context);
    config.extraGroups = [{ resources: [flunders] }];
    const server = createServerChain(completeKubeApiServerConfig(config)).prepareServer();
    const stop = new AbortController();
    const ended = server.run(stop.signal);
    await context.signals.ready.signaled;
    const client = context.loopback.client.resource({
      group: 'wardle.example.com',
      version: 'v1',
      resource: 'flunders',
    });
    expect(await client.create('default', flunder)).toMatchObject({ spec: { referenceType: 'Flunder' } });
    stop.abort();
    await ended;
  });

  it('and closes its stores when the change fails', async () => {
    const dataDirectory = stack.use(temporaryDirectory('failing')).path;
    const start = (configure?: () => void) => startKubeApiserver({ dataDirectory, ...(configure && { configure }) });
    const failing = start(() => {
      throw new Error('no such change');
    });
    await expect(failing).rejects.toThrow('no such change');
    // The lock of the data folder is free again.
    await (await start()).stop();
  });
});
