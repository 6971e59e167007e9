import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authenticator, Authorizer, UserInfo } from '@apiserver/apiserver-contracts';
import { type RunningKubeApiserver, startKubeApiserver } from '@apiserver/kube-apiserver';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../harness/api-server.js';

const ORACLE = join(repositoryRoot, '../shared/oracles/audit.json');

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Oracle {
  readonly policies: Readonly<Record<string, object>>;
  readonly customResourceDefinition: object;
  readonly requests: Readonly<Record<string, RecordedRequest>>;
  readonly cases: readonly {
    readonly policy: string;
    readonly request: string;
    readonly expect: { readonly code: number; readonly events: readonly object[] };
  }[];
}

const user = (name: string, groups: readonly string[], more: Partial<UserInfo> = {}): UserInfo => ({
  name,
  groups: [...groups, 'system:authenticated'],
  extra: {},
  ...more,
});
const USERS: Readonly<Record<string, UserInfo>> = {
  '': user('oracle-admin', ['system:masters']),
  'Bearer alice': user('alice', ['dev'], { uid: 'u-alice', extra: { team: ['blue'] } }),
  'Bearer sa': user('system:serviceaccount:default:robot', [
    'system:serviceaccounts',
    'system:serviceaccounts:default',
  ]),
};

const authenticator: Authenticator = {
  authenticateRequest: ({ request }) => {
    const found = USERS[request.headers.get('authorization') ?? ''];
    return found && { user: found };
  },
};
const authorizer: Authorizer = {
  authorize: ({ user: { name: userName }, name }) =>
    userName === 'alice' && name === 'forbidden'
      ? { decision: 'Deny', reason: 'not for alice' }
      : { decision: 'Allow', reason: '' },
};

describe.skipIf(!existsSync(ORACLE))('recorded audit events (skipped without ../shared/oracles)', () => {
  const oracle: Oracle = existsSync(ORACLE)
    ? JSON.parse(readFileSync(ORACLE, 'utf8'))
    : { policies: {}, customResourceDefinition: {}, requests: {}, cases: [] };
  it.for(Object.keys(oracle.policies))('are equal for the policy %s', { timeout: 120_000 }, async (policy) => {
    const plane = await startAudited(oracle.policies[policy] ?? {});
    await plane.prepare(oracle.customResourceDefinition);
    const got: object[] = [];
    const wanted: object[] = [];
    for (const { request: name, expect: recorded } of oracle.cases.filter((one) => one.policy === policy)) {
      const sent = oracle.requests[name];
      if (sent === undefined) throw new Error(`no request ${name}`);
      const code = await plane.send(sent);
      got.push({ name, code, events: mask(await plane.events(recorded.events.length)) });
      wanted.push({ name, code: recorded.code, events: mask(recorded.events) });
    }
    expect(got).toEqual(wanted);
    expect(await plane.events(0)).toEqual([]);
  });
});

async function startAudited(policy: object) {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  const log = join(folder, 'audit.log');
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
  const server = await startKubeApiserver({
    dataDirectory: folder,
    storage: createMemoryStore(),
    flags: [
      `--audit-policy-file=${join(folder, 'policy.json')}`,
      `--audit-log-path=${log}`,
      '--audit-log-mode=blocking-strict',
    ],
    configure: ({ generic }) => {
      generic.authenticator = authenticator;
      generic.authorizer = authorizer;
    },
  });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  onTestFinished(async () => {
    agent.destroy();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return new AuditedServer(server, agent, log);
}

class AuditedServer {
  readonly #server: RunningKubeApiserver;
  readonly #agent: Agent;
  readonly #log: string;
  #seen = 0;

  constructor(server: RunningKubeApiserver, agent: Agent, log: string) {
    this.#server = server;
    this.#agent = agent;
    this.#log = log;
  }

  async prepare(definition: object): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
    await this.send({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await this.send({ method: 'POST', path, body: definition });
    await expect
      .poll(() => this.send({ method: 'GET', path: '/apis/oracle.example/v1/namespaces/team/widgets' }), {
        timeout: 30_000,
      })
      .toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
    this.#seen = this.#lines().length;
  }

  async send({ method, path, body, headers = {} }: RecordedRequest): Promise<number> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const sent = text?.includes('<current>') ? text.replace('<current>', await this.#currentVersion(path)) : text;
    const { code } = await this.#exchange(method, path, sent, headers);
    return code;
  }

  /** The next events. A stream's last event follows its end. */
  async events(count: number): Promise<readonly object[]> {
    if (count > 0) {
      await expect.poll(() => this.#lines().length - this.#seen, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
    }
    const events = this.#lines().slice(this.#seen);
    this.#seen += events.length;
    return events;
  }

  #lines(): readonly object[] {
    const text = readFileSync(this.#log, 'utf8');
    const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    return events.filter(({ user: { username } }) => username !== 'system:apiserver' && username !== 'current-version');
  }

  async #currentVersion(path: string): Promise<string> {
    const { text } = await this.#exchange('GET', path, undefined, { 'X-Test': 'current' });
    this.#seen = this.#lines().length;
    return JSON.parse(text).metadata.resourceVersion;
  }

  #exchange(method: string, path: string, body: string | undefined, headers: Readonly<Record<string, string>>) {
    return new Promise<{ readonly code: number; readonly text: string }>((resolve, reject) => {
      const { hostname, port } = new URL(this.#server.address);
      const all = {
        'User-Agent': 'oracle/1.0',
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      };
      const message = httpsRequest(
        { hostname, port, method, path, headers: all, agent: this.#agent },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        },
      );
      message.on('error', reject);
      message.end(body);
    });
  }
}

const MASKED: ReadonlySet<string> = new Set([
  ...['auditID', 'uid', 'creationTimestamp', 'time', 'lastTransitionTime', 'continue'],
  ...['requestReceivedTimestamp', 'stageTimestamp'],
]);

/**
 * The recording lacks the constraint of impersonation, which upstream's source sets. Latencies are part of the events
 * of slow requests only.
 */
const DIFFERENT = /^(authenticationMetadata|apiserver\.latency\.k8s\.io\/.*)$/;

/** Leaves out what differs between two runs. The order of managedFields depends on the second of each write. */
function mask(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => mask(item, key));
    return key === 'managedFields' ? items.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) : items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([name]) => !DIFFERENT.test(name));
    return Object.fromEntries(entries.map(([name, member]) => [name, mask(member, name)]));
  }
  if (typeof value !== 'string') return value;
  if (MASKED.has(key)) return '<masked>';
  if (key === 'resourceVersion') return value === '' ? '' : '<masked>';
  // The recorded server had another name.
  if (key === 'manager' && value === 'apiextaudit') return 'kube-apiserver';
  if (key === 'cells' && /^\d+s$/.test(value)) return '<age>';
  return value.replace(/gen-[a-z0-9<>]+/g, 'gen-<suffix>');
}
