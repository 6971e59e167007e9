import type { ResourceSlice } from '@apiserver/api/resource/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { storedDefinitions } from './testing/group-dependencies.js';
import { hubOf, smallestObject } from './testing/smallest-object.js';

interface PodSpec {
  readonly containers: { resources?: object }[];
  securityContext?: object;
}

const context = testContext({ namespace: 'ns' });

const kinds = storedDefinitions().filter(({ storedAs, verbs }) => storedAs === undefined && verbs.includes('update'));

function podSpecs(value: unknown): PodSpec[] {
  if (typeof value !== 'object' || value === null) return [];
  return 'containers' in value ? [value as PodSpec] : Object.values(value).flatMap(podSpecs);
}

/** The object as stored, and a copy for changes. */
async function stored(definition: AnyResourceDefinition) {
  const codec = compileKind(hubOf(definition).schema);
  const decode = (object: object) => codec.decodeJson(Buffer.from(JSON.stringify(object)), 'Strict').object;
  const object = smallestObject(definition, codec, 'a');
  Object.assign(object.metadata, { uid: 'u', resourceVersion: '1' });
  if (definition.scope === 'Namespaced') object.metadata.namespace = 'ns';
  for (const spec of podSpecs(object)) spec.securityContext = {};
  await definition.strategy.prepareForCreate?.(context, object);
  const old = decode(object);
  return { old, sent: cloneJson(old), decode };
}

/** The generation after an update, and the errors. */
async function updated({ strategy }: AnyResourceDefinition, object: KubeObject, old: KubeObject) {
  await strategy.prepareForUpdate?.(context, object, old);
  const errors = await strategy.validateUpdate?.(context, object, old);
  return [object.metadata.generation, aggregateFieldErrors(errors ?? [])];
}

const withPods = kinds
  .filter((definition) => podSpecs(smallestObject(definition, compileKind(hubOf(definition).schema), 'a')).length > 0)
  .map((definition) => [definition.kind, definition] as const);

/** Upstream compares by apiequality.Semantic.DeepEqual, to which a nil list equals an empty one. */
it.each(withPods)('an update that only adds empty lists to a pod changes nothing: %s', async (_, definition) => {
  const { old, sent, decode } = await stored(definition);
  for (const spec of podSpecs(sent)) {
    spec.securityContext = { supplementalGroups: [] };
    for (const container of spec.containers) container.resources = { claims: [] };
  }
  const object = decode(sent);
  expect(JSON.stringify(object)).toMatch(/"claims":\[\].*"supplementalGroups":\[\]/);
  expect(await updated(definition, object, old)).toEqual([1, '']);
});

/** The same comparison looks at the values of amounts. */
it.each(withPods)('an update with an amount in another notation changes nothing: %s', async (_, definition) => {
  const { old, sent, decode } = await stored(definition);
  const sized = (object: KubeObject, memory: string) => {
    for (const { containers } of podSpecs(object)) {
      for (const container of containers) container.resources = { limits: { memory }, requests: { memory } };
    }
    return decode(object);
  };
  const before = sized(old, '1Gi');
  expect(await updated(definition, sized(sent, '1073741824'), before)).toEqual([1, '']);
  expect((await updated(definition, sized(sent, '2Gi'), before))[0]).toBe(2);
});

it('an update of a StatefulSet with an amount of a claim in another notation changes nothing', async () => {
  const definition = kinds.find(({ kind }) => kind === 'StatefulSet');
  if (definition === undefined) throw new Error('no StatefulSets');
  const { old, sent, decode } = await stored(definition);
  const claiming = (object: KubeObject, storage: string) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
    const volumeClaimTemplates = [{ metadata: { name: 'c' }, spec }];
    return decode({ ...object, spec: { ...(object as KubeObject & { spec: object }).spec, volumeClaimTemplates } });
  };
  const before = claiming(old, '1Gi');
  expect(await updated(definition, claiming(sent, '1048576Ki'), before)).toEqual([1, '']);
  expect(await updated(definition, claiming(sent, '1073741824'), before)).toEqual([1, '']);
});

it.each<[string, Partial<ResourceSlice['spec']>, string]>([
  ['lacks devices', { devices: [] }, ''],
  ['lacks counters', { sharedCounters: [] }, ''],
  [
    'lacks both in lists',
    { devices: [], sharedCounters: [] },
    'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
  ],
])('an update of a slice that %s', async (_, spec, message) => {
  const definition = kinds.find(({ kind }) => kind === 'ResourceSlice');
  if (definition === undefined) throw new Error('no slices');
  const { old, sent, decode } = await stored(definition);
  const object = decode({ ...sent, spec: { ...(sent as ResourceSlice).spec, ...spec } });
  expect(await updated(definition, object, old)).toEqual([1, message]);
});

const WEBHOOK = {
  name: 'a.b.c',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://a.b/c' },
};

const podSelector = {};
const POLICY = { spec: { podSelector } };

/** Upstream compares these by reflect.DeepEqual. */
it.each<[string, readonly [before: object, change: object], number]>([
  ['NetworkPolicy', [POLICY, { spec: { podSelector, ingress: [] } }], 2],
  ['NetworkPolicy', [POLICY, { spec: { podSelector: { matchLabels: {} } } }], 2],
  ['NetworkPolicy', [POLICY, { metadata: { name: 'a', namespace: 'ns', labels: {}, finalizers: [] } }], 1],
  // A default replaces these.
  ['NetworkPolicy', [POLICY, { spec: { podSelector, policyTypes: [] } }], 1],
  ['MutatingWebhookConfiguration', [{}, { webhooks: [] }], 2],
  ['ValidatingWebhookConfiguration', [{ webhooks: [WEBHOOK] }, { webhooks: [{ ...WEBHOOK, rules: [] }] }], 2],
  ['ValidatingWebhookConfiguration', [{}, { metadata: { name: 'a', annotations: {} } }], 1],
])('an update of a %s that only adds empty lists or maps: %j', async (kind, [before, change], generation) => {
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) throw new Error(`no ${kind}`);
  const { old, sent, decode } = await stored(definition);
  const live = decode({ ...old, ...before });
  const object = decode({ ...sent, ...before, ...change });
  object.metadata.generation = 1;
  expect(cloneJson(object)).toMatchObject(before);
  expect((await updated(definition, object, live))[0]).toBe(generation);
});
