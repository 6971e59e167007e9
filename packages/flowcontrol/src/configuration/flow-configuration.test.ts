import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { Logger, RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { everythingOf, flowSchema, groups, queuingLevel, users } from '../bootstrap/bootstrap-objects.js';
import { mandatoryFlowSchemas, suggestedFlowSchemas } from '../bootstrap/flow-schemas.js';
import {
  catchAllLevel,
  exemptLevel,
  mandatoryPriorityLevels,
  suggestedPriorityLevels,
} from '../bootstrap/priority-levels.js';
import { ONE_SEAT } from '../fair-queuing/work-estimate.js';
import { quietMetrics } from '../testing/quiet-metrics.js';
import { FlowConfiguration } from './flow-configuration.js';

const levels = [...mandatoryPriorityLevels, ...suggestedPriorityLevels];
const schemas = [...mandatoryFlowSchemas, ...suggestedFlowSchemas];

const INFO: RequestInfo = {
  isResourceRequest: true,
  path: '',
  verb: 'get',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: 'n',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
};
const userOf = (name: string, ...names: string[]): UserInfo => ({ name, groups: names, extra: {} });
const ALICE = userOf('alice', 'system:authenticated');

let clock: ManualClock;
let warnings: string[];
let idle: number;
let configuration: FlowConfiguration;

const logger: Logger = {
  info: () => {},
  warning: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
  error: (error) => void warnings.push(String(error)),
  v: () => undefined,
  named: () => logger,
};

beforeEach(() => {
  clock = new ManualClock(0);
  warnings = [];
  idle = 0;
  configuration = new FlowConfiguration({
    seats: 600,
    logger,
    metrics: quietMetrics(() => clock.now()),
    turns: { mayStart: () => true, mayPrecede: () => true, waitToStart: () => {} },
    now: () => clock.now(),
    after: (milliseconds, callback) => void clock.schedule(callback, milliseconds),
    idle: () => idle++,
  });
});

const limitsOf = (name: string) => {
  const { limits, currentLimit } = configuration.levels.get(name) ?? {};
  return limits === undefined ? undefined : [limits.nominal, limits.min, limits.max, currentLimit];
};

/** Lets this many requests of one seat execute at a level. */
function occupy(name: string, count: number): void {
  const level = configuration.levels.get(name);
  const hand = level?.flow('fs', 'f').hand ?? [];
  const details = () => ({
    userName: '',
    verb: '',
    path: '',
    namespace: '',
    name: '',
    apiGroup: '',
    apiVersion: '',
    resource: '',
    subresource: '',
  });
  for (let i = 0; i < count && level !== undefined; i++) {
    const counters = level.counters('fs');
    level.queueSet.start({
      estimate: ONE_SEAT,
      schema: 'fs',
      distinguisher: '',
      hand,
      counters,
      details,
      now: clock.now(),
    });
  }
}

describe('with the bootstrap objects', () => {
  beforeEach(() => void configuration.digest(levels, schemas));

  it.each<[string, Partial<RequestInfo>, UserInfo, string]>([
    ['administrators', {}, userOf('root', 'system:masters'), 'exempt'],
    ['probes', { isResourceRequest: false, path: '/livez' }, ALICE, 'probes'],
    [
      'leases of controllers',
      { apiGroup: 'coordination.k8s.io', resource: 'leases' },
      userOf('system:kube-scheduler', 'system:authenticated'),
      'system-leader-election',
    ],
    [
      'leases of nodes',
      { apiGroup: 'coordination.k8s.io', resource: 'leases' },
      userOf('system:node:a', 'system:nodes'),
      'system-node-high',
    ],
    ['nodes', {}, userOf('system:node:a', 'system:nodes'), 'system-nodes'],
    ['controllers', {}, userOf('system:kube-controller-manager'), 'kube-controller-manager'],
    [
      'service accounts of the system',
      {},
      userOf('system:serviceaccount:kube-system:a', 'system:serviceaccounts'),
      'kube-system-service-accounts',
    ],
    ['service accounts', {}, userOf('system:serviceaccount:a:b', 'system:serviceaccounts'), 'service-accounts'],
    ['all others', {}, ALICE, 'global-default'],
    ['users of no group', {}, userOf('nobody'), 'catch-all'],
  ])('finds the flow schema of %s', (_, info, user, name) => {
    expect(configuration.classify({ ...INFO, ...info }, user).name).toBe(name);
  });

  it('divides the seats by shares', () => {
    expect(
      Object.fromEntries([...configuration.levels.keys()].map((name) => [name, limitsOf(name)?.slice(0, 3)])),
    ).toEqual({
      'catch-all': [13, 13, 613],
      exempt: [0, 0, 600],
      system: [74, 50, 674],
      'node-high': [98, 73, 698],
      'leader-election': [25, 25, 625],
      'workload-high': [98, 49, 698],
      'workload-low': [245, 24, 845],
      'global-default': [49, 24, 649],
    });
    // Rounded, so not exactly the sum of the nominal limits.
    const current = [...configuration.levels.values()].reduce((sum, { currentLimit }) => sum + currentLimit, 0);
    expect(Math.abs(current - 602)).toBeLessThan(4);
  });

  it('lends seats to a level that wants more, and takes them back', () => {
    const before = limitsOf('workload-low')?.[3] ?? 0;
    occupy('workload-low', 400);
    clock.advanceTo(10_000);
    configuration.adjust();
    const lent = limitsOf('workload-low')?.[3] ?? 0;
    expect(lent).toBeGreaterThan(Math.max(before, 245));
    // Another level gets its nominal seats as soon as it needs them.
    occupy('global-default', 49);
    clock.advanceTo(20_000);
    configuration.adjust();
    expect(limitsOf('global-default')?.[3]).toBeGreaterThanOrEqual(49);
  });

  it('limits one request to a part of the seats of its level', () => {
    const maxSeats = (name: string) => configuration.levels.get(name)?.maxSeats;
    expect(['workload-low', 'global-default', 'leader-election', 'exempt', 'catch-all'].map(maxSeats)).toEqual([
      37, 8, 4, 0, 0,
    ]);
  });
});

it('begins in the middle of what a level may lend where the seats cannot be divided', () => {
  const { spec } = queuingLevel('b', { nominal: 100, lendablePercent: 40 }, { queues: 2, handSize: 1 });
  const unborrowing = { ...spec, limited: { ...spec.limited, borrowingLimitPercent: 0 } } as typeof spec;
  const exempt = { type: 'Exempt', exempt: { nominalConcurrencyShares: 100, lendablePercent: 0 } };
  const level = (name: string, of: typeof spec): PriorityLevelConfiguration => ({
    ...exemptLevel,
    metadata: { name },
    spec: of,
  });
  // The others may not take the seats that the exempt level does not use.
  const none = { ...catchAllLevel.spec, limited: { ...catchAllLevel.spec.limited, borrowingLimitPercent: 0 } };
  configuration.digest(
    [level('exempt', exempt), level('catch-all', none as typeof spec), level('b', unborrowing)],
    schemas,
  );
  expect(limitsOf('b')).toEqual([293, 176, 293, 235]);
});

it('keeps the limit of one request when a level loses its queues', () => {
  const queues = queuingLevel('b', { nominal: 100, lendablePercent: 0 }, { queues: 8, handSize: 2 });
  const maxSeats = () => configuration.levels.get('b')?.maxSeats;
  configuration.digest([...levels, queues], schemas);
  const before = maxSeats();
  const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };
  configuration.digest([...levels, { ...queues, spec: { type: 'Limited', limited } }], schemas);
  expect([before, maxSeats()]).toEqual([27, 27]);
});

it('uses the mandatory objects where the API has none', () => {
  expect([...configuration.levels.keys()]).toEqual(['exempt', 'catch-all']);
  expect(configuration.classify(INFO, userOf('root', 'system:masters')).name).toBe('exempt');
  expect(configuration.classify(INFO, ALICE).name).toBe('catch-all');
});

it('asks flow schemas in the order of their precedence', () => {
  const mine = (name: string, precedence: number) =>
    flowSchema(name, { level: 'system', precedence }, everythingOf(users('alice')));
  configuration.digest(levels, [...schemas, mine('z', 900), mine('b', 800), mine('a', 800)]);
  expect(configuration.classify(INFO, ALICE).name).toBe('a');
});

it('reports references to levels that do not exist', () => {
  const dangling = flowSchema('d', { level: 'gone', precedence: 3 }, everythingOf(groups('system:authenticated')));
  const seen: FlowSchema = {
    ...dangling,
    status: {
      conditions: [
        {
          type: 'Dangling',
          status: 'True',
          reason: 'NotFound',
          message:
            'This FlowSchema references the PriorityLevelConfiguration object named "gone" but there is no such object',
        },
      ],
    },
  };
  const changes = configuration.digest(levels, [...mandatoryFlowSchemas, dangling]);
  expect(
    changes.map(({ flowSchema: { metadata }, condition }) => [metadata.name, condition.status, condition.reason]),
  ).toEqual([
    ['exempt', 'False', 'Found'],
    ['catch-all', 'False', 'Found'],
    ['d', 'True', 'NotFound'],
  ]);
  expect(configuration.classify(INFO, ALICE).name).toBe('catch-all');
  expect(configuration.digest(levels, [seen])).toEqual([]);
});

it('ignores levels that validation would refuse', () => {
  const broken: PriorityLevelConfiguration = {
    ...queuingLevel('b', { nominal: 1, lendablePercent: 0 }, { queues: 2, handSize: 3 }),
  };
  configuration.digest([...levels, broken], schemas);
  expect([configuration.levels.has('b'), warnings]).toEqual([
    false,
    ['Ignoring a PriorityLevelConfiguration that is broken {"name":"b","err":"handSize 3 is greater than deckSize 2"}'],
  ]);
});

it('keeps a deleted level until its last request has ended', () => {
  configuration.digest(
    [...levels, queuingLevel('mine', { nominal: 9, lendablePercent: 0 }, { queues: 2, handSize: 1 })],
    schemas,
  );
  occupy('mine', 1);
  configuration.digest(levels, schemas);
  const level = configuration.levels.get('mine');
  expect(level?.isQuiescing).toBe(true);
  const [request] = [...(level?.queueSet.queues ?? [])].flatMap(({ executing }) => [...executing]);
  if (request !== undefined) level?.queueSet.finish(request);
  expect(idle).toBe(1);
  configuration.digest(levels, schemas);
  expect(configuration.levels.has('mine')).toBe(false);
});
