import { expect, test } from 'vitest';
import { checkExpression } from '../check/check-expression.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { type DeclType, declTypeProvider, nameTypes } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { recordedValue } from '../testing/recorded-value.js';
import { DYN } from '../types/cel-type.js';
import { COST_LIMIT_EXCEEDED } from '../values/errors.js';
import { EvaluationError, type Value } from '../values/value.js';
import { dynView } from '../views/dyn-view.js';
import { jsonView } from '../views/json-view.js';
import { kubernetesImplementations } from './kubernetes-implementations.js';
import { compileProgram, type Program } from './program.js';

const declared = declareKubernetesFunctions();
const functions = kubernetesImplementations();

const SCHEMA: CelSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    'max-replicas': { type: 'integer' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' } } },
    },
    zones: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    rates: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } },
    pairs: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: 'object', properties: { a: { type: 'string' } } },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    since: { type: 'string', format: 'date-time' },
    mixed: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
    constructor: { type: 'string' },
    note: { type: 'string', nullable: true },
  },
};

const SELF = {
  replicas: 3,
  'max-replicas': 5,
  ports: [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ],
  zones: ['a', 'b'],
  rates: [0.5, 2],
  pairs: [{ a: 'b' }],
  labels: { app: 'web' },
  since: '2024-02-29T12:00:00Z',
  mixed: ['a', true],
  note: null,
};

function selfType(): DeclType {
  const decl = schemaDeclType(SCHEMA, false);
  if (decl === undefined) throw new TypeError('the schema has no type');
  return nameTypes(decl, 'self');
}

const decl = selfType();

function compile(text: string): Program | EvaluationError {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) throw new TypeError(parsed.toString());
  const variables = new Map([
    ['self', decl.type],
    ['object', DYN],
    ['absent', DYN],
  ]);
  const checked = checkExpression(parsed, { functions: declared, variables, types: declTypeProvider(decl) });
  if (checked instanceof ExpressionErrors) throw new TypeError(checked.toString());
  return compileProgram(checked, { functions, variables: [...variables.keys()] });
}

const BINDINGS: readonly (Value | undefined)[] = [
  jsonView(SELF, decl),
  dynView({ a: { b: 2 }, n: null, l: [{ a: 1 }, null, 1.5] }),
  undefined,
];

/** The outcome of an expression as `type:value for cost` or `error for cost`. */
function outcome(text: string, limit = 1_000_000): string {
  const program = compile(text);
  if (program instanceof EvaluationError) return `program: ${program.message}`;
  const { result, cost } = program.evaluate(BINDINGS, limit);
  if (result instanceof EvaluationError) return `${result.message} for ${cost}`;
  const { t, v } = recordedValue(result);
  return `${t}:${typeof v === 'object' ? JSON.stringify(v) : v} for ${cost}`;
}

test.each([
  ['1 + 2', 'int:3 for 1'],
  ['9007199254740991 + 1', 'int:9007199254740992 for 1'],
  ['9223372036854775807 + 1', 'integer overflow for 1'],
  ['-7 / 2', 'int:-3 for 1'],
  ['1 / 0', 'division by zero for 1'],
  ['1u - 2u', 'unsigned integer overflow for 1'],
  ['"é" + "b"', 'string:éb for 1'],
  ['"\\uFFFD" < "\\U0001F600"', 'bool:true for 1'],
  ['size("a\\U0001F600")', 'int:2 for 1'],
  ['dyn(1) == 1.0', 'bool:true for 1'],
  ['[1, 2] == [1, 2]', 'bool:true for 1'],
  ['{"a": 1}["b"]', 'no such key: b for 2'],
  ['[1, 2][2]', 'index out of bounds: 2 for 2'],
  ['true || 1 / 0 == 1', 'bool:true for 0'],
  ['1 / 0 == 1 || true', 'bool:true for 2'],
  ['int("x")', "program: type conversion error from 'string' to 'int'"],
  ['self.replicas <= self.max__dash__replicas', 'bool:true for 5'],
  ['has(self.note)', 'bool:false for 1'],
  ['has(self.constructor)', 'bool:false for 1'],
  ['self.since.getHours("+02:00")', 'int:14 for 3'],
  ['self.zones == ["b", "a"]', 'bool:true for 3'],
  // Upstream looks for the double 2.0 among the numbers of JSON.
  ['self.rates == self.rates', 'bool:false for 5'],
  ['self.zones == self.zones', 'bool:true for 5'],
  ['"%s".format([self.ports + dyn([1])])', 'error during formatting: no formatting function for error for 14'],
  ['self.zones + ["b", "c"] == ["a", "b", "c"]', 'bool:true for 4'],
  ['self.ports.all(p, p.port < 1000)', 'bool:true for 15'],
  ['self.ports.map(p, p.name)', 'list:[{"t":"string","v":"http"},{"t":"string","v":"https"}] for 31'],
  ['self.labels.all(k, k == "app")', 'bool:true for 8'],
  ['object.a.b', 'int:2 for 3'],
  ['object.n == null', 'bool:true for 3'],
  ['object.?a.?c.orValue(7)', 'int:7 for 2'],
  ['has(object.?a.c)', 'bool:false for 1'],
  ['has(object.?c.d)', 'bool:false for 0'],
  ['has(object.?a.b)', 'bool:true for 2'],
  ['absent', 'no such attribute(s): absent for 1'],
  ['type(self)', 'type:map for 2'],
  ['2 in [1, 2]', 'bool:true for 0'],
  ['duration("1h30m").getMinutes()', 'int:90 for 1'],
  // Go divides in doubles.
  ['duration("875999h59m59.999999935s").getSeconds()', 'int:3153600000 for 1'],
  ['string(timestamp("2023-01-01T00:00:00+02:00"))', 'string:2023-01-01T00:00:00+02:00 for 0'],
])('%s is %s', (text, expected) => {
  expect(outcome(text)).toBe(expected);
});

// Outcomes of cel-go with Kubernetes' environment, found by changing recorded expressions at random.
test.each([
  // The test of a field inside a branch costs as anywhere; one of a selection of the whole conditional is discounted.
  ['has(object.a) ? has(object.a) : false', 'bool:true for 2'],
  ['false ? has(object.a) : object.a.b', 'int:2 for 2'],
  ['has((true ? object : object).a)', 'bool:true for 0'],
  // A cost below zero is a very high one.
  ['has((true ? object : object).?x.b)', 'operation cancelled: actual cost limit exceeded for 18446744073709552000'],
  ['[1, 2].flatten(-9223372036854775808)', 'operation cancelled: actual cost limit exceeded for 9223372036854776000'],
  ['[1].all(x, has((true ? object : object).?x.b))', 'bool:false for 3'],
  // Entries that are null
  ['{"k": null}.transformMap(k, v, v)', 'map:[[{"t":"string","v":"k"},{"t":"null","v":null}]] for 5'],
  // Keys that are themselves only, and keys that none may be
  ['{[1]: 1}', 'map:[[{"t":"list","v":[{"t":"int","v":"1"}]},{"t":"int","v":"1"}]] for 0'],
  ['{[1]: 1} == {[1]: 1}', 'bool:false for 1'],
  ['{optional.of(1): 1}.size()', 'int:1 for 32'],
  ['dyn([1]) in {"a": 1}', 'bool:false for 1'],
  ['dyn(b"a") in {"a": 1}', 'internal error: runtime error: hash of unhashable type types.Bytes for 0'],
  [
    '{semver("1.2.3"): 1}.size() == 1 || true',
    'internal error: runtime error: hash of unhashable type cel.Semver for 1',
  ],
  ['dyn(b"a") in {}', 'bool:false for 1'],
  ['{?dyn(b"b"): optional.none()}', 'internal error: hash of unhashable type: types.Bytes for 1'],
  ['dyn(b"a") in ["a"] || true', 'internal error: runtime error: hash of unhashable type types.Bytes for 0'],
  ['dyn(semver("1.2.3")) in [1]', 'internal error: runtime error: hash of unhashable type cel.Semver for 2'],
  ['dyn([1]) in [1]', 'bool:false for 0'],
  ['{format.byte(): 1}', 'internal error: runtime error: hash of unhashable type cel.Format for 1'],
  [
    '[b"a"].transformMapEntry(i, v, {v: 1})',
    'internal error: runtime error: hash of unhashable type types.Bytes for 2',
  ],
  ['self.pairs == self.pairs', 'internal error: runtime error: hash of unhashable type map[string]interface {} for 4'],
  ['self.pairs + self.pairs', 'internal error: runtime error: hash of unhashable type map[string]interface {} for 4'],
  [
    'self.pairs + self.pairs.map(x, x)',
    'internal error: runtime error: hash of unhashable type map[string]interface {} for 18',
  ],
  // Keys of other types than strings are no strings
  ['dyn(1.5) in {"double 1.5": 1}', 'bool:false for 1'],
  ['dyn(duration("1s")) in {"duration 1000000000": 1}', 'bool:false for 1'],
  ['dyn(timestamp(0)) in {"timestamp 0.0": 1}', 'bool:false for 1'],
  ['dyn(ip("::1")) in {"ip ::1": 1}', 'bool:false for 3'],
  ['{dyn("null "): 1, dyn(null): 2, dyn("null"): 3}.size()', 'int:3 for 1'],
  // Equal numbers of several types are keys of their own, and the look-up of one finds another
  ['{dyn(1): "a", dyn(1u): "b", dyn(1.0): "c"}.size()', 'int:3 for 1'],
  ['{dyn(1): "a", dyn(1u): "b"}[dyn(1u)]', 'string:b for 2'],
  ['{dyn(1): "a", dyn(1u): "b"}[dyn(1.0)]', 'string:a for 2'],
  ['{dyn(1): "a", dyn(1.0): "b"}[dyn(1.0)]', 'string:b for 2'],
  ['{dyn(1.0): "a", dyn(1u): "b"}[dyn(1)]', 'string:b for 2'],
  ['{dyn(1.0): "a"}[dyn(1)]', 'no such key: 1 for 2'],
  ['{dyn(1.0): 1} == {dyn(1): 1}', 'bool:true for 1'],
  ['{dyn(1): 1} == {dyn(1.0): 1}', 'bool:false for 1'],
  ['{dyn(-0.0): 1, dyn(0.0): 2}.size()', 'int:1 for 1'],
  ['{dyn(0.0 / 0.0): 1, dyn(0.0 / 0.0): 2}.size()', 'int:2 for 35'],
  ['dyn(0.0 / 0.0) in {dyn(0.0 / 0.0): 1}', 'bool:false for 35'],
  // Costs that are counted by an argument of another type
  [
    '[1 / 0].distinct() == [1] || true',
    'internal error: interface conversion: *types.Err is not traits.Lister: missing method Add for 11',
  ],
  [
    'dyn(1).distinct()',
    'internal error: interface conversion: types.Int is not traits.Lister: missing method Contains for 0',
  ],
  ['[1, 2].flatten(dyn("a"))', 'internal error: interface conversion: ref.Val is types.String, not types.Int for 0'],
  // Arguments that fit no overload
  ['dyn(2u).sort()', 'no such overload: sort for 1'],
  ['dyn("a").sort()', 'no such overload for 1'],
  ['dyn(0.0).matches("a")', 'no such overload for 1'],
  ['dyn(0.0).matches("a" + "")', 'no such overload: matches for 2'],
  ['dyn(0.0).find("a")', 'no such overload for 1'],
  ['dyn(0.0).find("a" + "")', 'no such overload: find(double, string) for 2'],
  ['"a".charAt(10).format([true])', 'index out of range: 10 for 1'],
  // Names of types that have no value
  ['type(1) == duration', 'program: reference to undefined type: duration'],
  ['type(duration("1s")) == google.protobuf.Duration', 'bool:true for 1'],
  // Zones with unprintable characters
  ['self.since.getHours("+0\\u2028:00")', 'strconv.Atoi: parsing "+0\\u2028": invalid syntax for 3'],
  ['self.since.getHours("a\\u0000b")', 'invalid argument for 3'],
  ['self.since.getHours("Europe/")', 'is a directory for 3'],
  ['self.since.getHours("PST")', 'unknown time zone PST for 3'],
  ['self.since.getHours("EUROPE/Berlin")', 'unknown time zone EUROPE/Berlin for 3'],
  ['[?object.l]', 'cannot initialize optional list element from non-optional value [map[a:1], <nil>, 1.5] for 12'],
  // Indexes beyond int64
  ['[1][?dyn(1e20)]', 'unsupported index value 1e+20 in list for 1'],
  ['[1][dyn(18446744073709551615u)]', 'unsupported index value 18446744073709551615 in list for 2'],
  // Elements of a list without a schema are as Go holds them.
  ['[dyn("a"), object.l].join()', 'join: invalid input: [map[a:1], <nil>, 1.5] for 13'],
  // An element that is none of its schema
  [
    'self.mixed.join()',
    'join: invalid input: invalid data, expected XIntOrString value to be either a string or integer for 3',
  ],
  // Constants that select nothing
  ['object[dyn(null)]', 'program: invalid qualifier type: types.Null'],
  ['object[dyn([1])]', 'program: invalid qualifier type: *types.baseList'],
  // An optional that is read holds Go's value, which may be of no type.
  ['optional.of(quantity("1")).optMap(q, q).value()', 'unsupported conversion to ref.Val: (*resource.Quantity)1 for 9'],
  [
    '(true ? optional.of(ip("::1")) : optional.none()).orValue(ip("::2")).family()',
    'unsupported conversion to ref.Val: (netip.Addr)::1 for 3',
  ],
  [
    '(true ? optional.of(url("https://a/b")) : optional.none()).value()',
    'unsupported conversion to ref.Val: (*url.URL)https://a/b for 4',
  ],
  [
    '(true ? optional.of(cidr("10.1.0.0/16")) : optional.none()).value()',
    'unsupported conversion to ref.Val: (netip.Prefix)10.1.0.0/16 for 4',
  ],
  [
    '(true ? optional.of(ip("::1")) : optional.none()).value()',
    'unsupported conversion to ref.Val: (netip.Addr)::1 for 3',
  ],
  [
    '(true ? optional.of(semver("1.2.3")) : optional.none()).value()',
    'unsupported conversion to ref.Val: (semver.Version)1.2.3 for 3',
  ],
  [
    'optional.of(true).optFlatMap(x, optional.of(true).optFlatMap(y, optional.of(cidr("::/8"))))',
    'optional:{"t":"error","v":"unsupported conversion to ref.Val: (*errors.errorString)unsupported conversion to ref.Val: (netip.Prefix)::/8"} for 6',
  ],
  ['optional.of(quantity("1")).optMap(q, [q]).value() == [quantity("1")]', 'bool:true for 31'],
])('%s is %s, as in cel-go', (text, expected) => {
  expect(outcome(text)).toBe(expected);
});

test('an evaluation ends as soon as it costs more than it may', () => {
  const program = compile('[1, 2, 3].all(x, [1, 2, 3].all(y, true))');
  if (program instanceof EvaluationError) throw new TypeError(program.message);
  expect(program.evaluate(BINDINGS, 10)).toEqual({ result: COST_LIMIT_EXCEEDED, cost: 11 });
});

test('an evaluation ends that compares values without end', () => {
  const deep = (): unknown => {
    let json: unknown = {};
    for (let depth = 0; depth < 100_000; depth++) json = { a: json };
    return json;
  };
  const program = compile('object == absent');
  if (program instanceof EvaluationError) throw new TypeError(program.message);
  const { result } = program.evaluate([undefined, dynView(deep()), dynView(deep())], 1000);
  expect(result).toBe(COST_LIMIT_EXCEEDED);
});

test('an evaluation ends that does more work than its cost tells', () => {
  const many = () => Array.from({ length: 200_000 }, (_, index) => index);
  const program = compile('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(x, [x]).all(x, [x].all(y, [object] == [absent]))');
  if (program instanceof EvaluationError) throw new TypeError(program.message);
  const { result } = program.evaluate(
    [undefined, dynView([many(), many(), many()]), dynView([many(), many(), many()])],
    1000,
  );
  expect(result).toBe(COST_LIMIT_EXCEEDED);
});

test('a list that a comprehension made does not grow any more', () => {
  expect(outcome('[[1].map(x, x)].map(l, [l + [2], l])')).toContain(
    '[{"t":"list","v":[{"t":"list","v":[{"t":"int","v":"1"},{"t":"int","v":"2"}]},{"t":"list","v":[{"t":"int","v":"1"}]}]}]',
  );
});
