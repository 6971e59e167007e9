import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startKubeApiserver } from '../start/start-kube-apiserver.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'controllers-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

const PATIENCE = { timeout: 30_000 };
const policies = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' };

/** Starts a server on a store with these objects. */
async function startOn(objects: Readonly<Record<string, object>>, ...flags: readonly string[]) {
  const storage = createMemoryStore();
  for (const [key, object] of Object.entries(objects)) {
    const value = Buffer.from(JSON.stringify(object));
    await storage.commit({ type: 'put', key: `/registry/${key}`, value, expectedRevision: 0 });
  }
  let client: LoopbackClient | undefined;
  const server = await startKubeApiserver({
    dataDirectory,
    storage,
    flags,
    configure: ({ generic }) => {
      client = generic.loopback.client;
    },
  });
  if (client === undefined) throw new Error('not configured');
  return { client, [Symbol.asyncDispose]: () => server.stop() };
}

interface ReportedEvent extends KubeObject {
  readonly reason: string;
  readonly reportingComponent: string;
  readonly source: object;
}

const metadata = (name: string, namespace?: string) => ({
  name,
  namespace,
  uid: `uid-of-${name}`,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

it('reports each fault of services under the name of the controller that found it', async () => {
  const ports = [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 80 }];
  await using server = await startOn({
    'namespaces/default': { apiVersion: 'v1', kind: 'Namespace', metadata: metadata('default') },
    'services/specs/default/outside': {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('outside', 'default'),
      spec: { type: 'NodePort', clusterIP: '10.8.0.5', clusterIPs: ['10.8.0.5'], ipFamilies: ['IPv4'], ports },
    },
    'servicecidrs/kubernetes': {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: metadata('kubernetes'),
      spec: { cidrs: ['10.9.0.0/24'] },
    },
  });
  const reported = async () => {
    const { items } = await server.client.resource({ group: '', version: 'v1', resource: 'events' }).list('', {});
    const events = items.map(({ object }) => object as ReportedEvent);
    return Object.fromEntries(events.map((event) => [event.reason, [event.reportingComponent, event.source]]));
  };
  await vi.waitFor(
    async () =>
      expect(await reported()).toMatchObject({
        ClusterIPOutOfRange: ['ipallocator-repair-controller', {}],
        PortOutOfRange: ['portallocator-repair-controller', { component: 'portallocator-repair-controller' }],
        KubernetesDefaultServiceCIDRInconsistent: [
          'kubernetes-service-cidr-controller',
          { component: 'kubernetes-service-cidr-controller' },
        ],
      }),
    PATIENCE,
  );
});

/** A policy whose expression reads a field that deployments do not have. */
const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
    },
    validations: [{ expression: 'object.spec.none == 1' }],
  },
};

it('checks the types of policies by the OpenAPI of the server', async () => {
  await using server = await startOn({});
  const client = server.client.resource(policies);
  await client.create('', policy);
  await vi.waitFor(async () => {
    expect(await client.get('', 'p')).toMatchObject({
      status: {
        observedGeneration: 1,
        typeChecking: {
          expressionWarnings: [
            {
              fieldRef: 'spec.validations[0].expression',
              warning: expect.stringMatching(/^apps\/v1, Kind=Deployment: ERROR: .*undefined field 'none'/s),
            },
          ],
        },
      },
    });
  }, PATIENCE);
});

/** Operators match them with `--vmodule`. */
const LOGGER_NAMES = [
  ...['aggregator', 'apiextensions', 'controllers', 'encryption', 'flowcontrol', 'httplog', 'identity', 'informer'],
  ...['leader-election', 'manifests', 'namespace-controller', 'openapi', 'policy-status', 'priority-classes', 'rbac'],
  ...['services', 'storage', 'storage-readiness', 'system-namespaces', 'tracing', 'webhooks'],
];

it('names the logger of each component', async () => {
  const names = new Set<string>();
  const logger: Logger = {
    ...silentLogger,
    named(name) {
      names.add(name);
      return logger;
    },
  };
  const flags = ['--controllers=namespace-controller', '--feature-gates=CoordinatedLeaderElection=true'];
  const server = await startKubeApiserver({ dataDirectory, storage: createMemoryStore(), flags, logger });
  const ended = () => server.stop();
  await vi.waitFor(() => expect([...names].sort()).toEqual(LOGGER_NAMES), PATIENCE).finally(ended);
});
