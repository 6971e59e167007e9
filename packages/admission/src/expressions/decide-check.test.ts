import { parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import type { AuthorizationAttributes, AuthorizationResult } from '@apiserver/apiserver-contracts';
import type { AuthorizationCheck, CheckedResource } from '@apiserver/cel';
import { expect, test } from 'vitest';
import { decideCheck } from './decide-check.js';

const USER = { name: 'alice', groups: ['dev'], extra: {} };
const TARGET: CheckedResource = {
  group: 'apps',
  resource: 'deployments',
  subresource: 'scale',
  namespace: 'ns',
  name: 'web',
  fieldSelector: undefined,
  labelSelector: undefined,
};
const CHECK: AuthorizationCheck = { verb: 'get', target: TARGET, serviceAccount: undefined };
const ALLOWED: AuthorizationResult = { decision: 'Allow', reason: 'rule' };

/** The decision, and the attributes that the authorizer got. */
async function decided(
  check: Partial<AuthorizationCheck>,
  result: () => AuthorizationResult | Promise<AuthorizationResult> = () => ALLOWED,
) {
  const asked: AuthorizationAttributes[] = [];
  const authorizer = {
    authorize: (attributes: AuthorizationAttributes) => {
      asked.push(attributes);
      return result();
    },
  };
  const decision = await decideCheck(authorizer, USER, { ...CHECK, ...check }, new AbortController().signal);
  return { decision, asked: asked[0] };
}

test('a check of a path has no resource', async () => {
  expect(await decided({ target: { path: '/healthz' } })).toEqual({
    decision: { allowed: true, reason: 'rule', error: undefined },
    asked: {
      user: USER,
      verb: 'get',
      readOnly: true,
      isResourceRequest: false,
      path: '/healthz',
      apiGroup: '',
      apiVersion: '',
      namespace: '',
      resource: '',
      subresource: '',
      name: '',
    },
  });
});

test('a check of a resource has any version', async () => {
  expect(await decided({ verb: 'update' }, () => ({ decision: 'Deny', reason: '' }))).toEqual({
    decision: { allowed: false, reason: '', error: undefined },
    asked: {
      user: USER,
      verb: 'update',
      readOnly: false,
      isResourceRequest: true,
      path: '',
      apiGroup: 'apps',
      apiVersion: '*',
      namespace: 'ns',
      resource: 'deployments',
      subresource: 'scale',
      name: 'web',
    },
  });
});

test('three verbs are read-only', async () => {
  const verbs = ['get', 'list', 'watch', 'create'];
  const found = verbs.map(async (verb) => (await decided({ verb })).asked?.readOnly);
  expect(await Promise.all(found)).toEqual([true, true, true, false]);
});

test('a check of a service account has its user', async () => {
  const serviceAccount = { namespace: 'ns', name: 'builder' };
  const { asked } = await decided({ serviceAccount });
  expect(asked?.user).toEqual({
    name: 'system:serviceaccount:ns:builder',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
    extra: {},
  });
});

test('selectors restrict a check, unless they do not parse', async () => {
  const fieldSelector = parseFieldSelector('a=b');
  const labelSelector = parseLabelSelector('c=d');
  const selected = {
    ...TARGET,
    fieldSelector: { selector: fieldSelector },
    labelSelector: { selector: labelSelector },
  };
  const wrong = { ...TARGET, fieldSelector: { error: 'x' }, labelSelector: { error: 'y' } };
  const { asked } = await decided({ target: selected });
  expect([asked?.fieldSelector, asked?.labelSelector]).toEqual([fieldSelector, labelSelector]);
  expect((await decided({ target: wrong })).asked).toEqual((await decided({})).asked);
});

test('an error of the authorizer is one of the check', async () => {
  const error = new Error('down');
  const found = [
    () => ({ decision: 'NoOpinion' as const, reason: 'r', error }),
    () => Promise.resolve({ decision: 'Allow' as const, reason: 'later' }),
    () => Promise.reject(error),
    () => {
      throw error;
    },
  ].map(async (result) => (await decided({}, result)).decision);
  expect(await Promise.all(found)).toEqual([
    { allowed: false, reason: 'r', error: 'down' },
    { allowed: true, reason: 'later', error: undefined },
    { allowed: false, reason: '', error: 'down' },
    { allowed: false, reason: '', error: 'down' },
  ]);
});
