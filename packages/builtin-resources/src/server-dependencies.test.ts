import { StatefulSet } from '@apiserver/api/apps/v1';
import { Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { KindSchema, Schema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { statefulSets } from './apps/stateful-set/index.js';
import { events } from './core/event/index.js';
import { pods } from './core/pod/index.js';
import { events as newEvents } from './events/event/index.js';
import { storedDefinitions, testGroupDependencies } from './testing/group-dependencies.js';
import { objectWithPodSpec, POD_KINDS } from './testing/object-with-pod-spec.js';

const context = testContext({ namespace: 'ns' });

function decoded(definition: AnyResourceDefinition, schema: KindSchema, sent: object): KubeObject {
  const codec = compileKind(schema);
  const { object } = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict');
  codec.applyDefaults(object);
  definition.versions[0]?.applyDefaults?.(object);
  return object;
}

const PRIVILEGED = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };

/** Reports whether objects have the specification of a pod. */
function hasPods(schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  switch (schema.type) {
    case 'struct':
      return schema.goName === 'v1.PodSpec' || schema.fields.some((field) => hasPods(field.schema, seen));
    case 'list':
    case 'map':
      return hasPods(schema.element, seen);
    default:
      return false;
  }
}

describe('privileged containers', () => {
  const faults = (allowPrivileged: boolean, securityContext: object) => {
    const definition: AnyResourceDefinition = pods(testGroupDependencies({ containers: { allowPrivileged } }));
    const spec = { containers: [{ name: 'c', image: 'i', securityContext }] };
    const pod = decoded(definition, Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'ns' },
      spec,
    });
    return [
      definition.strategy.validate(context, pod),
      definition.subresources['resize']?.strategy.validateUpdate(context, { ...pod }, cloneJson(pod)) ?? [],
    ].map((errors) => errors.map((error) => aggregateFieldErrors([error])));
  };
  const REFUSED = 'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy';
  const NO_UPDATE = 'metadata.resourceVersion: Invalid value: "": must be specified for an update';

  it.each([
    [false, { privileged: true }, [REFUSED]],
    [false, { privileged: false }, []],
    [true, { privileged: true }, []],
  ])('allowed %j: %j', (allowed, securityContext, expected) => {
    const [created, resized] = faults(allowed, securityContext);
    expect(created).toEqual(expected);
    expect(resized?.filter((fault) => fault !== NO_UPDATE)).toEqual(expected);
  });

  it('hides no other fault', () => {
    const [created] = faults(true, { privileged: true, runAsUser: -1 });
    expect(created).toHaveLength(1);
  });

  const REFUSING = storedDefinitions({ containers: { allowPrivileged: false } });
  const ALLOWING = storedDefinitions({ containers: { allowPrivileged: true } });

  it('are looked for in all kinds with pods', () => {
    const withPods = REFUSING.filter(({ versions }) => versions.some(({ schema }) => hasPods(schema.schema)));
    expect(withPods.map(({ kind }) => kind).sort()).toEqual(POD_KINDS);
  });

  it.each(POD_KINDS)('are checked in %s', (kind) => {
    const isRefused = (definitions: readonly AnyResourceDefinition[]) => {
      const definition = definitions.find((one) => one.kind === kind);
      const errors = definition?.strategy.validate(context, objectWithPodSpec(kind, PRIVILEGED)) ?? [];
      return errors.some(({ detail }) => detail === 'disallowed by cluster policy');
    };
    expect([isRefused(REFUSING), isRefused(ALLOWING)]).toEqual([true, false]);
  });
});

describe('events', () => {
  it.each<[string, AnyResourceDefinition]>([
    ['core', events(5)],
    ['events.k8s.io', newEvents(5)],
  ])('of %s have the given time to live', (_group, definition) => {
    const { storeHooks } = definition.storedAs ?? definition;
    expect(storeHooks?.ttl?.({ metadata: {} } as KubeObject, false)).toBe(5);
  });
});

describe('StatefulSets', () => {
  const made = (on: readonly string[], rollingUpdate?: object) => {
    const features = { enabled: (name: string) => on.includes(name) };
    const definition: AnyResourceDefinition = statefulSets({ features, containers: { allowPrivileged: false } });
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      ...(rollingUpdate && { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }),
    };
    const sent = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 's' }, spec };
    const object = decoded(definition, StatefulSet, sent);
    void definition.strategy.prepareForCreate?.(context, object);
    return (object as StatefulSet).spec.updateStrategy.rollingUpdate;
  };

  it.each([
    [[], undefined, { partition: 0 }],
    [[], { maxUnavailable: 2 }, { partition: 0 }],
    [['MaxUnavailableStatefulSet'], undefined, { partition: 0, maxUnavailable: 1 }],
    [['MaxUnavailableStatefulSet'], { maxUnavailable: 2 }, { partition: 0, maxUnavailable: 2 }],
  ])('with the features %j turn %j into', (on, sent, expected) => expect(made(on, sent)).toEqual(expected));

  it('keep stored fields', () => {
    const old = {
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } }, template: { spec: {} } },
      metadata: {},
    };
    const object = { ...cloneJson(old), status: {} };
    const before = { ...old, status: {} };
    const { strategy } = statefulSets({ features: { enabled: () => false }, containers: { allowPrivileged: false } });
    void strategy.prepareForUpdate?.(context, object as unknown as StatefulSet, before as unknown as StatefulSet);
    expect(object.spec.updateStrategy.rollingUpdate.maxUnavailable).toBe(2);
  });
});
