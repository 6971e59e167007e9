import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import type { RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';
import type { Random } from '../watch/random.ts';

/**
 * One of: objects that replace all others, a request that starts or ends, time that passes, an adjustment of limits.
 */
export interface FlowAction {
  readonly configure?: {
    readonly levels: readonly PriorityLevelConfiguration[];
    readonly schemas: readonly FlowSchema[];
  };
  readonly start?: {
    readonly info: RequestInfo;
    readonly user: UserInfo;
    readonly initialSeats: number;
    readonly finalSeats: number;
    /** Milliseconds. */
    readonly latency: number;
  };
  /** The number of a request. */
  readonly finish?: number;
  readonly cancel?: number;
  /** Milliseconds, even as latencies are: our timers take together what is due in the next millisecond. */
  readonly pass?: number;
  readonly adjust?: boolean;
}

export interface FlowCase {
  readonly seats: number;
  readonly actions: readonly FlowAction[];
}

const LEVELS = ['exempt', 'catch-all', 'high', 'low', 'a', 'b'] as const;
const SCHEMAS = ['exempt', 'catch-all', 'first', 'second', 'third', 'f4', 'f5'] as const;
const USERS = ['alice', 'bob', 'system:serviceaccount:n:s', 'system:serviceaccount:n:t', 'system:serviceaccount:n'];
const GROUPS = ['system:masters', 'system:authenticated', 'system:unauthenticated', 'dev'];
const NAMESPACES = ['n', 'm', 'kube-system'];
const RESOURCES = ['pods', 'pods/status', 'nodes', 'leases'];
const API_GROUPS = ['', 'apps', 'coordination.k8s.io'];
const VERBS = ['get', 'list', 'watch', 'create', 'delete'];
const PATHS = ['/healthz', '/healthz/ping', '/metrics', '/', '/a/b/c', '/a'];
const RULE_PATHS = ['*', '/healthz', '/healthz/*', '/', '/a/*', '/a', '/a/b/', '/*'];
const MAX_ACTIONS = 60;
/** Another status of the same flow schema would be written later. */
const MAX_CONFIGURATIONS = 5;
/** Of servers where requests wait. The others have more seats than there are requests. */
const FEW_SEATS = [1, 2, 3, 5, 12, 17, 40] as const;
const MANY_SEATS = [5, 17, 100, 600, 1_001] as const;

const some = (random: Random, values: readonly string[], most = 3): string[] => {
  if (random.chance(0.3)) return ['*'];
  const found = Array.from({ length: 1 + random.below(most) }, () => random.of(values as [string, ...string[]]));
  return random.chance(0.05) ? [...found, '*'] : found;
};
const anyOf = (random: Random, values: readonly string[]): string => random.of(values as [string, ...string[]]);

function level(random: Random, name: string, { lingers }: Kind): PriorityLevelConfiguration {
  const meta = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'PriorityLevelConfiguration', status: {} };
  const metadata = { name };
  const percent = () => random.of([0, 10, 33, 50, 99, 100] as const);
  const exempt = {
    nominalConcurrencyShares: random.of([0, 0, 5, 30]),
    lendablePercent: percent(),
  };
  const queues = lingers ? 8 : random.of([1, 1, 2, 4, 8, 16, 64] as const);
  const queuing = {
    queues,
    handSize: random.chance(0.03) ? queues + 1 : Math.min(queues, 1 + random.below(6)),
    queueLengthLimit: random.of([1, 2, 5, 50]),
  };
  const limitResponse = random.chance(0.3) ? { type: 'Reject' } : { type: 'Queue', queuing };
  const limited = {
    // The mandatory level has shares, so that their sum is positive.
    nominalConcurrencyShares: random.of(name === 'catch-all' ? [5] : [0, 1, 5, 7, 30, 100]),
    limitResponse: random.chance(0.02) ? { ...limitResponse, type: 'Reject' } : limitResponse,
    ...(random.chance(0.7) && { lendablePercent: percent() }),
    ...(random.chance(0.6) && { borrowingLimitPercent: random.of([0, 10, 50, 100, 250]) }),
  };
  const isExempt = random.chance(0.02) ? name !== 'exempt' : name === 'exempt';
  const spec = isExempt ? { type: 'Exempt', exempt } : { type: 'Limited', limited };
  return { ...meta, metadata, spec: random.chance(0.02) ? { ...spec, type: 'Limited' } : spec };
}

function subject(random: Random) {
  const chosen = random.below(3);
  if (chosen === 0) return { kind: 'User', user: { name: random.chance(0.2) ? '*' : anyOf(random, USERS) } };
  if (chosen === 1) return { kind: 'Group', group: { name: random.chance(0.2) ? '*' : anyOf(random, GROUPS) } };
  const name = random.chance(0.4) ? '*' : random.of(['s', 't']);
  const serviceAccount = { namespace: anyOf(random, NAMESPACES), name };
  return { kind: 'ServiceAccount', ...(random.chance(0.97) && { serviceAccount }) };
}

function schema(random: Random, name: string): FlowSchema {
  const isMandatory = name === 'exempt' || name === 'catch-all';
  const rule = () => ({
    subjects: Array.from({ length: 1 + random.below(3) }, () => subject(random)),
    ...(random.chance(0.8) && {
      resourceRules: Array.from({ length: 1 + random.below(2) }, () => ({
        verbs: some(random, VERBS),
        apiGroups: some(random, API_GROUPS),
        resources: some(random, RESOURCES),
        ...(random.chance(0.5) && { clusterScope: random.chance(0.7) }),
        ...(random.chance(0.8) && { namespaces: some(random, NAMESPACES) }),
      })),
    }),
    ...(random.chance(0.6) && { nonResourceRules: [{ verbs: some(random, VERBS), nonResourceURLs: paths(random) }] }),
  });
  const levelName = isMandatory && random.chance(0.9) ? name : random.chance(0.1) ? 'none' : random.of(LEVELS);
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence: random.of([1, 2, 100, 100, 500, 1_000, 10_000]),
      ...(random.chance(0.7) && { distinguisherMethod: { type: random.of(['ByUser', 'ByNamespace']) } }),
      rules: Array.from({ length: random.below(3) }, rule),
    },
    status: random.chance(0.5) ? {} : { conditions: [condition(random, levelName)] },
  };
}

function paths(random: Random): string[] {
  return Array.from({ length: 1 + random.below(2) }, () => anyOf(random, RULE_PATHS));
}

/** Often the right one. */
function condition(random: Random, level: string) {
  const found = `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`;
  const missing = `This FlowSchema references the PriorityLevelConfiguration object named "${level}" but there is no such object`;
  return {
    type: random.chance(0.9) ? 'Dangling' : 'Other',
    status: random.of(['False', 'False', 'True']),
    reason: random.of(['Found', 'Found', 'NotFound']),
    message: random.of([found, found, missing, '']),
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
}

function requestInfo(random: Random): RequestInfo {
  const isResourceRequest = random.chance(0.8);
  const verb = anyOf(random, VERBS);
  const none = { apiPrefix: '', apiGroup: '', apiVersion: '', namespace: '', resource: '', subresource: '', name: '' };
  const rest = { parts: [], fieldSelector: '', labelSelector: '' };
  if (!isResourceRequest) return { isResourceRequest, path: anyOf(random, PATHS), verb, ...none, ...rest };
  const [resource = '', subresource = ''] = anyOf(random, RESOURCES).split('/');
  const namespace = resource === 'nodes' ? '' : random.chance(0.2) ? '' : anyOf(random, NAMESPACES);
  const apiGroup = anyOf(random, API_GROUPS);
  const more = { apiPrefix: apiGroup === '' ? 'api' : 'apis', apiGroup, apiVersion: 'v1', namespace, subresource };
  return { isResourceRequest, path: `/x/${resource}`, verb, ...more, resource, name: random.of(['', 'p']), ...rest };
}

function configuration(random: Random, kind: Kind): FlowAction {
  const chosen = <T>(names: readonly string[], make: (name: string) => T): T[] =>
    names.filter(() => random.chance(0.7)).map(make);
  return {
    configure: {
      levels: chosen(LEVELS, (name) => level(random, name, kind)),
      schemas: chosen(SCHEMAS, (name) => schema(random, name)),
    },
  };
}

/** A kind of case. */
interface Kind {
  /** Either widths differ, or requests give up: ours dispatches when a wide request has given up, upstream does not. */
  readonly isWide: boolean;
  /**
   * Either seats are taken for a while after a request, or numbers of queues change: upstream panics if it removes one
   * twice.
   */
  readonly lingers: boolean;
}

function request(random: Random, { isWide, lingers }: Kind): FlowAction {
  const user = {
    name: anyOf(random, USERS),
    groups: GROUPS.filter(() => random.chance(0.3)),
    extra: {},
  };
  const initialSeats = isWide ? 1 + random.below(3) : 1;
  const isLate = lingers && random.chance(0.3);
  // Upstream never subtracts final seats from those that wait if they are more than the limit of the level.
  const finalSeats = isLate ? 1 + random.below(initialSeats) : 0;
  return {
    start: { info: requestInfo(random), user, initialSeats, finalSeats, latency: isLate ? 4 * random.below(4) : 0 },
  };
}

export function randomFlowCase(random: Random): FlowCase {
  const kind = { isWide: random.chance(0.5), lingers: random.chance(0.5) };
  const actions: FlowAction[] = [configuration(random, kind)];
  const isBusy = random.chance(0.6);
  let started = 0;
  let configured = 1;
  for (let left = random.below(MAX_ACTIONS); left > 0; left--) {
    if (started > 0 && random.chance(0.3)) actions.push({ finish: random.below(started) });
    else if (started > 0 && !kind.isWide && random.chance(0.1)) actions.push({ cancel: random.below(started) });
    else if (random.chance(0.2)) actions.push({ pass: random.of([2, 4, 10, 100, 10_000] as const) });
    else if (random.chance(0.1)) actions.push({ adjust: true });
    else if (configured < MAX_CONFIGURATIONS && random.chance(1 / 8)) {
      actions.push(configuration(random, kind));
      configured++;
    } else {
      actions.push(request(random, kind));
      if (!isBusy) actions.push({ finish: started });
      started++;
    }
  }
  return { seats: random.of(isBusy ? FEW_SEATS : MANY_SEATS), actions };
}
