import type { PolicyRulesWithSubjects, Subject } from '@apiserver/api/flowcontrol/v1';
import type { RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { flowSchema } from '../bootstrap/bootstrap-objects.js';
import { flowMatcher } from './flow-matcher.js';

const NO_RESOURCE: RequestInfo = {
  isResourceRequest: false,
  path: '/a/b',
  verb: 'get',
  apiPrefix: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
};
const POD: RequestInfo = {
  ...NO_RESOURCE,
  isResourceRequest: true,
  apiVersion: 'v1',
  namespace: 'n',
  resource: 'pods',
};
const ALICE: UserInfo = { name: 'alice', groups: ['dev', 'system:authenticated'], extra: {} };
const ROBOT: UserInfo = { name: 'system:serviceaccount:ns:robot', groups: [], extra: {} };

const ANY = ['*'];
const RESOURCES = { verbs: ANY, apiGroups: ANY, resources: ANY, namespaces: ANY };
const EVERYBODY: Subject[] = [{ kind: 'Group', group: { name: '*' } }];

function matches(rule: PolicyRulesWithSubjects, info: RequestInfo, user = ALICE): boolean {
  return flowMatcher(flowSchema('a', { level: 'b', precedence: 9 }, rule))(info, user);
}

describe('subjects', () => {
  it.each<[Subject, UserInfo, boolean]>([
    [{ kind: 'User', user: { name: 'alice' } }, ALICE, true],
    [{ kind: 'User', user: { name: '*' } }, ROBOT, true],
    [{ kind: 'User', user: { name: 'bob' } }, ALICE, false],
    [{ kind: 'Group', group: { name: 'dev' } }, ALICE, true],
    [{ kind: 'Group', group: { name: 'ops' } }, ALICE, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'robot' } }, ROBOT, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: '*' } }, ROBOT, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }, ROBOT, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'robo' } }, ROBOT, false],
    [{ kind: 'User' }, ALICE, false],
    [{ kind: 'Robot' }, ALICE, false],
  ])('%j', (subject, user, expected) => {
    expect(matches({ subjects: [subject], resourceRules: [RESOURCES] }, POD, user)).toBe(expected);
  });
});

describe('resources', () => {
  it.each<[object, Partial<RequestInfo>, boolean]>([
    [{}, {}, true],
    [{ verbs: ['list'] }, {}, false],
    [{ resources: ['pods'] }, {}, true],
    [{ resources: ['pods'] }, { subresource: 'status' }, false],
    [{ resources: ['pods/status'] }, { subresource: 'status' }, true],
    [{ apiGroups: [''] }, {}, true],
    [{ apiGroups: ['apps'] }, {}, false],
    [{ namespaces: ['m'] }, {}, false],
    [{ namespaces: ['m', 'n'] }, {}, true],
    [{}, { namespace: '' }, false],
    [{ clusterScope: true, namespaces: null }, { namespace: '' }, true],
    [{ clusterScope: true, namespaces: null }, {}, false],
  ])('%j for %j', (rule, info, expected) => {
    const resourceRules = [{ ...RESOURCES, verbs: ['get'], ...rule }];
    expect(matches({ subjects: EVERYBODY, resourceRules }, { ...POD, ...info })).toBe(expected);
  });
});

describe('paths', () => {
  it.each<[string, boolean]>([
    ['*', true],
    ['/a/b', true],
    ['/a/*', true],
    ['/a', true],
    ['/a/b/', false],
    ['/a/b/*', false],
    ['/aa', false],
    ['/', true],
  ])('%s', (path, expected) => {
    const rule = { subjects: EVERYBODY, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [path] }] };
    expect(matches(rule, NO_RESOURCE)).toBe(expected);
    expect(matches(rule, POD)).toBe(false);
  });
});
