import { expect, test } from 'vitest';
import { policyOutcome } from '../testing/policy-outcome.js';

const values = {
  object: { list: [1, 2], map: { a: 1 }, nothing: null },
  oldObject: null,
  params: { map: { a: 1 } },
  request: { userInfo: { username: 'alice', groups: ['a'], uid: 'u', extra: {} }, object: null },
  namespaceObject: null,
};
const request = { group: 'apps', resource: 'deployments', subresource: '', namespace: 'n', name: 'x' };
const authorizer = { user: 'alice', request, rules: [] };

function outcomeOf(expression: string): unknown {
  const { error, value } = policyOutcome({ expression, mutation: true, values, authorizer });
  return error ?? (value as { readonly v: unknown }).v;
}

// The outcomes are those of the program in test/upstream.
test.each<[string, unknown]>([
  // Without its type, an object has no fields.
  ['dyn(Object{a: 1}).a', 'no such key: a'],
  ['dyn(Object{a: 1})["a"]', 'no such key: a'],
  ['has(dyn(Object{a: 1}).a)', false],
  ['Object{a: 1}.?a', null],
  ['dyn(Object{a: 1}).?b', null],
  ['[dyn(Object{a: 1})].map(x, x.a)', 'no such key: a'],
  // By its type, it is read as a map.
  ['Object{a: 1}.b', null],
  ['has(Object{a: 1}.b)', false],
  ['Object{a: Object.a{b: 2}}.a == {"b": 2}', true],
  ['Object{a: Object.a{b: 2}}.a == Object.a{b: 2}', false],
  ['type(Object{a: [Object.a{b: 1}]}.a[0])', 'map'],
  ['type(Object{a: {"x": Object.a{b: 1}}}.a.x)', 'map'],
  ['Object{a: Object.a{b: 1}}.a.map(k, k) == ["b"]', true],
  ['Object{a: [1] + [2]}.a == [1, 2]', true],
  ['Object{a: type(1)}.a', 'int'],
  ['Object{a: {type(1): 2}}.a["int"]', '2'],
  ['Object{a: optional.none()}.a', null],
  ['Object{a: quantity("1")}.a', 'unsupported conversion to ref.Val: (*resource.Quantity)1'],
  ['Object{a: {1: 2}}.b', 'cannot get field "b"'],
  ['has(Object{a: {1: 2}}.a)', false],
  [
    'Object{a: Object.a{c: {1: 2}}}.a',
    String.raw`fail to convert field "c": map key '\x01' is of type types.Int, not string`,
  ],
  ['optional.of(Object{a: Object.a{b: 1}}).?a.b', { t: 'int', v: '1' }],
  ['JSONPatch{op: "add"}.?value', null],
  ['JSONPatch{}.?op', null],
  ['JSONPatch{}.?other', 'unsupported field: other'],
  // An index is what Go holds, if it comes from a variable.
  ['object.list[object.list]', 'invalid qualifier type: []interface {}'],
  ['object.list[object.nothing]', 'invalid qualifier type: <nil>'],
  ['object.list[params.map]', 'invalid qualifier type: map[string]interface {}'],
  ['object.list[true ? object.list : object.map]', 'invalid qualifier type: []interface {}'],
  ['[object.list].all(x, object.list[x] == 1)', 'invalid qualifier type: *types.baseList'],
  ['object.list[dyn(object.list)]', 'invalid qualifier type: *types.baseList'],
])('%s, as in upstream', (expression, outcome) => {
  expect(outcomeOf(expression)).toEqual(outcome);
});
