import { ParseError } from '@apiserver/apimachinery/text';
import { describe, expect, it } from 'vitest';
import { FlagSet } from './flag-set.js';
import {
  type FlagTarget,
  type FlagValue,
  field,
  int32SliceValue,
  stringArrayValue,
  stringMapValue,
  stringSliceValue,
  stringToStringValue,
} from './flag-value.js';

/** A flag of a type, with this default. */
function flagOf<V>(make: (flags: FlagSet, target: FlagTarget<V>) => void, initial: V) {
  const options = { value: initial };
  const flags = new FlagSet();
  make(flags, field(options, 'value'));
  const [flag] = flags.flags();
  if (flag === undefined) throw new Error('no flag');
  return { flag: flag.value, options };
}

const int = (initial = 0) => flagOf<number>((flags, target) => flags.int('x', target, ''), initial);
const uint = (initial = 0) => flagOf<number>((flags, target) => flags.uint('x', target, ''), initial);
const float = (initial = 0) => flagOf<number>((flags, target) => flags.float('x', target, ''), initial);
const duration = (initial = 0) => flagOf<number>((flags, target) => flags.duration('x', target, ''), initial);
const text = (initial = '') => flagOf<string>((flags, target) => flags.string('x', target, ''), initial);
const ip = (initial = '') => flagOf<string>((flags, target) => flags.ip('x', target, ''), initial);
const bool = (initial = false) => flagOf<boolean>((flags, target) => flags.bool('x', target, ''), initial);

function listOf<V>(make: (target: FlagTarget<V>) => FlagValue, initial: V) {
  return flagOf<V>((flags, target) => flags.add('x', make(target), ''), initial);
}
const slice = (...initial: string[]) => listOf<readonly string[]>(stringSliceValue, initial);
const array = (...initial: string[]) => listOf<readonly string[]>(stringArrayValue, initial);
const numbers = (...initial: number[]) => listOf<readonly number[]>(int32SliceValue, initial);
const map = (initial: Readonly<Record<string, string>> = {}) => listOf(stringMapValue, initial);
const pairs = (initial: Readonly<Record<string, string>> = {}) => listOf(stringToStringValue, initial);

/** The values after some occurrences of a flag, and its text. */
function given<V>({ flag, options }: { flag: FlagValue; options: { value: V } }, ...texts: string[]): [V, string] {
  for (const one of texts) flag.set(one);
  return [options.value, String(flag)];
}

// pflag 1.0.10 prints the same.

it.each<
  [
    string,
    { flag: FlagValue },
    readonly [type: string, isBoolean: boolean, byDefault: string | undefined, text: string],
  ]
>([
  ['text', text(), ['string', false, undefined, '']],
  ['text with a default', text('q"r'), ['string', false, '"q\\"r"', 'q"r']],
  ['a number', int(), ['int', false, undefined, '0']],
  ['a number with a default', int(-7), ['int', false, '-7', '-7']],
  ['a number that is not negative', uint(7), ['uint', false, '7', '7']],
  ['no number', uint(), ['uint', false, undefined, '0']],
  ['a fraction', float(0.5), ['float', false, '0.5', '0.5']],
  ['no fraction', float(), ['float', false, undefined, '0']],
  ['a duration', duration(90_000), ['duration', false, '1m30s', '1m30s']],
  ['no duration', duration(), ['duration', false, undefined, '0s']],
  ['an address', ip('::1'), ['ip', false, '::1', '::1']],
  ['no address', ip(), ['ip', false, undefined, '<nil>']],
  ['true', bool(true), ['bool', true, 'true', 'true']],
  ['false', bool(), ['bool', true, undefined, 'false']],
  ['a list', slice('p,q', 'r'), ['strings', false, '["p,q",r]', '["p,q",r]']],
  ['an empty list', slice(), ['strings', false, undefined, '[]']],
  ['an array', array('p,q', 'r'), ['stringArray', false, '["p,q",r]', '["p,q",r]']],
  ['an empty array', array(), ['stringArray', false, undefined, '[]']],
  ['numbers', numbers(1, 2), ['int32Slice', false, '[1,2]', '[1,2]']],
  ['no numbers', numbers(), ['int32Slice', false, '[]', '[]']],
  ['a map', map({ b: '2', a: '1,0' }), ['mapStringString', false, 'a=1,0,b=2', 'a=1,0,b=2']],
  ['an empty map', map(), ['mapStringString', false, undefined, '']],
  ['pairs', pairs({ z: '1,2', a: 'b' }), ['stringToString', false, '[]', '[a=b,"z=1,2"]']],
])('shows %s', (_what, { flag }, shown) => {
  expect([flag.typeName, flag.isBoolean, flag.defaultText, String(flag)]).toEqual(shown);
});

it('shows the default of the help as it was, and the value as it is', () => {
  const { flag } = int(3);
  flag.set('4');
  expect([flag.defaultText, String(flag)]).toEqual(['3', '4']);
});

describe('numbers', () => {
  it.each([
    ['0', 0],
    ['00', 0],
    ['42', 42],
    ['+5', 5],
    ['-5', -5],
    ['-0', 0],
    ['1_000', 1_000],
    ['0x1F', 31],
    ['0X_1f', 31],
    ['-0x10', -16],
    ['017', 15],
    ['0_7', 7],
    ['0o17', 15],
    ['0O1_7', 15],
    ['0b11', 3],
    ['0B1_1', 3],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s', (written, value) => {
    expect(given(int(1), written)).toEqual([value, String(value)]);
  });

  it.each(['', '08', '1.5', '1__0', '_1', '1_', ' 1', '1 ', '0x', '0o', '0b', '0b2', '0o8', '0xg', 'a', '--1', '+'])(
    'refuses %j',
    (written) => {
      const { flag, options } = int(1);
      const refusal = `strconv.ParseInt: parsing ${JSON.stringify(written)}: invalid syntax`;
      expect(() => flag.set(written)).toThrow(new ParseError(refusal));
      expect(options.value).toBe(1);
    },
  );

  it.each(['+5', '-5', '-0', '-0x10', 'a'])('refuses %j for what is not negative', (written) => {
    const refusal = `strconv.ParseUint: parsing "${written}": invalid syntax`;
    expect(() => uint().flag.set(written)).toThrow(new ParseError(refusal));
  });

  it('takes numbers that are not negative', () => {
    expect(given(uint(), '0x10')).toEqual([16, '16']);
  });

  it.each([
    ['a number', int().flag, 'ParseInt', '9223372036854775808'],
    ['a number that is not negative', uint().flag, 'ParseUint', '18446744073709551616'],
    ['a small number', numbers().flag, 'ParseInt', '2147483648'],
    ['a small negative number', numbers().flag, 'ParseInt', '-2147483649'],
  ])('refuses %s that is too large', (_what, flag, parser, written) => {
    expect(() => flag.set(written)).toThrow(
      new ParseError(`strconv.${parser}: parsing "${written}": value out of range`),
    );
  });

  it('takes the smallest and the largest small number, and replaces the default only', () => {
    expect(given(numbers(7), '2147483647,-2147483648', '0x5')).toEqual([
      [2_147_483_647, -2_147_483_648, 5],
      '[2147483647,-2147483648,5]',
    ]);
  });
});

describe('fractions', () => {
  it.each([
    ['1', 1],
    ['1.', 1],
    ['.5', 0.5],
    ['+2.25', 2.25],
    ['1e3', 1_000],
    ['-1E-2', -0.01],
    ['1e+2', 100],
    ['0x1p-6', 0.015625],
    ['-0X1.8P1', -3],
    ['0x_1.8p0', 1.5],
    ['0x0p9999', 0],
    ['0x361528f70adbc1cad15.bc5dp-1069', 2.5236687770738735e-300],
    ['1e5_0', 1e50],
    ['1_0', 10],
    ['1e-400', 0],
    ['NaN', Number.NaN],
  ])('%s', (written, value) => {
    expect(given(float(), written)[0]).toBe(value);
  });

  it.each([
    ['0.00001', '1e-05'],
    ['0.0001', '0.0001'],
    ['123456789', '1.23456789e+08'],
    ['infinity', '+Inf'],
    ['-INF', '-Inf'],
  ])('shows %s as %s', (written, shown) => {
    expect(given(float(), written)[1]).toBe(shown);
  });

  it.each([
    ...['', '.', 'e5', '1e', '1,5', ' 1', '1 ', '-', '1e+', 'x1', '0x1', '0x1p', '0xp1', '1p2', '0b1', 'infi', '+nan'],
    ...['_1', '1_', '1__0', '1_.5', '1._5', '1_e5', '1e_5', '0x_.8p0', '0x1_p1', '0x1p_1'],
  ])('refuses %j', (written) => {
    const refusal = `strconv.ParseFloat: parsing "${written}": invalid syntax`;
    expect(() => float().flag.set(written)).toThrow(new ParseError(refusal));
  });

  it.each(['1e400', '-1e400'])('refuses %s', (written) => {
    const refusal = `strconv.ParseFloat: parsing "${written}": value out of range`;
    expect(() => float().flag.set(written)).toThrow(new ParseError(refusal));
  });
});

describe('booleans', () => {
  it.each([
    ['T', true],
    ['0', false],
  ])('%s', (written, value) => {
    expect(given(bool(), written)).toEqual([value, String(value)]);
  });

  it('refuses other texts', () => {
    expect(() => bool().flag.set('yes')).toThrow(new ParseError('strconv.ParseBool: parsing "yes": invalid syntax'));
  });
});

describe('addresses', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    [' ::1 ', '::1'],
    ['', '9.9.9.9'],
  ])('%j', (written, value) => {
    expect(given(ip('9.9.9.9'), written)).toEqual([value, value]);
  });

  it.each(['x', ' ', '1.2.3', 'fe80::1%eth0', '010.0.0.1'])('refuses %j', (written) => {
    expect(() => ip().flag.set(written)).toThrow(new ParseError(`failed to parse IP: "${written}"`));
  });
});

describe('lists', () => {
  it('replace the default once, and append then', () => {
    expect(given(slice('x'), 'a,"b,c"', 'd')).toEqual([['a', 'b,c', 'd'], '[a,"b,c",d]']);
    expect(given(slice('x'), '')).toEqual([[], '[]']);
    expect(given(array('x'), 'a,b', '"c')).toEqual([['a,b', '"c'], '["a,b","""c"]']);
    expect(given(array('x'), '')).toEqual([[''], '[]']);
  });

  it('keep their value after a fault', () => {
    const { flag, options } = slice('x');
    const refusal = new ParseError('parse error on line 1, column 2: bare " in non-quoted-field');
    expect(() => flag.set('a"b')).toThrow(refusal);
    expect(options.value).toEqual(['x']);
    flag.set('b');
    expect(options.value).toEqual(['b']);
  });
});

describe('maps', () => {
  it.each<[string[], Readonly<Record<string, string>>, string]>([
    [['a=b'], { a: 'b' }, 'a=b'],
    [[' a = b ', 'c=d,e=f'], { a: 'b', c: 'd,e=f' }, 'a=b,c=d,e=f'],
    [['a=b', 'a=c='], { a: 'c=' }, 'a=c='],
    [['='], { '': '' }, '='],
  ])('of one pair each: %j', (texts, value, shown) => {
    expect(given(map({ x: 'y' }), ...texts)).toEqual([value, shown]);
  });

  it('refuses what is no pair', () => {
    expect(() => map().flag.set('a')).toThrow(new ParseError('malformed pair, expect string=string'));
  });

  it.each<[string[], Readonly<Record<string, string>>, string]>([
    [['a=b'], { a: 'b' }, '[a=b]'],
    [['c=d,a=b', 'c=e'], { a: 'b', c: 'e' }, '[a=b,c=e]'],
    [['a=b,c'], { a: 'b,c' }, '["a=b,c"]'],
    [['"a=b,c"'], { a: 'b,c' }, '["a=b,c"]'],
    [['""a=b"'], { a: 'b' }, '[a=b]'],
    [['a=b=c'], { a: 'b=c' }, '[a=b=c]'],
    [['a= b'], { a: ' b' }, '[a= b]'],
    [['='], { '': '' }, '[=]'],
  ])('of several pairs: %j', (texts, value, shown) => {
    expect(given(pairs({ x: 'y' }), ...texts)).toEqual([value, shown]);
  });

  it.each([
    ['a', 'a must be formatted as key=value'],
    ['a=b=c,d', 'd must be formatted as key=value'],
    ['"a=b"c=d', 'parse error on line 1, column 5: extraneous or missing " in quoted-field'],
  ])('refuses the pairs %j', (written, message) => {
    expect(() => pairs().flag.set(written)).toThrow(new ParseError(message));
  });
});
