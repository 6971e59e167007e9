import {
  type PolicyExpression,
  policyOutcome,
  type RecordedAuthorizer,
  type RuleOutcome,
} from '@apiserver/cel/testing';
import { it } from 'vitest';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { AUTHORIZER, BY_KIND, PARAMS, SHARED } from '../policy-paths.ts';
import { describeUpstream } from '../upstream-program.ts';
import { celDifference } from './cel-difference.ts';
import { RandomExpression, type TypedPath } from './random-expression.ts';

const IDENTITY = { group: 'apps', version: 'v1' };

const VALUES = {
  object: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', labels: { a: 'b', 'c/d': 'é' }, finalizers: ['x'], generation: 3 },
    spec: {
      replicas: 3,
      paused: false,
      selector: { matchLabels: { a: 'b' } },
      list: ['x', 'y', 'x'],
      nums: [4, 2, 9],
      mixed: [1, 'two', 3.5, null, true, [1], { a: 1 }],
      nothing: null,
      empty: {},
      ratio: 2.5,
      big: 9007199254740991,
      when: '2024-02-29T12:00:00Z',
      wait: '90s',
      memory: '512Mi',
      address: '10.1.2.3',
      template: {
        spec: { containers: [{ name: 'c1', image: 'a/b:1', ports: [{ containerPort: 80 }] }, { name: 'c2' }] },
      },
    },
  },
  oldObject: null,
  params: { limit: 2, list: ['a', 'b'], data: { a: 'x' }, metadata: { name: 'p' }, spec: { most: 3, text: '' } },
  request: {
    uid: 'u-1',
    kind: { ...IDENTITY, kind: 'Deployment' },
    resource: { ...IDENTITY, resource: 'deployments' },
    requestKind: { ...IDENTITY, kind: 'Deployment' },
    requestResource: { ...IDENTITY, resource: 'deployments' },
    name: 'web',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'alice', groups: ['dev', 'system:authenticated'], uid: 'u42', extra: { k: ['x', 'y'] } },
    object: null,
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  },
  namespaceObject: { metadata: { name: 'default', labels: { env: 'prod' } }, status: { phase: 'Active' } },
};

const RESOURCE = { group: 'apps', resource: 'deployments', subresource: '', namespace: 'default', name: 'web' };
const RULES: RecordedAuthorizer['rules'] = [
  { verb: 'get', decision: 'allow', reason: 'readers' },
  { verb: 'delete', decision: 'noOpinion', reason: '', error: 'down' },
  { verb: 'check', decision: 'deny', reason: 'never' },
  { verb: 'list', resource: 'secrets', decision: 'deny', reason: 'secret' },
  { verb: 'list', decision: 'allow', reason: 'lists' },
  { verb: 'watch', decision: 'noOpinion', reason: 'no' },
  { decision: 'noOpinion', reason: 'no rule' },
];

const spec = (types: Readonly<Record<string, readonly string[]>>): TypedPath[] =>
  Object.entries(types).flatMap(([type, names]) => names.map((name) => ({ path: `object.spec.${name}`, type })));

const PATHS: readonly TypedPath[] = [
  ...SHARED,
  ...AUTHORIZER,
  ...PARAMS,
  ...BY_KIND.Deployment,
  ...spec({
    strings: ['list', 'list.filter(l, l != "x")'],
    ints: ['nums', 'mixed'],
    anys: ['mixed', 'template.spec.containers'],
    any: ['nothing', 'empty', 'ratio', 'missing', 'template', 'mixed[6]'],
    int: ['replicas', 'big', 'nums[1]', 'template.spec.containers[0].ports[0].containerPort'],
    double: ['ratio', 'mixed[2]'],
    string: ['when', 'wait', 'memory', 'address', 'template.spec.containers[0].image'],
    quantityText: ['memory'],
    ipText: ['address'],
    optionalInt: ['?replicas', '?nums[?1]', '?missing.?x'],
    map: ['mixed[6]', 'empty', 'selector.matchLabels'],
    bool: ['paused'],
  }),
];

const MADE = [
  'Object{metadata: Object.metadata{labels: {"a": {string}}}}',
  'Object{spec: Object.spec{replicas: {int}, x: {any}}}',
  'Object{a: {any}} == Object{a: {any}}',
  'has(Object{a: {any}}.b)',
  '[JSONPatch{op: "add", path: "/" + jsonpatch.escapeKey({string}), value: {any}}]',
  'JSONPatch{op: {string}, path: {string}, from: {string}}.path',
  'JSONPatch{op: "add", path: "", value: {any}}.value',
  'jsonpatch.escapeKey({string})',
  'type(Object{})',
  'Object{?a: {optionalInt}}',
  'JSONPatch{op: 1}',
  'JSONPatch{other: {int}}',
];

function randomCase(random: Random): PolicyExpression {
  const mutation = random.chance(0.15);
  const made = new RandomExpression(random, PATHS);
  const expression = mutation
    ? random
        .of(MADE as [string, ...string[]])
        .replaceAll(/\{(string|int|any|strings|optionalInt)\}/g, (_, type) => made.text(type))
    : made.text();
  return { expression, mutation, values: VALUES, authorizer: { user: 'alice', request: RESOURCE, rules: RULES } };
}

/** Upstream and the recorded cases name rules by one field each. */
const asked = ({ authorizer, ...one }: PolicyExpression) => ({ ...one, authorizer: authorizer.rules });

/** Objects and patches are written in another way there. */
function difference(theirs: RuleOutcome, ours: RuleOutcome, one: PolicyExpression): unknown {
  const { value: _, ...without } = ours;
  const isMade = /^(?:list\()?(?:Object|JSONPatch)/.test(ours.type ?? '');
  return celDifference(theirs, isMade && theirs.value !== undefined ? { ...without, value: theirs.value } : ours, one);
}

describeUpstream('expressions of policies', (upstream) => {
  it('have upstream’s types, costs, values and errors', () =>
    compareCases<PolicyExpression, RuleOutcome>(
      { ask: (area, one) => upstream().ask(area, asked(one as PolicyExpression)) },
      { area: 'policyCel', randomCase, ours: policyOutcome, difference },
    ));
});
