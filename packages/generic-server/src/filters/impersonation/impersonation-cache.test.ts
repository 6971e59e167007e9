import { Buffer } from 'node:buffer';
import type { AuthorizationAttributes, UserInfo } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { describe, expect, it } from 'vitest';
import { impersonationMetrics } from '../../metrics/impersonation-metrics.js';
import { callHandler } from '../../testing/call-handler.js';
import { impersonation } from './impersonation.js';

const bob: UserInfo = { name: 'bob', groups: [], extra: {} };

/** A server with one filter. `send` returns the questions to the authorizer, which allows constrained verbs. */
function setUp() {
  const clock = { time: 0, now: () => clock.time };
  const registry = new MetricsRegistry();
  const asked: string[] = [];
  const allowed = { start: 'impersonate' };
  const authorizer = {
    authorize: async ({ verb, resource, name }: AuthorizationAttributes) => {
      asked.push(`${verb} ${resource} ${name}`.trim());
      return { decision: verb.startsWith(allowed.start) ? ('Allow' as const) : ('NoOpinion' as const), reason: '' };
    },
  };
  const { logger } = createTestLogger();
  let seen: UserInfo | undefined;
  const chain = impersonation({ authorizer, clock, logger, metrics: impersonationMetrics(registry) }).wrap(
    (exchange) => {
      seen = exchange.context.user;
      return { type: 'bytes', status: 200, body: Buffer.from('ok') };
    },
  );
  const send = async (url: string, headers: Record<string, string | string[]>, requestor = bob) => {
    asked.length = 0;
    seen = undefined;
    await callHandler(
      (exchange) => {
        exchange.context.requestInfo = resolveRequestInfo(exchange.request);
        exchange.context.user = requestor;
        return chain(exchange);
      },
      { url, headers },
    ).catch(() => {});
    return [...asked];
  };
  return { clock, registry, allowed, send, seen: () => seen };
}

const alice = { 'Impersonate-User': 'alice', 'Impersonate-Group': 'g' };
const pod = '/api/v1/namespaces/n/pods/p';
const onPod = 'impersonate-on:user-info:get pods p';
const asAlice = ['impersonate:user-info users alice', 'impersonate:user-info groups g'];

describe('the caches of impersonation', () => {
  it('keep requests and users, each for 10 seconds', async () => {
    const { clock, send, seen } = setUp();
    expect(await send(pod, alice)).toEqual([onPod, ...asAlice]);
    expect(await send(pod, alice)).toEqual([]);
    expect(seen()).toEqual({ name: 'alice', groups: ['g', 'system:authenticated'], extra: {} });
    expect(await send('/api/v1/namespaces/n/pods/q', alice)).toEqual(['impersonate-on:user-info:get pods q']);
    clock.time = 9_999;
    expect(await send(pod, alice)).toEqual([]);
    clock.time = 10_000;
    expect(await send(pod, alice)).toEqual([onPod, ...asAlice]);
  });

  it.each<[what: string, url: string, headers: Record<string, string>, requestor: UserInfo]>([
    ['another requestor', pod, alice, { ...bob, name: 'eve' }],
    ['a requestor with another group', pod, alice, { ...bob, groups: ['x'] }],
    ['another wanted user', pod, { ...alice, 'Impersonate-Uid': '7' }, bob],
    ['another selector', `${pod.slice(0, -2)}?labelSelector=a%3Db`, alice, bob],
  ])('keep nothing for %s', async (_what, url, headers, requestor) => {
    const { send } = setUp();
    await send(pod, alice);
    await send(`${pod.slice(0, -2)}?labelSelector=a%3Dc`, alice);
    expect((await send(url, headers, requestor)).length).toBeGreaterThan(0);
  });

  it('keep no request whose selector cannot be parsed', async () => {
    const { send } = setUp();
    const url = `${pod.slice(0, -2)}?labelSelector=a%20b%20c`;
    const onList = 'impersonate-on:user-info:list pods';
    expect([await send(url, alice), await send(url, alice)]).toEqual([[onList, ...asAlice], [onList]]);
  });

  it('keep no denial, and nothing of the old permission', async () => {
    const { allowed, send } = setUp();
    allowed.start = 'impersonate ';
    const denied = [onPod, 'impersonate users alice'];
    expect([await send(pod, alice), await send(pod, alice)]).toEqual([denied, denied]);
    allowed.start = 'impersonate';
    expect((await send(pod, alice)).length).toBe(3);
  });

  it('are shared by the pods of a service account on all nodes', async () => {
    const { send, seen } = setUp();
    const agentOn = (node: string): UserInfo => ({
      name: 'system:serviceaccount:n:agent',
      groups: [],
      extra: { 'authentication.kubernetes.io/node-name': [node] },
    });
    const on = 'impersonate-on:associated-node:get pods p';
    const nodes = 'impersonate:associated-node nodes *';
    expect(await send(pod, { 'Impersonate-User': 'system:node:n1' }, agentOn('n1'))).toEqual([on, nodes]);
    expect(await send(pod, { 'Impersonate-User': 'system:node:n2' }, agentOn('n2'))).toEqual([]);
    expect(seen()).toEqual({ name: 'system:node:n2', groups: ['system:nodes', 'system:authenticated'], extra: {} });
    // The account of one node does not become another.
    expect(await send(pod, { 'Impersonate-User': 'system:node:n1' }, agentOn('n2'))).not.toEqual([]);
  });
});

it('impersonation is counted by mode', async () => {
  const { allowed, registry, send } = setUp();
  await send(pod, alice);
  await send(pod, alice);
  allowed.start = 'none';
  await send(pod, { 'Impersonate-User': 'carol' });
  const { text } = await registry.expose();
  expect(text.split('\n').filter((line) => /^apiserver_impersonation\w*_total/.test(line))).toEqual([
    'apiserver_impersonation_attempts_total{decision="allowed",mode="user-info"} 2',
    'apiserver_impersonation_attempts_total{decision="denied",mode=""} 1',
    'apiserver_impersonation_authorization_attempts_total{decision="allowed",mode="user-info"} 3',
    'apiserver_impersonation_authorization_attempts_total{decision="denied",mode="legacy"} 1',
    'apiserver_impersonation_authorization_attempts_total{decision="denied",mode="user-info"} 1',
  ]);
});
