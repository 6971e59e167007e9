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
let logged: string[];
let ready: PromiseWithResolvers<void>;

beforeEach(() => {
  client = fakeClient();
  clock = new ManualClock(Date.parse('2026-01-02T03:04:05Z'));
  stop = new AbortController();
  reported = [];
  logged = [];
  ready = Promise.withResolvers();
});

afterEach(() => stop.abort());

const serviceCIDRs = () => client.resource<ServiceCIDR>(SERVICE_CIDRS);
const current = () => serviceCIDRs().get('', 'kubernetes');

/** Resolves when the hook has finished. */
let infos: unknown[];

async function start(...cidrs: string[]): Promise<void> {
  infos = [];
  const logger = { ...loggerOf(logged), info: (...given: unknown[]) => void infos.push(given) };
  const informer = createInformer({ client: serviceCIDRs(), clock, random: () => 0, logger });
  stop.signal.addEventListener('abort', () => void informer[Symbol.asyncDispose]());
  const hook = defaultServiceCIDRController({
    cidrs,
    informer,
    clock,
    logger,
    events: eventsOf(reported),
    whenReady: () => ready.promise,
  });
  expect(hook.name).toBe('start-kubernetes-service-cidr-controller');
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
  expect(infos).toEqual([
    [
      'The default ServiceCIDR has other networks than this server. Change the flags or delete it',
      { cidrs: ['10.0.0.0/24', 'fd00::/112'], current: ['10.9.0.0/24'] },
    ],
  ]);
  expect(reported).toEqual([
    'kubernetes KubernetesDefaultServiceCIDRInconsistent: The default ServiceCIDR [10.9.0.0/24] does not match the controller flag configurations [10.0.0.0/24 fd00::/112]',
  ]);
});

it('reports a single network that is another one', async () => {
  await serviceCIDRs().create('', serviceCIDROf('kubernetes', '10.9.0.0/24'));
  await start('10.0.0.0/24');
  await rounds();
  expect(reported.map((event) => event.split(':', 1)[0])).toEqual([
    'kubernetes KubernetesDefaultServiceCIDRInconsistent',
  ]);
});

/** Replaces a verb of the client by one that fails for this many times. */
function failing(verb: 'create' | 'update' | 'apply', times: number): void {
  const objects = serviceCIDRs();
  const original = objects[verb].bind(objects) as (...given: unknown[]) => Promise<never>;
  let left = times;
  const failed = (...given: unknown[]) => (left-- > 0 ? Promise.reject(new Error('no storage')) : original(...given));
  const shared = Object.assign(objects, { [verb]: failed });
  client = { resource: () => shared as never };
}

it('reports a creation that fails, and tries again after 100 ms', async () => {
  failing('create', 1);
  let isStarted = false;
  const started = start('10.0.0.0/24').then(() => {
    isStarted = true;
  });
  await eventLoopTurns();
  expect([logged, reported]).toEqual([
    ['Unable to sync the default ServiceCIDR: Error: no storage'],
    ['kubernetes KubernetesDefaultServiceCIDRError: The default ServiceCIDR can not be created'],
  ]);
  clock.advance(99);
  await eventLoopTurns();
  expect(isStarted).toBe(false);
  clock.advance(1);
  await started;
  expect((await current()).spec).toEqual({ cidrs: ['10.0.0.0/24'] });
});

it('reports no failure of a server that stops', async () => {
  failing('create', 1);
  const started = start('10.0.0.0/24');
  stop.abort();
  await started;
  expect(logged).toEqual([]);
});

it('reports a second network that cannot be added', async () => {
  await serviceCIDRs().create('', serviceCIDROf('kubernetes', '10.0.0.0/24'));
  failing('update', 1);
  await start('10.0.0.0/24', 'fd00::/112');
  await rounds(0);
  expect([logged, reported]).toEqual([
    ['The default ServiceCIDR can not be updated to dual stack'],
    [
      'kubernetes KubernetesDefaultServiceCIDRError: The default ServiceCIDR can not be upgraded from 10.0.0.0/24 to dual stack [10.0.0.0/24 fd00::/112] : no storage',
    ],
  ]);
  await rounds();
  expect((await current()).spec.cidrs).toEqual(['10.0.0.0/24', 'fd00::/112']);
});

it('reports a status that cannot be written', async () => {
  failing('apply', 1);
  await start('10.0.0.0/24');
  await rounds(0);
  expect([logged, reported, (await current()).status]).toEqual([
    ['Error updating default ServiceCIDR status: Error: no storage'],
    ['kubernetes KubernetesDefaultServiceCIDRError: The default ServiceCIDR Status can not be set to Ready=True'],
    {},
  ]);
  expect(infos).toEqual([
    ['Creating default ServiceCIDR', { cidrs: ['10.0.0.0/24'] }],
    ['Setting default ServiceCIDR condition Ready to True'],
  ]);
  await rounds();
  expect((await current()).status.conditions?.map(({ status }) => status)).toEqual(['True']);
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
    cidrs: ['10.0.0.0/24'],
    informer: behind,
    clock,
    logger,
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
  const message = 'Default ServiceCIDR condition Ready is False, but controller configuration matches';
  const fields = { reason: 'Because', message: 'so it is' };
  expect(infos).toEqual(Array(events.length).fill([message, fields]));
});

it('marks one without the condition as ready', async () => {
  const unknown = { status: { conditions: [condition('Unknown')] } };
  await serviceCIDRs().create('', { ...serviceCIDROf('kubernetes', '10.0.0.0/24'), ...unknown });
  await start('10.0.0.0/24');
  await rounds();
  expect((await current()).status.conditions?.[0]?.status).toBe('True');
});
