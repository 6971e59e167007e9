import { Buffer } from 'node:buffer';
import type { AuthorizationAttributes, UserInfo } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { describe, expect, it } from 'vitest';
import { callHandler, createInProcessExchange } from '../../testing/call-handler.js';
import { impersonation } from './impersonation.js';

const { logger } = createTestLogger();
const bob: UserInfo = { name: 'bob', groups: ['dev'], extra: {} };

type Headers = Record<string, string | string[]>;

/** Formats the input of the authorizer. */
function shortly({ verb, apiGroup, resource, subresource, namespace, name }: AuthorizationAttributes): string {
  const what = `${apiGroup === '' ? '' : `${apiGroup}/`}${resource}${subresource === '' ? '' : `/${subresource}`}`;
  return `${verb} ${what} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** Sends `GET pods/p` as bob with these headers; the authorizer allows requests that begin with one of `allowed`. */
async function attempt(
  headers: Headers,
  allowed: readonly string[],
  requestor: UserInfo = bob,
  options: { readonly isLegacyOnly?: boolean } = {},
) {
  const authorized: string[] = [];
  let seen: UserInfo | undefined;
  const authorizer = {
    authorize: async (attributes: AuthorizationAttributes) => {
      authorized.push(shortly(attributes));
      const allow = allowed.some((start) => shortly(attributes).startsWith(start));
      return { decision: allow ? ('Allow' as const) : ('NoOpinion' as const), reason: '' };
    },
  };
  const filter = impersonation({ authorizer, clock: { now: () => 0 }, logger, ...options });
  const chain = filter.wrap((exchange) => {
    seen = exchange.context.user;
    return { type: 'bytes', status: 200, body: Buffer.from('ok') };
  });
  const url = '/api/v1/namespaces/n/pods/p';
  const response = await callHandler(
    (exchange) => {
      exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      exchange.context.user = requestor;
      return chain(exchange);
    },
    { url, headers },
  ).catch((error) => ({ status: error.status.code, body: JSON.stringify(error.status) }));
  const message = response.status === 200 ? undefined : JSON.parse(response.body).message;
  return { status: response.status, message, seen, authorized };
}

describe('impersonation', () => {
  it('leaves requests without its headers alone', async () => {
    expect(await attempt({ 'x-impersonate': 'y' }, [])).toEqual({
      status: 200,
      message: undefined,
      seen: bob,
      authorized: [],
    });
  });

  it('asks nothing else without the constrained modes', async () => {
    const headers = { 'Impersonate-User': 'amy', 'Impersonate-Group': 'x' };
    const legacy = (allowed: readonly string[]) => attempt(headers, allowed, bob, { isLegacyOnly: true });
    expect(await legacy(['impersonate:', 'impersonate-on:', 'impersonate users'])).toMatchObject({
      status: 403,
      authorized: ['impersonate users amy', 'impersonate groups x'],
      message:
        'groups "x" is forbidden: User "bob" cannot impersonate resource "groups" in API group "" at the cluster scope',
    });
    expect((await legacy(['impersonate '])).seen).toEqual({
      name: 'amy',
      groups: ['x', 'system:authenticated'],
      extra: {},
    });
  });

  it('needs a user name', async () => {
    expect(await attempt({ 'Impersonate-Group': ['a', 'b'], 'Impersonate-Uid': '7' }, [''])).toMatchObject({
      status: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)} without impersonating a user name',
    });
  });

  it('takes the first of several names and UIDs, as Go does', async () => {
    const headers = { 'Impersonate-User': ['amy', 'eve'], 'Impersonate-Uid': ['1', '2'] };
    expect((await attempt(headers, ['impersonate '])).seen).toMatchObject({ name: 'amy', uid: '1' });
  });

  it('responds itself to headers without a user name', async () => {
    const filter = impersonation({
      clock: { now: () => 0 },
      authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
      logger,
    });
    const chain = filter.wrap(() => ({ type: 'bytes', status: 200, body: Buffer.from('ok') }));
    const { status, headers } = await callHandler(chain, { url: '/', headers: { 'Impersonate-Group': 'a' } });
    expect([status, headers['x-content-type-options']]).toEqual([400, 'nosniff']);
  });

  it('falls back to the old permissions if the constrained one is denied', async () => {
    const headers = {
      'Impersonate-User': 'alice',
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['a', 'b'],
      'Impersonate-Extra-acme.com%2fproject': ['x', 'y'],
    };
    const result = await attempt(headers, ['impersonate ']);
    expect(result.seen).toEqual({
      name: 'alice',
      uid: '7',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { 'acme.com/project': ['x', 'y'] },
    });
    expect(result.authorized).toEqual([
      'impersonate-on:user-info:get pods n/p',
      'impersonate users alice',
      'impersonate authentication.k8s.io/uids 7',
      'impersonate groups a',
      'impersonate groups b',
      'impersonate authentication.k8s.io/userextras/acme.com/project x',
      'impersonate authentication.k8s.io/userextras/acme.com/project y',
    ]);
  });

  it('uses constrained impersonation if that is allowed', async () => {
    const headers = { 'Impersonate-User': 'alice', 'Impersonate-Group': 'a' };
    const result = await attempt(headers, ['impersonate-on:user-info:get', 'impersonate:user-info']);
    expect([result.status, result.seen?.groups, result.authorized]).toEqual([
      200,
      ['a', 'system:authenticated'],
      [
        'impersonate-on:user-info:get pods n/p',
        'impersonate:user-info authentication.k8s.io/users alice',
        'impersonate:user-info authentication.k8s.io/groups a',
      ],
    ]);
  });

  it.each<[Headers, UserInfo['groups']]>([
    [{ 'Impersonate-User': 'system:anonymous' }, ['system:unauthenticated']],
    [{ 'Impersonate-User': 'x', 'Impersonate-Group': 'system:unauthenticated' }, ['system:unauthenticated']],
    [
      { 'Impersonate-User': 'system:serviceaccount:n:sa' },
      ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
    ],
    [{ 'Impersonate-User': 'system:serviceaccount:n:sa', 'Impersonate-Group': 'g' }, ['g', 'system:authenticated']],
    [{ 'Impersonate-User': 'system:node:n1' }, ['system:authenticated']],
  ])('%j is in the groups %j', async (headers, groups) => {
    expect((await attempt(headers, ['impersonate '])).seen?.groups).toEqual(groups);
  });

  it('gives nodes their group the constrained way, and their own service accounts an easier one', async () => {
    const node = { 'Impersonate-User': 'system:node:n1' };
    const arbitrary = await attempt(node, ['impersonate-on:arbitrary-node', 'impersonate:arbitrary-node']);
    expect(arbitrary.seen?.groups).toEqual(['system:nodes', 'system:authenticated']);
    const account = (name: string): UserInfo => ({
      name: 'system:serviceaccount:n:agent',
      groups: [],
      extra: { 'authentication.kubernetes.io/node-name': [name] },
    });
    const easier = ['impersonate-on:associated-node', 'impersonate:associated-node'];
    const own = await attempt(node, easier, account('n1'));
    expect([own.seen?.name, own.authorized]).toEqual([
      'system:node:n1',
      ['impersonate-on:associated-node:get pods n/p', 'impersonate:associated-node authentication.k8s.io/nodes *'],
    ]);
    expect((await attempt(node, easier, account('n2'))).status).toBe(403);
  });

  it('says why not, by the first way that applies', async () => {
    expect(await attempt({ 'Impersonate-User': 'alice' }, [])).toMatchObject({
      status: 403,
      message:
        'pods "p" is forbidden: User "bob" cannot impersonate-on:user-info:get resource "pods" in API group "" in the namespace "n"',
    });
    const allowed = ['impersonate-on:user-info', 'impersonate:user-info authentication.k8s.io/users'];
    expect((await attempt({ 'Impersonate-User': 'a', 'Impersonate-Group': 'system:masters' }, allowed)).message).toBe(
      'groups.authentication.k8s.io "system:masters" is forbidden: User "bob" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
  });

  it('reads very many headers in a turn of its own', async () => {
    const headers = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`impersonate-extra-${i}`, 'v']));
    const order: string[] = [];
    setImmediate(() => order.push('another'));
    const { status, message } = await attempt(headers, []);
    order.push('refused');
    expect([status, message.length > 600, order]).toEqual([400, true, ['another', 'refused']]);
  });
});

describe('calls of the authorizer', () => {
  const headers = { 'impersonate-user': 'alice', 'impersonate-group': 'a' };

  /** The signals of all questions about one request, whose client leaves at the end. */
  async function signalsOf(isRemote: boolean): Promise<readonly (boolean | undefined)[]> {
    const signals: (AbortSignal | undefined)[] = [];
    const authorizer = {
      isRemote,
      authorize: (_: AuthorizationAttributes, signal?: AbortSignal) => {
        signals.push(signal);
        return { decision: 'NoOpinion' as const, reason: '' };
      },
    };
    const exchange = createInProcessExchange({ url: '/api/v1/pods', headers });
    exchange.context.requestInfo = resolveRequestInfo(exchange.request);
    exchange.context.user = bob;
    const filter = impersonation({ authorizer, clock: { now: () => 0 }, logger });
    await filter.wrap(() => ({ type: 'bytes', status: 200, body: undefined }))(exchange);
    exchange.abort(new Error('the client has left'));
    return signals.map((signal) => signal?.aborted);
  }

  it('end with the request if they go to another server', async () => {
    expect(await signalsOf(true)).toEqual([true, true]);
  });

  it('have no signal if they do not', async () => {
    expect(await signalsOf(false)).toEqual([undefined, undefined]);
  });
});
