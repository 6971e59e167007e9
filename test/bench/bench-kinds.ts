import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../harness/admin-client.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';

/** A kind whose objects are made, read and listed. */
export interface BenchKind {
  /** The path of its collection in a namespace. */
  readonly collection: (namespace: string) => string;
  /** Object number `index`, as a client would send it. */
  readonly object: (index: number) => unknown;
}

const metadata = (index: number) => ({
  name: `object-${index}`,
  labels: { bench: 'true', shard: String(index % 10) },
});

/** About 1 KiB as JSON. The kind of scenarios without a kind in their name. */
export const configMaps: BenchKind = {
  collection: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  object: (index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(index),
    data: { payload: 'x'.repeat(700), index: String(index) },
  }),
};

/** The same of about 10 KiB. */
export const largeConfigMaps: BenchKind = {
  ...configMaps,
  object: (index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(index),
    data: { payload: 'x'.repeat(9_700) },
  }),
};

/** As a ReplicaSet's pods are: defaults, validation and admission at their longest. */
export const pods: BenchKind = {
  collection: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
  object: (index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(index),
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example.com/bench/main:1.2.3',
          args: ['--verbose', `--index=${index}`],
          env: [
            { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
            { name: 'MODE', value: 'bench' },
          ],
          ports: [{ containerPort: 8080, name: 'http' }],
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
          volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
        },
      ],
      volumes: [{ name: 'scratch', emptyDir: {} }],
    },
  }),
};

const group = 'bench.example.com';

/** A custom resource with a schema, defaults and a status. */
export const widgets: BenchKind = {
  collection: (namespace) => `/apis/${group}/v1/namespaces/${namespace}/widgets`,
  object: (index) => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: metadata(index),
    spec: {
      size: index % 100,
      payload: 'x'.repeat(500),
      parts: Array.from({ length: 5 }, (_, part) => ({ name: `part-${part}`, count: part })),
    },
  }),
};

const part = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, count: { type: 'integer' }, colour: { type: 'string', default: 'grey' } },
};
const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 100 },
    payload: { type: 'string', maxLength: 1000 },
    parts: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: part },
  },
};
const status = { type: 'object', properties: { ready: { type: 'boolean' } } };
const definition = customResourceDefinition(group, 'Widget', { properties: { spec, status } }, { status: {} });

/** Defines the custom resource where it is not, and waits until it is served. */
export async function defineWidgets(client: AdminClient): Promise<void> {
  await client.request('POST', DEFINITIONS, definition);
  for (let tries = 0; tries < 100; tries++) {
    if ((await client.request('GET', widgets.collection('default'))).status === 200) return;
    await sleep(50);
  }
  throw new Error('the custom resource is not served');
}

/** Defines the custom resource while `work` runs, which outlasts an idle connection: each end has one of its own. */
export async function withWidgets<T>(kubeconfig: string, work: () => Promise<T>): Promise<T> {
  {
    using client = new AdminClient(kubeconfig);
    await defineWidgets(client);
  }
  try {
    return await work();
  } finally {
    using client = new AdminClient(kubeconfig);
    await client.request('DELETE', `${DEFINITIONS}/${definition.metadata.name}`);
  }
}
