import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../text/parse-error.js';
import { canonicalQuantity, Quantity } from './quantity.js';

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMBER = 'unable to parse numeric part of quantity';
const SUFFIX = "unable to parse quantity's suffix";

describe('Quantity.parse', () => {
  it.each([
    ['0', '0'],
    ['00', '0'],
    ['-0', '0'],
    ['.', '0'],
    ['0Ki', '0'],
    ['0n', '0'],
    ['1', '1'],
    ['+5', '+5'],
    ['007', '007'],
    ['-1', '-1'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['0.5', '500m'],
    ['1.', '1.'],
    ['1.250', '1.250'],
    ['1000m', '1'],
    ['100m', '100m'],
    ['1000', '1k'],
    ['1000k', '1M'],
    ['12345678', '12345678'],
    ['1100k', '1100k'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1E', '1E'],
    ['10e3', '10e3'],
    ['1e4', '10e3'],
    ['1e-4', '100e-6'],
    ['1000E', '1'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1023Ki', '1023Ki'],
    ['1.5Gi', '1536Mi'],
    ['12Mi', '12Mi'],
    ['8Mi', '8Mi'],
    ['512Mi', '512Mi'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    ['1.1Ki', '1126400m'],
    ['16Ei', '9223372036854775807'],
    ['-16Ei', '-9223372036854775807'],
    ['8Ei', '9223372036854775807'],
    ['7Ei', '7Ei'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['1.0000000001', '1000000001n'],
    ['1e-999999999', '1e-9'],
    ['1e999999999', '1e999999999'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['100000000000000000000', '100E'],
    ['5u', '5u'],
    ['1Ti', '1Ti'],
  ])('%s is written %s', (text, written) => {
    expect(canonicalQuantity(text)).toBe(written);
  });

  it.each([
    ['', FORMAT],
    [' 1', FORMAT],
    ['1 ', FORMAT],
    ['abc', FORMAT],
    ['1..5', FORMAT],
    ['1.1.M', FORMAT],
    ['1e3.5', FORMAT],
    ['0x1', FORMAT],
    ['1+1.0M', FORMAT],
    ['1+5', SUFFIX],
    ['0.1mi', SUFFIX],
    ['1i', SUFFIX],
    ['1e', SUFFIX],
    ['1ki', SUFFIX],
    ['-3.01e-', SUFFIX],
    ['1e99999999999999999999', SUFFIX],
    ['Ei', NUMBER],
    ['+.e-10', NUMBER],
  ])('%o fails', (text, message) => {
    expect(() => Quantity.parse(text)).toThrow(new ParseError(message));
  });

  // A body may have 3 MiB. A non-linear algorithm exceeds the test's timeout with so many digits.
  const many = 3_000_000;
  it.each([
    ['zeros before nonsense', `${'0'.repeat(many)}x`],
    ['digits before nonsense', `${'1'.repeat(many)}x`],
    ['letters', `1${'e'.repeat(many)}`],
    ['an exponent', `1e${'7'.repeat(many)}`],
  ])('takes no time to refuse %s', (_, text) => {
    expect(() => Quantity.parse(text)).toThrow(ParseError);
  });

  it.each([
    ['digits', '7'.repeat(many), '7'.repeat(many)],
    ['zeros between digits', `1${'0'.repeat(many)}1`, `1${'0'.repeat(many)}1`],
    ['nines that are rounded', `0.${'9'.repeat(many)}`, '1'],
    ['zeros behind the point', `0.${'0'.repeat(many)}1`, '1n'],
    ['zeros that the exponent takes back', `0.${'0'.repeat(many)}1e${many + 1}`, '1'],
    ['digits in binary steps', `${'7'.repeat(many)}Ki`, '9223372036854775807'],
    ['a fraction in binary steps', `0.${'7'.repeat(many)}Ki`, '796444444445n'],
    ['almost nothing in binary steps', `1.${'0'.repeat(many)}1Ki`, '1024000000001n'],
    ['a long exponent', `1e${'0'.repeat(many)}3`, `1e${'0'.repeat(many)}3`],
  ])('takes no time over %s', (_, text, written) => {
    const quantity = Quantity.parse(text);
    const seen = [String(quantity) === written, quantity.compare(Quantity.parse('-1')), typeof quantity.value()];
    expect(seen).toEqual([true, 1, 'bigint']);
  });

  // As many amounts as a pod may have containers; each sum may be compared with the maximum so far.
  it.each([
    // Only the last 64 digits determine the lowest 64 bits.
    ['digits', '7'.repeat(100_000), BigInt.asIntN(64, (BigInt('7'.repeat(64)) + 2n) * 1000n)],
    ['digits before zeros', `${'7'.repeat(10_000)}e50000`, 2000n],
  ])('takes no time over many sums with one of many %s', (_, text, milliValue) => {
    const small = '1m';
    const least = Quantity.parse(text);
    const most = Quantity.parse(text.replace('7', '8'));
    let sum = least;
    let larger = 0;
    for (let i = 0; i < 2_000; i++) {
      sum = sum.add(Quantity.parse(small));
      larger += Quantity.parse(small).add(least).compare(sum) + most.compare(sum);
    }
    const seen = [larger, sum.subtract(least).toString(), sum.milliValue()];
    expect(seen).toEqual([1, '2', milliValue]);
  });

  const suffix = fc.constantFrom(
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'Pi',
    'e3',
    'e-3',
    'E6',
  );
  const quantity = fc
    .tuple(fc.constantFrom('', '-', '+'), fc.nat({ max: 99_999 }), fc.option(fc.nat({ max: 9999 })), suffix)
    .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);

  it('a printed quantity has the same value and prints the same again', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const parsed = Quantity.parse(text);
        const again = Quantity.parse(parsed.toString());
        expect(again.compare(parsed)).toBe(0);
        // An amount that is not a whole number of KiB is printed without a binary suffix, and is then decimal.
        if (again.format === parsed.format) expect(again.toString()).toBe(parsed.toString());
        else expect(parsed.toString()).not.toMatch(/i$/);
      }),
    );
  });

  it('compares, adds, subtracts and negates like numbers', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const [x, y] = [Quantity.parse(a), Quantity.parse(b)];
        expect(x.compare(y)).toBe(-y.compare(x) + 0);
        expect(x.add(y).subtract(y).equals(x)).toBe(true);
        expect(x.add(y).equals(y.add(x))).toBe(true);
        expect(x.subtract(y).sign).toBe(x.compare(y));
        expect(x.add(x.negate()).isZero).toBe(true);
        expect(x.multiply(3).equals(x.add(x).add(x))).toBe(true);
      }),
    );
  });

  it('agrees with exact integer arithmetic in nanos', () => {
    const scales = { '': 9, n: 0, u: 3, m: 6, k: 12, M: 15 } as const;
    const units = fc.constantFrom(...(Object.keys(scales) as (keyof typeof scales)[]));
    fc.assert(
      fc.property(fc.integer(), units, fc.integer(), units, (a, unitA, b, unitB) => {
        const nanos = (n: number, unit: keyof typeof scales) => BigInt(n) * 10n ** BigInt(scales[unit]);
        const sum = Quantity.parse(`${a}${unitA}`).add(Quantity.parse(`${b}${unitB}`));
        expect(sum.equals(Quantity.of(nanos(a, unitA) + nanos(b, unitB), 'DecimalSI', -9))).toBe(true);
      }),
    );
  });
});

describe('Quantity', () => {
  it.each([
    ['1.5', 2n, 1500n],
    ['-1.5', -2n, -1500n],
    ['100m', 1n, 100n],
    ['0.1m', 1n, 1n],
    ['1Ki', 1024n, 1024000n],
    ['0', 0n, 0n],
    // Beyond 64 bits: answers of Go.
    ['1e999999999', 0n, 0n],
    ['-10E', 0n, 0n],
    ['9223372036854775807', 9223372036854775807n, -1000n],
    ['9223372036854775808', -9223372036854775808n, 0n],
    ['10000000000000001', 10000000000000001n, -8446744073709550616n],
    ['10P', 10_000_000_000_000_000n, 0n],
    ['8Ei', 9223372036854775807n, -1000n],
    ['140871E', 0n, 0n],
    ['208760037833272345678901.5', -1764848898649959370n, 6038532426157584636n],
    ['9P', 9_000_000_000_000_000n, 9_000_000_000_000_000_000n],
  ])('%s is %s whole and %s thousandths', (text, value, milliValue) => {
    const quantity = Quantity.parse(text);
    expect([quantity.value(), quantity.milliValue()]).toEqual([value, milliValue]);
  });

  it('compares across formats and absurd exponents', () => {
    const compare = (a: string, b: string) => Quantity.parse(a).compare(Quantity.parse(b));
    expect([
      compare('1Ki', '1024'),
      compare('1', '1000m'),
      compare('1e999999999', '-1e999999999'),
      compare('1e999999999', '2e999999999'),
      compare('-1e999999999', '1n'),
      compare('9', '10'),
    ]).toEqual([0, 0, 1, -1, -1, -1]);
    expect(() => Quantity.parse('1e999999999').add(Quantity.of(1))).toThrow(RangeError);
  });

  it('is written like the first amount that is not zero', () => {
    expect([
      `${Quantity.parse('1Gi').add(Quantity.parse('1024M'))}`,
      `${Quantity.parse('0').add(Quantity.parse('1Gi'))}`,
      `${Quantity.of(0).add(Quantity.parse('1e6'))}`,
      `${Quantity.of(2048, 'BinarySI')}`,
      `${Quantity.of(1000, 'BinarySI')}`,
      `${Quantity.of(1500, 'DecimalExponent', -3)}`,
    ]).toEqual(['2048576Ki', '1Gi', '1e6', '2Ki', '1k', '1500e-3']);
  });

  it('rounds up at a scale and keeps text that fits', () => {
    const rounded = (text: string) => Quantity.parse(text).roundUp(-3).toString();
    expect([rounded('0.1m'), rounded('1.250'), rounded('1001u'), rounded('-1001u'), rounded('100m')]).toEqual([
      '1m',
      '1.250',
      '2m',
      '-2m',
      '100m',
    ]);
    expect([Quantity.parse('1.5k').toNumber(), JSON.stringify({ cpu: Quantity.parse('0.5') })]).toEqual([
      1500,
      '{"cpu":"500m"}',
    ]);
  });
});
