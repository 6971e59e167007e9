import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { createInformer } from '@apiserver/registry-store';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { eventsOf, loggerOf, SERVICE_CIDRS, serviceCIDROf } from '../testing/service-fixtures.js';
import { defaultServiceCIDRController } from './default-service-cidr-controller.js';

let client: LoopbackClient;
let clock: ManualClock;
let stop: AbortController;
let reported: string[];
let ready: PromiseWithResolvers<void>;

beforeEach(() => {
  client = fakeClient();
  clock = new ManualClock(Date.parse('2026-01-02T03:04:05Z'));
  stop = new AbortController();
  reported = [];
  ready = Promise.withResolvers();
});

afterEach(() => stop.abort());

const serviceCIDRs = () => client.resource<ServiceCIDR>(SERVICE_CIDRS);
const current = () => serviceCIDRs().get('', 'kubernetes');

/** Resolves when the hook has finished. */
async function start(...cidrs: string[]): Promise<void> {
  const logger = loggerOf([]);
  const informer = createInformer({ client: serviceCIDRs(), clock, random: () => 0, logger });
  stop.signal.addEventListener('abort', () => void informer[Symbol.asyncDispose]());
  const hook = defaultServiceCIDRController({
    ...{ cidrs, informer, clock, logger },
    events: eventsOf(reported),
    whenReady: () => ready.promise,
  });
  await hook.run({ signal: stop.signal, loopbackClient: client });
}

/** Runs the syncs before and after each pause. */
async function rounds(count = 1): Promise<void> {
  ready.resolve();
  await eventLoopTurns();
  for (let round = 0; round < count; round++) {
    clock.advance(10_000);
    await eventLoopTurns();
  }
}

function condition(status: string) {
  return { type: 'Ready', status, reason: 'Because', message: 'so it is', lastTransitionTime: null };
}

it('creates it before the hook finishes, and marks it ready once the server is ready', async () => {
  await start('10.0.0.0/24', 'fd00::/112');
  const { metadata, spec, status } = await current();
  expect([metadata.name, spec, status]).toEqual(['kubernetes', { cidrs: ['10.0.0.0/24', 'fd00::/112'] }, {}]);
  await rounds(0);
  expect((await current()).status).toEqual({
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        message: 'Kubernetes default Service CIDR is ready',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ],
  });
});

it('recreates it after a deletion', async () => {
  await start('10.0.0.0/24');
  await rounds();
  await serviceCIDRs().delete('', 'kubernetes');
  await rounds();
  expect((await current()).spec).toEqual({ cidrs: ['10.0.0.0/24'] });
});

it('reports different networks once, and changes nothing', async () => {
  await serviceCIDRs().create('', serviceCIDROf('kubernetes', '10.9.0.0/24'));
  await start('10.0.0.0/24', 'fd00::/112');
  await rounds(3);
  expect(await current()).toEqual(serviceCIDROf('kubernetes', '10.9.0.0/24'));
  expect(reported).toEqual([
    'kubernetes KubernetesDefaultServiceCIDRInconsistent: The default ServiceCIDR [10.9.0.0/24] does not match the controller flag configurations [10.0.0.0/24 fd00::/112]',
  ]);
});

it('adds a second network', async () => {
  await serviceCIDRs().create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  await start('10.0.0.0/24', 'fd00::/112');
  await rounds();
  expect((await current()).spec.cidrs).toEqual(['10.0.0.0/24', 'fd00::/112']);
  expect((await current()).status.conditions?.length).toBe(1);
});

it('marks one ready that has another condition', async () => {
  const other = { ...condition('True'), type: 'Other' };
  await serviceCIDRs().create('', { ...serviceCIDROf('kubernetes', '10.0.0.0/24'), status: { conditions: [other] } });
  await start('10.0.0.0/24');
  await rounds();
  const conditions = (await current()).status.conditions ?? [];
  expect(conditions.map(({ type, status }) => [type, status])).toContainEqual(['Ready', 'True']);
});

it('takes one that another server has created before', async () => {
  await serviceCIDRs().create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  const logger = loggerOf([]);
  const informer = createInformer({ client: serviceCIDRs(), clock, random: () => 0, logger });
  stop.signal.addEventListener('abort', () => void informer[Symbol.asyncDispose]());
  const behind = new Proxy(informer, { get: (of, name) => (name === 'get' ? () => undefined : Reflect.get(of, name)) });
  const hook = defaultServiceCIDRController({
    ...{ cidrs: ['10.0.0.0/24'], informer: behind, clock, logger },
    events: eventsOf(reported),
    whenReady: () => ready.promise,
  });
  await hook.run({ signal: stop.signal, loopbackClient: client });
  await rounds();
  expect((await current()).status.conditions?.map(({ status }) => status)).toEqual(['True']);
  expect(reported).toEqual([]);
});

it.each<[string, Partial<ServiceCIDR>, string[]]>([
  [
    'is called not ready by somebody',
    { status: { conditions: [condition('False')] } },
    ['kubernetes Because: Configuration matches, but so it is'],
  ],
  ['is already ready', { status: { conditions: [condition('True')] } }, []],
  ['is being deleted', { metadata: { name: 'kubernetes', deletionTimestamp: '2026-01-01T00:00:00Z' } }, []],
])('does not change one that %s', async (_what, changes, events) => {
  const object = { ...serviceCIDROf('kubernetes', '10.0.0.0/24'), ...changes };
  await serviceCIDRs().create('', object);
  await start('10.0.0.0/24');
  await rounds(3);
  expect([await current(), reported]).toEqual([object, events]);
});

it('marks one without the condition as ready', async () => {
  const unknown = { status: { conditions: [condition('Unknown')] } };
  await serviceCIDRs().create('', { ...serviceCIDROf('kubernetes', '10.0.0.0/24'), ...unknown });
  await start('10.0.0.0/24');
  await rounds();
  expect((await current()).status.conditions?.[0]?.status).toBe('True');
});
