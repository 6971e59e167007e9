import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Expression } from '../ast/expression.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { STANDARD_MACROS } from './macros.js';
import { parseExpression } from './parse-expression.js';
import { explainErrors } from './recovery/explain-errors.js';
import { ExpressionErrors, Source } from './source.js';
import type { SyntaxOptions } from './syntax-options.js';
import { tokenize } from './tokenize.js';

/** The errors of an expression, or its tree in a short notation. */
function parse(text: string, options: SyntaxOptions = KUBERNETES_SYNTAX): string {
  const parsed = parseExpression(text, options);
  return parsed instanceof ExpressionErrors ? parsed.toString() : show(parsed.root);
}

function show(expression: Expression): string {
  const all = (parts: readonly Expression[]) => parts.map(show).join(' ');
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string' ? JSON.stringify(expression.value) : constant(expression.value);
    case 'identifier':
      return expression.name;
    case 'select':
      return `(${expression.test ? 'has' : 'get'} ${show(expression.operand)} ${expression.field})`;
    case 'call':
      return `(${expression.name}${expression.target ? ` ${show(expression.target)}.` : ''} ${all(expression.args)})`;
    case 'list':
      return `[${all(expression.elements)}]${[...expression.optional].join()}`;
    case 'map':
      return `{${expression.entries.map((entry) => `${entry.optional ? '?' : ''}${show(entry.key)}:${show(entry.value)}`).join()}}`;
    case 'struct':
      return `${expression.typeName}{${expression.fields.map((field) => `${field.name}:${show(field.value)}`).join()}}`;
    case 'comprehension': {
      const { variable, secondVariable, range, initial, condition, step, result } = expression;
      return `(fold ${variable}${secondVariable === undefined ? '' : `,${secondVariable}`} ${all([range, initial, condition, step, result])})`;
    }
    case 'unspecified':
      return '?';
  }
}

function constant(value: unknown): string {
  if (value instanceof Uint8Array) return `b${[...value].join()}`;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

describe('a right expression', () => {
  test.each([
    ['a + b * c - d', '(_-_ (_+_ a (_*_ b c)) d)'],
    ['a ? b : c ? d : e', '(_?_:_ a b (_?_:_ c d e))'],
    ['a || b || c || d', '(_||_ (_||_ a b) (_||_ c d))'],
    ['a < b == c', '(_==_ (_<_ a b) c)'],
    ['a in [1, 2,]', '(@in a [1 2])'],
    ['!!a && --b > -1', '(_&&_ a (_>_ b -1))'],
    ['-a.b', '(-_ (get a b))'],
    ['-1u', '(-_ {"value":1})'],
    ['9223372036854775807 - -9223372036854775808', '(_-_ 9223372036854775807 -9223372036854775808)'],
    ['0x1F + 1.5e3', '(_+_ 31 {"value":1500})'],
    ['.a.b(c).d[0]', '(_[_] (get (b .a. c) d) 0)'],
    ['{"a": 1, ?b: c}', '{"a":1,?b:c}'],
    ['[?a, b]', '[a b]0'],
    ['a.?b[?0]', '(_[?_] (_?._ a "b") 0)'],
    ['a.b.C{x: 1, y: 2}', 'a.b.C{x:1,y:2}'],
    [
      String.raw`"\u00e9\x41\101" + r"\n" + '''a
b'''`,
      String.raw`(_+_ (_+_ "éAA" "\\n") "a\nb")`,
    ],
    [String.raw`b"\xffé"`, 'b255,195,169'],
    ['has(a.b)', '(has a b)'],
    ['a.all(x, x > 0)', '(fold x a true (@not_strictly_false @result) (_&&_ @result (_>_ x 0)) @result)'],
    ['a.map(x, x > 0, y)', '(fold x a [] true (_?_:_ (_>_ x 0) (_+_ @result [y]) @result) @result)'],
    ['a.transformMap(k, v, v)', '(fold k,v a {} true (cel.@mapInsert @result k v) @result)'],
    ['a.optMap(x, x)', '(_?_:_ (hasValue a. ) (optional.of (fold #unused [] (value a. ) false x x)) (optional.none ))'],
  ])('%s', (text, tree) => {
    expect(parse(text)).toBe(tree);
  });

  test('is one that the recovering parser finds nothing wrong with', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), (pieces) => {
        const text = pieces.join(' ');
        const wrong = parseExpression(text, KUBERNETES_SYNTAX) instanceof ExpressionErrors;
        const errors = new ExpressionErrors(new Source(text));
        explainErrors(errors, tokenize(text), KUBERNETES_SYNTAX, false);
        expect(errors.count > 0).toBe(wrong);
        const skipping = new ExpressionErrors(new Source(text));
        explainErrors(skipping, tokenize(text), KUBERNETES_SYNTAX);
        expect(skipping.toString()).toBe(errors.toString());
      }),
      { numRuns: 300, seed: 16 },
    );
  });
});

/** Pieces of which random expressions are made; many of them are wrong. */
const PIECES = [
  'a',
  'b',
  '1',
  '-1',
  '"s"',
  '(',
  ')',
  '[',
  ']',
  '.',
  '+',
  '-',
  '!',
  '&&',
  '?',
  ':',
  ',',
  '<',
  '{',
  '}',
  'in',
  'if',
  '99999999999999999999',
  '`b`',
  'a.all(1, b)',
];

const BEGINS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

describe('a wrong expression', () => {
  test.each([
    ['', `ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting ${BEGINS}`],
    ['1 2', "ERROR: <input>:1:3: Syntax error: extraneous input '2' expecting <EOF>\n | 1 2\n | ..^"],
    ['(1', "ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"],
    ['a.', "ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'\n | a.\n | ..^"],
    ['a.true', "ERROR: <input>:1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER\n | a.true\n | ..^"],
    ['\tif', 'ERROR: <input>:1:2: reserved identifier: if\n |  if\n | .^'],
    [
      '"é" + #',
      [
        'ERROR: <input>:1:7: Syntax error: token recognition error at: \'#\'\n | "é" + #\n | .．....^',
        `ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting ${BEGINS}\n | "é" + #\n | .．.....^`,
      ].join('\n'),
    ],
    ['9223372036854775808', 'ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^'],
    ['has(a)', 'ERROR: <input>:1:5: invalid argument to has() macro\n | has(a)\n | ....^'],
    [
      'a.all(x, y, true) && a.all(b.c, true)',
      'ERROR: <input>:1:29: argument must be a simple name\n | a.all(x, y, true) && a.all(b.c, true)\n | ............................^',
    ],
    ['(a\n))', "ERROR: <input>:2:2: Syntax error: extraneous input ')' expecting <EOF>\n | ))\n | .^"],
  ])('%j', (text, errors) => {
    expect(parse(text)).toBe(errors);
  });

  test('of optional syntax where that is not enabled', () => {
    expect(parse('a.?b', { macros: STANDARD_MACROS, optionalSyntax: false })).toBe(
      "ERROR: <input>:1:2: unsupported syntax '.?'\n | a.?b\n | .^",
    );
  });

  test('by its size, its depth or its levels', () => {
    expect(parse('a'.repeat(100_001))).toBe(
      'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    );
    expect(parse(`${'('.repeat(251)}1${')'.repeat(251)}`)).toBe(
      'ERROR: <input>:-1:0: expression recursion limit exceeded: 250',
    );
    expect(parse(`a${'.b'.repeat(251)}`)).toBe('ERROR: <input>:-1:0: max recursion depth exceeded');
    expect(parse(`a${'.b'.repeat(250)}`)).toMatch(/^\(get /);
    expect(parse(`a${'.optMap(x, x)'.repeat(40)}`)).toBe(
      'ERROR: <input>:-1:0: expression has more than 200000 nodes after the expansion of macros',
    );
  });

  test.each<[string, string, string]>([
    ['nested lists', '[1,'.repeat(33_000), 'ERROR: <input>:-1:0: expression recursion limit exceeded: 250'],
    ['a chain', `a${'[1]'.repeat(33_000)}[`, 'ERROR: <input>:-1:0: max recursion depth exceeded'],
    [
      'a list',
      `[${'1,'.repeat(49_990)}1`,
      "ERROR: <input>:1:99983: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
    ],
  ])('of the largest size: %s', (_name, text, first) => {
    expect(parse(text).split('\n')[0]).toBe(first);
  });

  test('of the largest size, with an error in each element', () => {
    const lines = parse(`[${'if, 99999999999999999999, a.all(1, x), '.repeat(2_500)}`).split('\n');
    expect(lines.filter((line) => line.startsWith('ERROR'))).toHaveLength(100);
    expect(lines.at(-1)).toBe('7401 more errors were truncated');
  });

  test('in more places than are reported', () => {
    const lines = parse('#'.repeat(200)).split('\n');
    expect(lines.filter((line) => line.startsWith('ERROR'))).toHaveLength(100);
    expect(lines.at(-1)).toBe('1 more errors were truncated');
  });
});
