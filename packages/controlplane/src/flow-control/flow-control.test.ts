import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { newConflict, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { Informer, Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import {
  AUTO_UPDATE_ANNOTATION,
  FLOW_SCHEMAS,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  PRIORITY_LEVELS,
  suggestedFlowSchemas,
  suggestedPriorityLevels,
} from '@apiserver/flowcontrol';
import { ManualClock } from '@apiserver/registry-store/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { autoUpdateOf, revised } from './auto-update.js';
import { consumeFlowControl } from './config-consumer.js';
import { flowControlProducer } from './config-producer.js';
import { ensureFlowControlObjects } from './ensure-objects.js';
import { UpdateBudget } from './update-budget.js';

const [probes] = suggestedFlowSchemas.filter(({ metadata }) => metadata.name === 'probes');

function annotated(value: string | undefined, fields: Partial<FlowSchema> = {}, generation = 2): FlowSchema {
  if (probes === undefined) throw new TypeError('there is no flow schema for probes');
  const annotations = value === undefined ? {} : { [AUTO_UPDATE_ANNOTATION]: value };
  return { ...probes, metadata: { name: 'probes', generation, annotations }, ...fields };
}

const spec = { priorityLevelConfiguration: { name: 'mine' }, matchingPrecedence: 3 };

describe('the upkeep of an object', () => {
  it.each([
    ['true', true],
    ['T', true],
    ['0', false],
    ['False', false],
    ['yes', undefined],
    [undefined, undefined],
  ])('reads the annotation %s', (value, expected) => expect(autoUpdateOf(annotated(value))).toBe(expected));

  it.each<[string, FlowSchema, 'suggested' | 'mandatory', object | undefined]>([
    ['as it should be', annotated('true'), 'suggested', undefined],
    ['changed by an administrator', annotated('false', { spec }), 'suggested', undefined],
    ['outdated', annotated('true', { spec }), 'suggested', { spec: probes?.spec, annotation: 'true' }],
    [
      'outdated, never changed',
      annotated(undefined, { spec }, 1),
      'suggested',
      { spec: probes?.spec, annotation: 'true' },
    ],
    ['changed without annotation', annotated(undefined, { spec }), 'suggested', { spec, annotation: 'false' }],
    ['with a malformed annotation', annotated('x', { spec }), 'suggested', { spec, annotation: 'false' }],
    ['mandatory, changed', annotated('false', { spec }), 'mandatory', { spec: probes?.spec, annotation: 'true' }],
  ])('%s', (_, current, upkeep, expected) => {
    const next = probes === undefined ? undefined : revised(current, probes, upkeep);
    const seen = next && { spec: next.spec, annotation: next.metadata.annotations?.[AUTO_UPDATE_ANNOTATION] };
    expect(seen).toEqual(expected);
  });
});

let client: LoopbackClient;
const schemas = () => client.resource<FlowSchema>(FLOW_SCHEMAS);
const levels = () => client.resource<PriorityLevelConfiguration>(PRIORITY_LEVELS);
const namesOf = async (resource: Pick<ResourceClient<FlowSchema>, 'list'>) =>
  (await resource.list('')).items.map(({ object }) => object.metadata.name).sort();

beforeEach(() => {
  client = fakeClient();
});

describe('the bootstrap objects', () => {
  it('are created, and afterwards left alone', async () => {
    await ensureFlowControlObjects(client, silentLogger);
    const wanted = [...mandatoryFlowSchemas, ...suggestedFlowSchemas].map(({ metadata }) => metadata.name).sort();
    expect(await namesOf(schemas())).toEqual(wanted);
    expect((await levels().list('')).items.length).toBe(
      mandatoryPriorityLevels.length + suggestedPriorityLevels.length,
    );
    const before = (await schemas().list('')).resourceVersion;
    await ensureFlowControlObjects(client, silentLogger);
    expect((await schemas().list('')).resourceVersion).toBe(before);
  });

  it('have their level before a flow schema refers to it', async () => {
    const created: string[] = [];
    const logger: Logger = { ...silentLogger, info: (text) => void created.push(text), v: () => logger };
    await ensureFlowControlObjects(client, logger);
    const kinds = created.map((text) => text.split(' ').at(-1));
    expect(kinds.filter((kind, i) => kind !== kinds[i - 1])).toEqual([
      ...['*v1.PriorityLevelConfiguration', '*v1.FlowSchema'],
      ...['*v1.PriorityLevelConfiguration', '*v1.FlowSchema'],
    ]);
  });

  it('keep the limits that an administrator gave to the exempt level', async () => {
    await ensureFlowControlObjects(client, silentLogger);
    const change = async (fields: object) => {
      const [exempt] = (await levels().list('')).items.filter(({ object }) => object.metadata.name === 'exempt');
      if (exempt === undefined) throw new TypeError('the exempt level is missing');
      const { object } = exempt;
      await levels().update('', { ...object, spec: { ...object.spec, ...fields } });
      await ensureFlowControlObjects(client, silentLogger);
      return (await levels().get('', 'exempt')).spec;
    };
    const exempt = { nominalConcurrencyShares: 7, lendablePercent: 20 };
    expect(await change({ exempt })).toEqual({ type: 'Exempt', exempt });
    const bootstrap = { nominalConcurrencyShares: 0, lendablePercent: 0 };
    expect(await change({ exempt: undefined })).toEqual({ type: 'Exempt', exempt: bootstrap });
  });

  it('of older releases are deleted, and those of administrators are not', async () => {
    const named = (name: string, value: string | undefined) => {
      const object = annotated(value);
      return { ...object, metadata: { ...object.metadata, name } };
    };
    for (const [name, value] of [
      ['old', 'true'],
      ['kept', 'false'],
      ['own', undefined],
      ['odd', 'x'],
    ] as const) {
      await schemas().create('', named(name, value));
    }
    await ensureFlowControlObjects(client, silentLogger);
    const names = await namesOf(schemas());
    expect(['old', 'kept', 'own', 'odd'].filter((name) => names.includes(name))).toEqual(['kept', 'own', 'odd']);
  });

  it('are created before the server is ready, and again every minute', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    await flowControlProducer({ clock, logger: silentLogger }).run({ loopbackClient: client, signal: stop.signal });
    await schemas().delete('', 'probes');
    await vi.waitFor(async () => {
      clock.advance(60_000);
      expect(await namesOf(schemas())).toContain('probes');
    }, 30_000);
    stop.abort();
  });

  it('that cannot be created keep the server unready for five minutes, and then end it', async () => {
    const clock = new ManualClock();
    const failing: LoopbackClient = {
      resource: () => {
        throw newServiceUnavailable('no storage');
      },
    };
    const running = flowControlProducer({ clock, logger: silentLogger }).run({
      loopbackClient: failing,
      signal: new AbortController().signal,
    });
    let isOver = false;
    running
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10_000);
    }
    await expect(running).rejects.toThrow(
      'unable to initialize APF bootstrap configuration: timed out waiting for the condition',
    );
  });
});

it('allows six updates of an object in a minute', () => {
  let now = 0;
  const budget = new UpdateBudget(() => now);
  expect(Array.from({ length: 8 }, () => budget.take('a'))).toEqual([true, true, true, true, true, true, false, false]);
  now = 1;
  expect(budget.take('b')).toBe(true);
  now = 60_000;
  expect([budget.take('c'), budget.size]).toEqual([true, 2]);
  expect([budget.take('a'), budget.size]).toEqual([true, 3]);
});

it('holds back no update because the clock was set back', () => {
  let now = 3_600_000;
  const budget = new UpdateBudget(() => now);
  for (let i = 0; i < 6; i++) budget.take('a');
  expect(budget.take('a')).toBe(false);
  now = 0;
  expect(budget.take('a')).toBe(true);
});

/** An informer of objects that a test sets. */
function informerOf<T extends FlowSchema | PriorityLevelConfiguration>(objects: T[]) {
  const handlers: Parameters<Informer<T>['subscribe']>[0][] = [];
  const informer: Informer<T> = {
    synced: async () => {},
    get: () => undefined,
    list: () => objects,
    subscribe: (given) => {
      handlers.push(given);
      for (const object of objects) given.added?.(object);
      return () => {};
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return { informer, handlers };
}

it('takes over objects and writes statuses, and repeats what failed', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const schema = annotated('true');
  const configured: number[] = [];
  const applied: unknown[] = [];
  let failures = 1;
  const flowControl = {
    configure: (given: readonly unknown[]) => {
      configured.push(given.length);
      const condition = { type: 'Dangling', status: 'False', reason: 'Found', message: 'm' };
      return applied.length === 0 ? [{ flowSchema: schema, condition }] : [];
    },
    adjust: vi.fn(),
  };
  const apply: ResourceClient<FlowSchema>['apply'] = async (...args) => {
    if (failures-- > 0) throw newConflict(FLOW_SCHEMAS, 'probes', new Error('not now'));
    applied.push(args);
    return schema;
  };
  const errors: unknown[] = [];
  const logger: Logger = { ...silentLogger, error: (error) => void errors.push(error) };
  const levelInformer = informerOf<PriorityLevelConfiguration>([...mandatoryPriorityLevels]);
  const schemaInformer = informerOf([schema]);
  const running = consumeFlowControl(
    {
      flowControl,
      clock,
      logger,
      random: () => 0,
      client: { apply },
      levels: levelInformer.informer,
      schemas: schemaInformer.informer,
    },
    stop.signal,
  );
  await vi.waitFor(() => expect(errors.length).toBe(1), 30_000);
  await vi.waitFor(() => {
    clock.advance(200);
    expect(applied.length).toBe(1);
  }, 30_000);
  expect(applied[0]).toEqual([
    '',
    {
      apiVersion: schema.apiVersion,
      kind: 'FlowSchema',
      metadata: { name: 'probes' },
      status: {
        conditions: [
          {
            type: 'Dangling',
            status: 'False',
            lastTransitionTime: expect.stringMatching(/T\d\d:\d\d:\d\dZ$/),
            reason: 'Found',
            message: 'm',
          },
        ],
      },
    },
    { fieldManager: 'api-priority-and-fairness-config-consumer-v1', force: true, subresource: 'status' },
  ]);
  const before = configured.length;
  const [level] = mandatoryPriorityLevels;
  // A change of the status does not change the configuration.
  if (level !== undefined) levelInformer.handlers[0]?.updated?.({ ...level, status: { conditions: [] } }, level);
  await new Promise((resolve) => setImmediate(resolve));
  expect(configured.length).toBe(before);
  const [handler] = schemaInformer.handlers;
  handler?.updated?.({ ...schema }, schema);
  await new Promise((resolve) => setImmediate(resolve));
  expect(configured.length).toBe(before);
  // Another server may have written another status.
  handler?.updated?.({ ...schema, status: { conditions: [] } }, { ...schema, status: {} });
  await vi.waitFor(() => expect(configured.length).toBe(before + 1), 30_000);
  handler?.updated?.({ ...schema, spec }, schema);
  await vi.waitFor(() => expect(configured.length).toBe(before + 2), 30_000);
  clock.advance(10_000);
  expect(flowControl.adjust).toHaveBeenCalled();
  stop.abort();
  await running;
});
