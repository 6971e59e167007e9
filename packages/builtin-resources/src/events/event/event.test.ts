import { Event as CoreEvent } from '@apiserver/api/core/v1';
import { Event } from '@apiserver/api/events/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import type { RequestInfo, RestStorage } from '@apiserver/apiserver-contracts';
import { createStorageProvider, installedResource } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { memoizedCodecs, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { fromCoreEvent, toCoreEvent } from '../../core/event/conversion.js';
import { eventDeclaration as coreEvents } from '../../core/event/index.js';
import { eventDeclaration as events } from './index.js';

const decode = (fields: object) =>
  compileKind(Event).decodeJson(
    Buffer.from(
      JSON.stringify({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'a', namespace: 'ns' },
        ...fields,
      }),
    ),
    'Strict',
  ).object;
const decodeCore = (fields: object) =>
  compileKind(CoreEvent).decodeJson(
    Buffer.from(
      JSON.stringify({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'a', namespace: 'ns' }, ...fields }),
    ),
    'Strict',
  ).object;

const TIME = '2030-01-01T00:00:00Z';
const MICRO_TIME = '2030-01-01T00:00:00.000001Z';

it.each<[string, object, object]>([
  ['nothing', {}, {}],
  ['an empty series', { series: {} }, { series: {} }],
  [
    'everything',
    {
      eventTime: MICRO_TIME,
      series: { count: 2, lastObservedTime: MICRO_TIME },
      reportingController: 'c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      note: 'n',
      regarding: { kind: 'Pod', name: 'p' },
      related: { kind: 'Node', name: 'n' },
      deprecatedSource: { component: 's' },
      deprecatedFirstTimestamp: TIME,
      deprecatedLastTimestamp: TIME,
      deprecatedCount: 7,
    },
    {
      eventTime: MICRO_TIME,
      series: { count: 2, lastObservedTime: MICRO_TIME },
      reportingComponent: 'c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      message: 'n',
      involvedObject: { kind: 'Pod', name: 'p' },
      related: { kind: 'Node', name: 'n' },
      source: { component: 's' },
      firstTimestamp: TIME,
      lastTimestamp: TIME,
      count: 7,
    },
  ],
])('converts %s both ways, canonically', (_what, fields, coreFields) => {
  expect(toCoreEvent(decode(fields))).toEqual(decodeCore(coreFields));
  expect(fromCoreEvent(decodeCore(coreFields))).toEqual(decode(fields));
});

it('shares storage and rules with core Events', async () => {
  const store = createMemoryStore();
  const provider = createStorageProvider({ store, clock: systemClock, codecFor: memoizedCodecs() });
  const open = (definition: typeof events) =>
    installedResource(definition, provider, testStoreSources()).storage as Required<RestStorage>;
  const requestInfo = { isResourceRequest: true, apiGroup: '', apiVersion: 'v1', resource: 'events' } as RequestInfo;
  const context = { ...testContext({ namespace: 'ns' }), requestInfo };
  // The view comes first: the order of access must not determine what is stored.
  const view = open(events);
  const core = open(coreEvents);
  await core.create(context, decodeCore({ involvedObject: { namespace: 'ns' } }), async () => {}, {});
  const list = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };
  expect((await view.list(context, list)).items.map(({ object }) => object.apiVersion)).toEqual(['v1']);
  const refused = view.create(context, decodeCore({ metadata: { name: 'b', namespace: 'ns' } }), async () => {}, {});
  await expect(refused).rejects.toThrow(
    'Event "b" is invalid: involvedObject.namespace: Invalid value: "": does not match',
  );
  const generated = { metadata: { generateName: 'g-', namespace: 'ns' }, involvedObject: { namespace: 'ns' } };
  const strategy = { ...coreEvents.strategy, generateName: () => 'a', validate: () => [] };
  const repeated = { ...events, storedAs: { ...coreEvents, strategy } };
  const inGroup = { ...context, requestInfo: { ...requestInfo, apiGroup: 'events.k8s.io' } };
  await expect(open(repeated).create(inGroup, decodeCore(generated), async () => {}, {})).rejects.toThrow(
    'events "a" already exists, the server was not able to generate a unique name for the object',
  );
  await provider[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});
