import { describe, expect, test } from 'vitest';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { declTypeProvider, nameTypes } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { type CelSchema, schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { DYN, typeString } from '../types/cel-type.js';
import { checkExpression } from './check-expression.js';
import type { CheckEnvironment } from './environment.js';
import { validateLiterals } from './validate-literals.js';

const SCHEMA: CelSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    'a-b': { type: 'string', format: 'date-time' },
    namespace: { type: 'string' },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'object', additionalProperties: { type: 'string', maxLength: 10 } },
    parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    anything: {},
  },
};

function environmentOf(schema: CelSchema): CheckEnvironment {
  const decl = schemaDeclType(schema, false);
  if (decl === undefined) throw new TypeError('the schema has no type');
  const self = nameTypes(decl, 'selfType');
  const variables = new Map([
    ['self', self.type],
    ['object', DYN],
  ]);
  return { functions: declareKubernetesFunctions(), variables, types: declTypeProvider(self) };
}

const ENVIRONMENT = environmentOf(SCHEMA);

/** The type of an expression, or the first line of each of its errors. */
function check(text: string): string {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) throw new TypeError(parsed.toString());
  const checked = checkExpression(parsed, ENVIRONMENT);
  const errors = checked instanceof ExpressionErrors ? checked : validateLiterals(checked);
  if (errors === undefined && !(checked instanceof ExpressionErrors)) return typeString(checked.resultType);
  const lines = errors?.toString().split('\n') ?? [];
  return lines.filter((line) => line.startsWith('ERROR')).join('\n');
}

describe('the type of', () => {
  test.each([
    ['self.replicas + 1', 'int'],
    ['self.a__dash__b', 'google.protobuf.Timestamp'],
    ['self.namespace', 'string'],
    ['self.port == 1 || self.port == "a"', 'bool'],
    ['self.tags.map(k, self.tags[k])', 'list(string)'],
    ['self.parts.filter(p, has(p.name)).map(p, p.name)', 'list(string)'],
    ['self.parts[?0].?name.orValue("none")', 'string'],
    ['self.tags.transformList(k, v, k + v)', 'list(string)'],
    ['self.parts.sortBy(p, p.name)', 'list(selfType.parts.@idx)'],
    ['object.a.b', 'dyn'],
    ['[1, 2].map(x, [x])', 'list(list(int))'],
    ['{"a": [], "b": [1]}', 'map(string, list(int))'],
    ['[]', 'list(dyn)'],
    ['optional.none()', 'optional_type(dyn)'],
    ['quantity("1").compareTo(quantity("2"))', 'int'],
    ['ip("::1").family()', 'int'],
    ['type(1)', 'type(int)'],
    ['optional_type', 'type(optional_type)'],
    ['type(optional.of(1)) == optional_type', 'bool'],
    ['true ? 1 : dyn("a")', 'dyn'],
    ['"%s %d".format(["a", 1])', 'string'],
  ])('%s', (text, type) => {
    expect(check(text)).toBe(type);
  });
});

describe('a wrong type', () => {
  test.each([
    ['self.missing', "1:5: undefined field 'missing'"],
    ['self.anything', "1:5: undefined field 'anything'"],
    ['missing', "1:1: undeclared reference to 'missing' (in container '')"],
    ['missing(1)', "1:8: undeclared reference to 'missing' (in container '')"],
    ['1 + "a"', "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ['"a".startsWith(1)', "1:15: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['1 && true', "1:1: expected type 'bool' but found 'int'"],
    [
      '[1].map(x, x)[0].all(x, x)',
      "1:14: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['self.replicas.name', "1:14: type 'int' does not support field selection"],
    ['[1, "a"]', "1:5: expected type 'int' but found 'string'"],
    ['.timestamp("")', '1:12: invalid timestamp argument'],
    ['{1: 1, "a": 2}', "1:8: expected type 'int' but found 'string'"],
    [
      '"%d".format(["a"])',
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ['"%d".format([1, 2])', '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
    ['"%d %s".format([1])', '1:15: index 1 out of range'],
    [
      '"%.f".format([1.0])',
      '1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
  ])('%s', (text, error) => {
    expect(check(text)).toBe(`ERROR: <input>:${error}`);
  });
});

describe('faults at one place', () => {
  test.each([
    [
      'those of inner calls come first',
      '"%d".format(["%s".format([])])',
      '1:25: index 0 out of range',
      '1:25: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    [
      'types of elements come before formats',
      '[1, "%d %s".format([1])]',
      "1:19: expected type 'int' but found 'string'",
      '1:19: index 1 out of range',
    ],
    [
      'fields of a variable come after it',
      'string(object {object: 1})',
      "1:15: 'dyn' is not a type",
      "1:22: unexpected failed resolution of 'object'",
    ],
    [
      'fields of a type without any come after it',
      'int {a: 1}',
      "1:5: 'int' is not a message type",
      "1:7: undefined field 'a'",
    ],
  ])('%s', (_, text, first, second) => {
    expect(check(text)).toBe(`ERROR: <input>:${first}\nERROR: <input>:${second}`);
  });
});
