import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportSoak, soakShare } from '@apiserver/registry-store/testing';
import { it } from 'vitest';
import { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { comparableValue, makeLiveObjects } from './live-objects.ts';
import { describeLive, type LiveRequest, type LiveServer } from './live-servers.ts';
import { randomDecision } from './random-decision.ts';

const COLLECTION = '/apis/live.example.com/v1/namespaces/n/widgets';
const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse', 'RequestResponse'] as const;
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'] as const;
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'post', ''] as const;
const USERS = ['admin', 'alice', 'carol', 'system:anonymous'] as const;

const some = (random: Random, chance: number, values: readonly string[]) => values.filter(() => random.chance(chance));

function randomRule(random: Random): object {
  const resources = () => ({
    group: random.of(['live.example.com', 'live.example.com', '', 'x']),
    ...(random.chance(0.7) && {
      resources: some(random, 0.4, ['widgets', 'widgets/status', 'widgets/*', '*/status', '*', 'pods']),
    }),
    ...(random.chance(0.2) && { resourceNames: some(random, 0.5, ['a', 'b']) }),
  });
  const rule = {
    level: random.of(LEVELS),
    ...(random.chance(0.3) && { users: some(random, 0.5, USERS) }),
    ...(random.chance(0.2) && {
      userGroups: some(random, 0.5, ['dev', 'system:masters', 'system:unauthenticated', 'ops']),
    }),
    ...(random.chance(0.4) && { verbs: some(random, 0.4, VERBS) }),
    ...(random.chance(0.25) && { omitStages: some(random, 0.4, STAGES) }),
    ...(random.chance(0.3) && { omitManagedFields: random.chance(0.5) }),
  };
  if (random.chance(0.25)) {
    return { ...rule, nonResourceURLs: some(random, 0.4, ['/version', '/healthz*', '/readyz/*', '*', '/none']) };
  }
  if (random.chance(0.5)) return { ...rule, resources: [resources(), ...(random.chance(0.3) ? [resources()] : [])] };
  return { ...rule, ...(random.chance(0.2) && { namespaces: some(random, 0.5, ['n', 'm', '']) }) };
}

/** Resource names need resources; upstream refuses the policy. */
function randomPolicy(random: Random): { readonly rules: readonly object[]; readonly [name: string]: unknown } {
  const rules = Array.from({ length: 4 + random.below(8) }, () => randomRule(random));
  const valid = rules.filter((rule) => {
    const text = JSON.stringify(rule);
    // A rule that drops all requests would end the policy.
    const dropsAll =
      !/"(?:users|userGroups|verbs|resources|namespaces|nonResourceURLs)":\[[^\]]/.test(text) && text.includes('None');
    return !dropsAll && !/"resources":\[\],"resourceNames":\["|"group":"[^"]*","resourceNames":\["/.test(text);
  });
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    ...(random.chance(0.3) && { omitStages: some(random, 0.3, STAGES) }),
    ...(random.chance(0.3) && { omitManagedFields: true }),
    rules: [...valid, { level: random.of(LEVELS) }],
  };
}

interface AuditCase {
  readonly requests: readonly (LiveRequest & { readonly id: string })[];
}

let cases = 0;

function randomCase(random: Random): AuditCase {
  cases++;
  const name = random.chance(0.7) ? `w${cases}` : `none${cases}`;
  const authorization = () => random.of(['Bearer admin', 'Bearer admin', 'Bearer alice', 'Bearer x']);
  const user = authorization();
  const requests = Array.from({ length: 1 + random.below(5) }, (_, at) => {
    const one = at === 0 && name.startsWith('w') ? createOf(name, random) : randomRequest(random, name);
    const impersonated = random.chance(0.1) && { 'impersonate-user': 'carol', 'impersonate-group': 'ops' };
    const headers = { ...one.headers, authorization: random.chance(0.8) ? user : authorization(), ...impersonated };
    const id = `audit-${cases}-${at}`;
    return { ...one, id, headers: { ...headers, 'user-agent': 'soak/1', 'audit-id': id } };
  });
  return { requests };
}

function createOf(name: string, random: Random): LiveRequest {
  const object = {
    apiVersion: 'live.example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { color: 'red', ...(random.chance(0.2) && { x: 1 }) },
  };
  return {
    method: 'POST',
    path: COLLECTION,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(object),
  };
}

function randomRequest(random: Random, name: string): LiveRequest {
  const one = `${COLLECTION}/${name}`;
  const json = { 'content-type': 'application/json' };
  const patch = { 'content-type': 'application/merge-patch+json' };
  const read = (path: string, method = 'GET'): LiveRequest => ({ method, path, headers: {} });
  const options = ['GET', 'HEAD', 'OPTIONS'] as const;
  return random.of<() => LiveRequest>([
    () => read(one),
    () => read(one),
    () => read(`${COLLECTION}?limit=1&fieldSelector=metadata.name%3D${name}`),
    () => read(`${COLLECTION}/${name}/status`),
    () =>
      read(
        random.of(['/version', '/healthz', '/readyz/ping', '/none', '/apis/live.example.com/v1', '/healthz/none']),
        random.of(options),
      ),
    () => read(`${COLLECTION}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}`),
    () => read(`/apis/live.example.com/v1/widgets?fieldSelector=metadata.name%3D${name}`),
    () => ({
      method: 'PATCH',
      path: one,
      headers: patch,
      body: JSON.stringify({ spec: { size: random.of([1, 2, 'x']) } }),
    }),
    () => ({ method: 'PATCH', path: `${one}/status`, headers: patch, body: '{"status":{"ready":true}}' }),
    () => ({
      method: 'PATCH',
      path: `${one}?fieldManager=soak`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({
        apiVersion: 'live.example.com/v1',
        kind: 'Widget',
        metadata: { name },
        spec: { note: 'x' },
      }),
    }),
    () => ({
      method: 'PATCH',
      path: one,
      headers: { 'content-type': 'application/json-patch+json' },
      body: '[{"op":"add","path":"/spec/note","value":"y"}]',
    }),
    () => ({ method: 'PATCH', path: one, headers: patch, body: '"x"' }),
    () => ({
      method: 'PUT',
      path: one,
      headers: json,
      body: JSON.stringify({
        apiVersion: 'live.example.com/v1',
        kind: 'Widget',
        metadata: { name },
        spec: { color: 'blue' },
      }),
    }),
    () => ({ ...createOf(name, random), path: `${COLLECTION}?dryRun=All` }),
    () => ({ method: 'POST', path: COLLECTION, headers: json, body: random.of(['{', '{}', '[]', '']) }),
    () =>
      name.startsWith('w')
        ? { method: 'DELETE', path: one, headers: json, body: random.of(['{"propagationPolicy":"Background"}', '{}']) }
        : read(one),
    () => (name.startsWith('w') ? read(one, 'DELETE') : read(one)),
    () => ({
      method: 'DELETE',
      path: `${COLLECTION}?fieldSelector=metadata.name%3D${name.startsWith('w') ? name : 'zz'}`,
      headers: {},
    }),
  ])();
}

/** Events of a server by their identity. */
class Events {
  readonly #file: string;
  #read = 0;
  readonly #found = new Map<string, object[]>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Number of requests with events. */
  get count(): number {
    return this.#found.size;
  }

  of(id: string): readonly object[] {
    if (existsSync(this.#file)) {
      const text = readFileSync(this.#file).subarray(this.#read).toString();
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      this.#read += Buffer.byteLength(whole);
      for (const line of whole.split('\n').filter(Boolean)) {
        const event = JSON.parse(line);
        this.#found.set(event.auditID, [...(this.#found.get(event.auditID) ?? []), event]);
      }
    }
    return this.#found.get(id) ?? [];
  }
}

/** All versions of objects are the same. */
const NO_VERSIONS = { versions: ['0'] };

let repeated = 0;

async function answers(server: LiveServer, events: Events, { requests }: AuditCase) {
  const ids = [];
  for (const { id, ...request } of requests) {
    const again = `${id}-${++repeated}`;
    ids.push(again);
    await server.send({ ...request, headers: { ...request.headers, 'audit-id': again } });
  }
  // The last stage follows the response.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return ids.map((id) => events.of(id).map(comparable));
}

function comparable(event: object): unknown {
  const {
    auditID: _,
    requestReceivedTimestamp: _received,
    stageTimestamp: _stage,
    sourceIPs,
    ...rest
  } = event as Record<string, unknown>;
  const { annotations, ...others } = rest as { annotations?: Record<string, string> };
  // Those of slow requests.
  const kept = Object.entries(annotations ?? {}).filter(([name]) => !name.startsWith('apiserver.latency.k8s.io/'));
  const shown = kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
  return comparableValue({ ...others, sourceIPs, ...shown }, NO_VERSIONS);
}

const { seed } = soakShare();
const policy = randomPolicy(new Random(seed));
const flagsIn = (folder: string) => {
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
  return [`--audit-policy-file=${join(folder, 'policy.json')}`, `--audit-log-path=${join(folder, 'audit.log')}`];
};

describeLive('audit', { decide: randomDecision, flagsIn }, (servers) => {
  it('has the events of upstream’s server', async () => {
    const { theirs, ours, folders } = servers();
    await makeLiveObjects(theirs, false);
    await makeLiveObjects(ours, true);
    const logs = {
      theirs: new Events(join(folders.theirs, 'audit.log')),
      ours: new Events(join(folders.ours, 'audit.log')),
    };
    await compareCases<AuditCase, unknown>(
      { ask: (_, one) => answers(theirs, logs.theirs, one as AuditCase) as never },
      {
        area: 'audit',
        randomCase,
        atOnce: 50,
        mostAsked: 1,
        ours: (one) => answers(ours, logs.ours, one),
        difference: (their, our, { requests }) =>
          JSON.stringify(their) === JSON.stringify(our)
            ? undefined
            : { policy: JSON.stringify(policy), requests, theirs: their, ours: our },
      },
    );
    // A policy may select few requests.
    reportSoak(`${logs.ours.count} events by ${policy.rules.length} rules`);
  });
});
