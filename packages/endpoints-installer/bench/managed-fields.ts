// The cost of managed fields, for writes of a ConfigMap of 1 KiB and of a Pod with ten containers:
// npx tsc -b packages/endpoints-installer && node packages/endpoints-installer/bench/managed-fields.ts
// Prints microseconds per write; only compare figures of one run.

import { ConfigMap, Pod } from '@apiserver/api/core/v1';
import type { JsonObject, KubeObject } from '@apiserver/apimachinery';
import { cloneJson, freezeJson } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition, Logger } from '@apiserver/apiserver-contracts';
import { FieldManager } from '../dist/managed-fields/field-manager.js';
import { createCodecCache, createEndpointScope } from '../dist/scope/create-scope.js';

const logger: Logger = { info() {}, warning() {}, error() {}, v: () => undefined, named: () => logger };
const strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: () => [],
  validateUpdate: () => [],
};

function fieldManager(schema: KindSchema) {
  const { group, kind } = schema.gvk;
  const versionDefinition = { version: 'v1', schema };
  const definition: AnyResourceDefinition = {
    group,
    kind,
    listKind: `${kind}List`,
    resource: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    versions: [versionDefinition],
    hubVersion: 'v1',
    storageVersion: 'v1',
    keyPrefix: 'x',
    strategy,
    columns: [],
    subresources: {},
    verbs: [],
    selectableFieldNames: [],
    returnDeletedObject: false,
  };
  const environment = { logger, now: () => Date.now() } as Parameters<typeof createEndpointScope>[0]['environment'];
  const codecFor = createCodecCache();
  const scope = createEndpointScope({
    definition,
    versionDefinition,
    foreignKind: false,
    subresource: '',
    storage: {},
    environment,
    codecFor,
  });
  return { manager: new FieldManager(scope), codec: codecFor(schema) };
}

/** 1 KiB of data in `keys` keys. */
function configMap(keys: number): KubeObject {
  const text = 'x'.repeat(Math.floor(1024 / keys));
  const data = Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key-${i}`, text]));
  const metadata = { name: 'a', namespace: 'n', uid: 'u', labels: { app: 'a', tier: 'b' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

function pod(): KubeObject {
  const containers = Array.from({ length: 10 }, (_, i) => ({
    name: `c${i}`,
    image: 'registry.example.com/image:1',
    ports: [{ containerPort: 8000 + i, protocol: 'TCP' }],
    env: [1, 2, 3].map((n) => ({ name: `NAME_${n}`, value: 'value' })),
    resources: { requests: { cpu: '100m', memory: '1Gi' } },
  }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'n', uid: 'u' }, spec: { containers } };
}

const BATCH = 500;
const BATCHES = 20;

/** Every write gets new objects, as from clients and from the store. Their creation is not measured. */
function microseconds<T>(prepare: (index: number) => T, work: (input: T) => void): string {
  let best = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < BATCHES; batch++) {
    const inputs = Array.from({ length: BATCH }, (_, i) => prepare(i));
    const start = process.hrtime.bigint();
    for (const input of inputs) work(input);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / BATCH);
  }
  return `${best.toFixed(1)} µs`.padStart(10);
}

function measure(
  name: string,
  schema: KindSchema,
  object: KubeObject,
  change: (object: KubeObject, i: number) => void,
) {
  const { manager, codec } = fieldManager(schema);
  const fresh = (): KubeObject => codec.normalize(object);
  const tracked = fresh();
  manager.update(undefined, tracked, 'kubectl');
  const bytes = codec.encodeJson(tracked);
  const read = (): KubeObject => codec.decodeJson(bytes, 'Ignore').object;
  const changed = (i: number): KubeObject => {
    const next = read();
    change(next, i);
    return next;
  };
  const { uid: _uid, ...named } = object.metadata;
  const configuration = { ...cloneJson(object), metadata: named } as unknown as JsonObject;
  const figures = {
    create: microseconds(fresh, (created) => manager.update(undefined, created, 'kubectl')),
    update: microseconds(
      (i) => [freezeJson(read()), changed(i)] as const,
      ([live, next]) => manager.update(live as KubeObject, next, 'kubectl'),
    ),
    'no-op': microseconds(
      () => [freezeJson(read()), read()] as const,
      ([live, next]) => manager.update(live as KubeObject, next, 'kubectl'),
    ),
    'by another manager': microseconds(
      (i) => [freezeJson(read()), changed(i)] as const,
      ([live, next]) => manager.update(live as KubeObject, next, 'other'),
    ),
    apply: microseconds(
      () => freezeJson(read()) as KubeObject,
      (live) => manager.apply(live, { applied: configuration, manager: 'kubectl', force: true }),
    ),
  };
  const shown = Object.entries(figures).map(([what, figure]) => `${what} ${figure}`);
  process.stdout.write(`${name.padEnd(28)} ${shown.join(', ')}\n`);
}

const changeData = (keys: number) => (object: KubeObject, i: number) => {
  object['data'] = { ...(object['data'] as object), [`key-${i % keys}`]: `changed ${i}` };
};
for (const keys of [4, 30]) {
  measure(`ConfigMap of ${keys} keys`, ConfigMap as KindSchema, configMap(keys), changeData(keys));
}
measure('Pod of 10 containers', Pod as KindSchema, pod(), (object, i) => {
  object.metadata.labels = { turn: String(i) };
});
