import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { AuthorizationAttributes, Logger, UserInfo } from '@apiserver/apiserver-contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { authorizerSuite } from '../testing/authorizer-suite.js';
import { abacAuthorizer } from './abac-authorizer.js';
import { loadPolicyFile } from './load-policy-file.js';

const folder = mkdtempSync(join(tmpdir(), 'abac-'));
const path = join(folder, 'policies');
afterAll(() => rmSync(folder, { recursive: true }));

const warnings: string[] = [];
const logger: Logger = {
  info: () => {},
  warning: (message) => void warnings.push(message),
  error: () => {},
  v: () => undefined,
  named: () => logger,
};

function load(text: string) {
  writeFileSync(path, text);
  warnings.length = 0;
  return loadPolicyFile(path, logger);
}

const v1beta1 = (spec: object) =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });

/** The examples of upstream's documentation of ABAC mode. */
const documented = [
  v1beta1({ user: 'alice', namespace: '*', resource: '*', apiGroup: '*' }),
  v1beta1({ user: 'kubelet', namespace: '*', resource: 'pods', readonly: true }),
  v1beta1({ user: 'kubelet', namespace: '*', resource: 'events' }),
  v1beta1({ user: 'bob', namespace: 'projectCaribou', resource: 'pods', readonly: true }),
  v1beta1({ group: 'system:authenticated', readonly: true, nonResourcePath: '*' }),
  v1beta1({ group: 'system:unauthenticated', readonly: true, nonResourcePath: '*' }),
].join('\n');

authorizerSuite('ABAC', () => abacAuthorizer(load(documented)));

const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups, extra: {} });
const authenticated = 'system:authenticated';
const nonResource = { isResourceRequest: false, namespace: '', resource: '', name: '' };

async function decide(policies: string, attributes: Partial<AuthorizationAttributes>) {
  const { decision, reason } = await abacAuthorizer(load(policies)).authorize(testAttributes(attributes));
  return decision === 'Allow' ? decision : `${decision}: ${reason}`;
}

const refused = 'NoOpinion: No policy matched.';
const write = { verb: 'create', readOnly: false };

describe('abacAuthorizer', () => {
  it.each<[what: string, policies: string, attributes: Partial<AuthorizationAttributes>, decision: string]>([
    ['alice may do anything', documented, { user: user('alice'), apiGroup: 'apps', ...write }, 'Allow'],
    ['alice has no path', documented, { user: user('alice'), ...nonResource, path: '/x' }, refused],
    ['the kubelet reads pods', documented, { user: user('kubelet') }, 'Allow'],
    ['the kubelet cannot write pods', documented, { user: user('kubelet'), ...write }, refused],
    ['the kubelet writes events', documented, { user: user('kubelet'), resource: 'events', ...write }, 'Allow'],
    ['bob reads pods of his project', documented, { user: user('bob'), namespace: 'projectCaribou' }, 'Allow'],
    ['bob reads no other pods', documented, { user: user('bob') }, refused],
    ['a group', documented, { user: user('x', authenticated), ...nonResource, path: '/x' }, 'Allow'],
    ['a policy without subject', v1beta1({ namespace: '*', resource: '*', apiGroup: '*' }), {}, refused],
    ['user * means authenticated', v1beta1({ user: '*', namespace: '*', resource: '*', apiGroup: '*' }), {}, refused],
    [
      'an authenticated user for *',
      v1beta1({ group: '*', namespace: '*', resource: '*', apiGroup: '*' }),
      { user: user('x', authenticated) },
      'Allow',
    ],
    [
      'user and group',
      v1beta1({ user: 'x', group: 'g', resource: 'pods', namespace: '*' }),
      { user: user('x') },
      refused,
    ],
    [
      'a path with a prefix',
      v1beta1({ user: 'x', nonResourcePath: '/logs/**' }),
      { user: user('x'), ...nonResource, path: '/logs/a' },
      'Allow',
    ],
    [
      'another path',
      v1beta1({ user: 'x', nonResourcePath: '/logs/*' }),
      { user: user('x'), ...nonResource, path: '/log' },
      refused,
    ],
    [
      'the oldest form allows what it does not name',
      '{"user":"x"}',
      { user: user('x'), apiGroup: 'apps', ...write },
      'Allow',
    ],
    ['also paths', '{"user":"x"}', { user: user('x'), ...nonResource, path: '/x' }, 'Allow'],
    [
      'no paths with a resource',
      '{"user":"x","resource":"pods"}',
      { user: user('x'), ...nonResource, path: '/x' },
      refused,
    ],
    ['all authenticated users', '{"namespace":"ns"}', { user: user('x', authenticated) }, 'Allow'],
    ['no other users', '{"namespace":"ns"}', { user: user('x') }, refused],
    [
      'the oldest form by its version',
      '{"apiVersion":"abac.authorization.kubernetes.io/v0","kind":"Policy","user":"x","readonly":true}',
      { user: user('x'), ...write },
      refused,
    ],
  ])('%s', async (_what, policies, attributes, decision) => {
    expect(await decide(policies, attributes)).toBe(decision);
  });

  it('lists the rules of a user', async () => {
    const policies = load(
      [
        v1beta1({ user: 'bob', namespace: 'ns', resource: 'pods', apiGroup: '', readonly: true }),
        v1beta1({ user: 'bob', namespace: '*', resource: '*', apiGroup: 'apps' }),
        v1beta1({ user: 'bob', namespace: 'other', resource: 'secrets' }),
        v1beta1({ user: 'bob', namespace: '*', nonResourcePath: '/x' }),
        v1beta1({ user: 'eve', namespace: '*', resource: '*' }),
      ].join('\n'),
    );
    expect(await abacAuthorizer(policies).rulesFor(user('bob'), 'ns')).toEqual({
      resourceRules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'], resourceNames: [] },
        { verbs: ['*'], apiGroups: ['apps'], resources: ['*'], resourceNames: [] },
      ],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x'] }],
      incomplete: false,
      errors: [],
    });
  });
});

describe('loadPolicyFile', () => {
  it('skips comments and blank lines, ignores unknown fields, and warns of lines without a version', () => {
    const policies = load(`# a comment\r\n\n  \n${v1beta1({ user: 'a', unknown: 1 })}\r\n{"user":"b"}`);
    expect(policies.map((policy) => policy.user)).toEqual(['a', 'b']);
    expect(warnings).toEqual([
      `Policy file ${path} contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file format details.`,
    ]);
  });

  const where = (line: number, text: string) => `error reading policy file ${path}, line ${line}: ${text}: `;
  it.each<[text: string, line: number, message: string]>([
    ['{"user":', 1, "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    ['{"user":3}', 1, 'json: cannot unmarshal number into Go struct field Policy.user of type string'],
    [
      v1beta1({ readonly: 'yes' }),
      1,
      'json: cannot unmarshal string into Go struct field PolicySpec.spec.readonly of type bool',
    ],
    [
      '{"apiVersion":"v1","kind":"Pod"}',
      1,
      'no kind "Pod" is registered for version "v1" in scheme "pkg/apis/abac/register.go:33"',
    ],
  ])('%s is an error', (text, line, message) => {
    expect(() => load(text)).toThrow(`${where(line, text)}${message}`);
    expect(() => load(`\n# a comment\n${text}\n`)).toThrow(`${where(line + 2, text)}${message}`);
  });

  it('refuses very long lines and a missing file, as upstream', () => {
    const long = (length: number) => `# ${'x'.repeat(length - 2)}\n`;
    expect(load(long(65_535))).toEqual([]);
    const message = `error reading policy file ${path}: bufio.Scanner: token too long`;
    const attempt = (text: string) => {
      try {
        return load(text);
      } catch (error) {
        return messageOf(error);
      }
    };
    expect(attempt(long(65_536))).toBe(message);
    expect(attempt('x'.repeat(65_536))).toBe(message);
    expect(() => loadPolicyFile(join(folder, 'none'), logger)).toThrow(
      `open ${join(folder, 'none')}: no such file or directory`,
    );
  });
});
