import { describe, expect, it } from 'vitest';
import type { AuditAttributes } from './audit-attributes.js';
import type { PolicyRule } from './audit-policy.js';
import { newPolicyEvaluator } from './policy-evaluator.js';

const attributes = (more: Partial<AuditAttributes> = {}): AuditAttributes => ({
  user: { name: 'alice', groups: ['dev'], extra: {} },
  verb: 'get',
  readOnly: true,
  isResourceRequest: true,
  path: '/x',
  namespace: 'ns',
  name: 'n',
  apiGroup: 'apps',
  apiVersion: 'v1',
  resource: 'deployments',
  subresource: '',
  ...more,
});
const path = (text: string) => attributes({ isResourceRequest: false, path: text, resource: '', namespace: '' });
const scale = attributes({ subresource: 'scale' });

/** The rule matches the first requests, and not the others. */
const cases: readonly (readonly [Omit<PolicyRule, 'level'>, readonly AuditAttributes[], readonly AuditAttributes[]])[] =
  [
    [{}, [attributes(), path('/')], []],
    [{ users: ['bob', 'alice'] }, [attributes()], [attributes({ user: undefined })]],
    [{ users: ['bob'] }, [], [attributes()]],
    [{ userGroups: ['ops', 'dev'] }, [attributes()], [attributes({ user: undefined })]],
    [{ verbs: ['get'] }, [attributes()], [attributes({ verb: 'list' })]],
    [{ namespaces: ['ns'] }, [attributes()], [attributes({ namespace: '' }), path('/')]],
    [{ namespaces: [''] }, [attributes({ namespace: '' })], [attributes(), path('/')]],
    [{ resources: [{ group: 'apps' }] }, [attributes(), scale], [attributes({ apiGroup: '' }), path('/')]],
    [{ resources: [{ group: '*' }] }, [attributes(), attributes({ apiGroup: '' })], [path('/')]],
    [{ resources: [{ group: 'apps', resources: ['deployments'] }] }, [attributes()], [scale]],
    [{ resources: [{ group: 'apps', resources: ['*'] }] }, [attributes(), scale], [attributes({ apiGroup: '' })]],
    [{ resources: [{ group: 'apps', resources: ['deployments/scale'] }] }, [scale], [attributes()]],
    [{ resources: [{ group: 'apps', resources: ['*/scale'] }] }, [scale], [attributes()]],
    // A pattern of subresources matches the resource itself, too.
    [
      { resources: [{ group: 'apps', resources: ['deployments/*'] }] },
      [scale, attributes()],
      [attributes({ resource: 'x' })],
    ],
    [
      { resources: [{ group: 'apps', resources: ['deployments'], resourceNames: ['n'] }] },
      [attributes()],
      [attributes({ name: 'm' })],
    ],
    [{ resources: [{ group: 'apps', resourceNames: ['m'] }] }, [attributes()], []],
    [{ nonResourceURLs: ['/healthz', '/api*'] }, [path('/healthz'), path('/apis')], [path('/healthz/x'), attributes()]],
    [{ nonResourceURLs: ['*'] }, [path('/x')], [attributes()]],
  ];

describe('rules', () => {
  it.each(cases)('%j', (rule, matched, others) => {
    const evaluate = newPolicyEvaluator({ rules: [{ level: 'Metadata', ...rule }] });
    expect(matched.map((one) => evaluate(one).level)).toEqual(matched.map(() => 'Metadata'));
    expect(others.map((one) => evaluate(one).level)).toEqual(others.map(() => 'None'));
  });

  it('count in their order, with their own settings', () => {
    const evaluate = newPolicyEvaluator({
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'RequestResponse', verbs: ['get', 'list'] },
      ],
    });
    expect(['get', 'list', 'watch'].map((verb) => evaluate(attributes({ verb })))).toEqual([
      { level: 'Request', omitStages: new Set(['RequestReceived', 'Panic']), omitManagedFields: false },
      { level: 'RequestResponse', omitStages: new Set(['RequestReceived']), omitManagedFields: true },
      { level: 'None', omitStages: new Set(['RequestReceived']), omitManagedFields: true },
    ]);
  });
});
