import { describe, expect, it } from 'vitest';
import { formatFlagSections } from './flag-help.js';
import { FlagError, NamedFlagSets } from './flag-set.js';
import { field, int32SliceValue } from './flag-value.js';
import { formatGoDuration, parseGoDuration } from './go-duration.js';

function declare() {
  const values = {
    name: 'a',
    port: 443,
    chance: 0,
    anonymous: true,
    quiet: false,
    delay: 60_000,
    list: ['x'] as readonly string[],
    address: '0.0.0.0',
    verbosity: 0,
    old: '',
    numbers: [] as readonly number[],
  };
  const sets = new NamedFlagSets();
  const generic = sets.section('generic');
  generic.string('name', field(values, 'name'), 'Its name.');
  generic.int('port', field(values, 'port'), 'Its port.');
  generic.float('chance', field(values, 'chance'), 'Its chance.');
  generic.bool('anonymous', field(values, 'anonymous'), 'Who knows.');
  generic.bool('quiet', field(values, 'quiet'), 'Say nothing.');
  generic.duration('delay', field(values, 'delay'), 'How long.\nAnd on.');
  const more = sets.section('more things');
  more.stringSlice('list', field(values, 'list'), 'Several.');
  more.add('numbers', int32SliceValue(field(values, 'numbers')), 'Several.');
  more.ip('some-address', field(values, 'address'), 'Where.');
  more.int('v', field(values, 'verbosity'), 'How much.', { shorthand: 'v' });
  more.string('old', field(values, 'old'), 'Gone.', { deprecated: 'use --name.' });
  return { sets, values };
}

describe('NamedFlagSets.parse', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['--name=b'], { name: 'b' }],
    [['--name', 'b', '--port', '0x10'], { name: 'b', port: 16 }],
    [['--name='], { name: '' }],
    [['--name', '--port'], { name: '--port' }],
    [['--name=a=b'], { name: 'a=b' }],
    [['--port', '-1', '--chance=.5'], { port: -1, chance: 0.5 }],
    [['--quiet', '--anonymous=false'], { quiet: true, anonymous: false }],
    [['--anonymous=F', '--quiet=1'], { anonymous: false, quiet: true }],
    [['--delay=1m30s'], { delay: 90_000 }],
    [['--list=a,b', '--list', '"c,d"'], { list: ['a', 'b', 'c,d'] }],
    [['--list='], { list: [] }],
    [['--numbers=29,0x17', '--numbers', '-4'], { numbers: [29, 23, -4] }],
    [['--some_address=::1'], { address: '::1' }],
    [['-v', '4'], { verbosity: 4 }],
    [['-v=4'], { verbosity: 4 }],
    [['-v4'], { verbosity: 4 }],
    [['--name=b', '--name=c'], { name: 'c' }],
  ])('%j', (args, changes) => {
    const { sets, values } = declare();
    const before = structuredClone(values);
    expect(sets.parse(args)).toEqual({ positionals: [], deprecations: [] });
    expect(values).toEqual({ ...before, ...changes });
  });

  it.each<[string[], string]>([
    [['--nope'], 'unknown flag: --nope'],
    [['--nope=1'], 'unknown flag: --nope'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--=1'], 'bad flag syntax: --=1'],
    [['---name=b'], 'bad flag syntax: ---name=b'],
    [['--name'], 'flag needs an argument: --name'],
    [['-v'], "flag needs an argument: 'v' in -v"],
    [['--port=abc'], 'invalid argument "abc" for "--port" flag: strconv.ParseInt: parsing "abc": invalid syntax'],
    [['--port='], 'invalid argument "" for "--port" flag: strconv.ParseInt: parsing "": invalid syntax'],
    [['--numbers=1,x'], 'invalid argument "1,x" for "--numbers" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [
      ['--numbers=2147483648'],
      'invalid argument "2147483648" for "--numbers" flag: strconv.ParseInt: parsing "2147483648": value out of range',
    ],
    [['-v=x'], 'invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [
      ['--quiet=maybe'],
      'invalid argument "maybe" for "--quiet" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--delay=5'], 'invalid argument "5" for "--delay" flag: time: missing unit in duration "5"'],
    [['--some-address=host'], 'invalid argument "host" for "--some-address" flag: failed to parse IP: "host"'],
    [['--chance=x'], 'invalid argument "x" for "--chance" flag: strconv.ParseFloat: parsing "x": invalid syntax'],
  ])('refuses %j', (args, message) => {
    const attempt = () => declare().sets.parse(args);
    expect(attempt).toThrow(FlagError);
    expect(attempt).toThrow(new FlagError(message));
  });

  it('returns positional arguments, and reports deprecated flags', () => {
    const { sets, values } = declare();
    expect(sets.parse(['a', '--old=1', '--', '--name=b'])).toEqual({
      positionals: ['a', '--name=b'],
      deprecations: ['Flag --old has been deprecated, use --name.'],
    });
    expect([values.old, values.name]).toEqual(['1', 'a']);
  });

  it('records which flags were set, and shows values like pflag', () => {
    const { sets } = declare();
    sets.parse(['--delay=90s', '--list=p,q']);
    const shown = sets.all().map(({ name, changed, value }) => [name, changed, String(value)]);
    expect(shown).toEqual([
      ['anonymous', false, 'true'],
      ['chance', false, '0'],
      ['delay', true, '1m30s'],
      ['list', true, '[p,q]'],
      ['name', false, 'a'],
      ['numbers', false, '[]'],
      ['old', false, ''],
      ['port', false, '443'],
      ['quiet', false, 'false'],
      ['some-address', false, '0.0.0.0'],
      ['v', false, '0'],
    ]);
  });

  it('takes a name once', () => {
    expect(() =>
      declare()
        .sets.section('generic')
        .bool('quiet', field({ a: true }, 'a'), ''),
    ).toThrow('flag redefined: quiet');
  });
});

describe('formatFlagSections', () => {
  it('aligns sections without a width', () => {
    expect(formatFlagSections(declare().sets, 0)).toBe(
      [
        '',
        'Generic flags:',
        '',
        '      --anonymous        Who knows. (default true)',
        '      --chance float     Its chance.',
        '      --delay duration   How long.',
        '                         And on. (default 1m0s)',
        '      --name string      Its name. (default "a")',
        '      --port int         Its port. (default 443)',
        '      --quiet            Say nothing.',
        '',
        'More things flags:',
        '',
        '      --list strings         Several. (default [x])',
        '      --numbers int32Slice   Several. (default [])',
        '      --some-address ip      Where. (default 0.0.0.0)',
        '  -v, --v int                How much.',
        '',
      ].join('\n'),
    );
  });

  // As `PrintSections` of k8s.io/component-base 0.36.6 writes the same flags, with the spaces behind their names.
  it.each<[number, string[]]>([
    [
      40,
      [
        '      --anonymous              ',
        '                Who knows.',
        '                (default true)',
        '      --chance float           ',
        '                Its chance.',
        '      --delay duration         ',
        '                How long.',
        '                And on. (default 1m0s)',
        '      --name string            ',
      ],
    ],
    [
      50,
      [
        '      --anonymous                        ',
        '                Who knows. (default true)',
        '      --chance float                     ',
        '                Its chance.',
        '      --delay duration                   ',
        '                How long.',
        '                And on. (default 1m0s)',
        '      --name string                      ',
        '                Its name. (default "a")',
      ],
    ],
    [
      39,
      [
        '      --anonymous             Who knows. (default true)',
        '      --chance float          Its chance.',
        '      --delay duration        How long.',
        '                And on. (default 1m0s)',
        '      --name string           Its name. (default "a")',
        '      --port int              Its port. (default 443)',
        '      --quiet                 Say nothing.',
      ],
    ],
    [
      10,
      [
        '      --anonymous        Who knows. (default true)',
        '      --chance float     Its chance.',
        '      --delay duration   How long.',
        '                And on. (default 1m0s)',
      ],
    ],
  ])('wraps at %i columns', (columns, expected) => {
    const lines = formatFlagSections(declare().sets, columns).split('\n');
    expect(lines.slice(3, 3 + expected.length)).toEqual(expected);
  });

  it('leaves text in its line behind a word that is longer than a line', () => {
    const sets = new NamedFlagSets();
    sets
      .section('generic')
      .string('name', field({ name: '' }, 'name'), `${'w'.repeat(40)} and\nmore words than a line has.`);
    expect(formatFlagSections(sets, 40).split('\n').slice(4, -1)).toEqual([
      `                ${'w'.repeat(40)} and`,
      '                more words than a line has.',
    ]);
  });
});

describe('durations', () => {
  it.each<[string, number, string]>([
    ['0', 0, '0s'],
    ['1m', 60_000, '1m0s'],
    ['1h', 3_600_000, '1h0m0s'],
    ['1h2m3.5s', 3_723_500, '1h2m3.5s'],
    ['300ms', 300, '300ms'],
    ['1.5s', 1_500, '1.5s'],
    ['-2s', -2_000, '-2s'],
    ['+.5s', 500, '500ms'],
    ['10us', 0.01, '10µs'],
    ['7ns', 0.000007, '7ns'],
    ['90s', 90_000, '1m30s'],
    ['+0', 0, '0s'],
    ['-0', 0, '0s'],
    ['1.s', 1_000, '1s'],
    ['1µs', 0.001, '1µs'],
    ['1μs', 0.001, '1µs'],
    ['500ns', 0.0005, '500ns'],
    ['1500ns', 0.0015, '1.5µs'],
    ['999999ns', 0.999999, '999.999µs'],
    ['1000000ns', 1, '1ms'],
    ['999.999999ms', 999.999999, '999.999999ms'],
    ['59.5s', 59_500, '59.5s'],
    ['60s', 60_000, '1m0s'],
    ['59m59s', 3_599_000, '59m59s'],
    ['-1.5h', -5_400_000, '-1h30m0s'],
    ['100h', 360_000_000, '100h0m0s'],
    ['2562047h', 9_223_369_200_000, '2562047h0m0s'],
    ['0s'.repeat(2_048), 0, '0s'],
  ])('%s', (text, milliseconds, printed) => {
    expect([parseGoDuration(text), formatGoDuration(milliseconds)]).toEqual([milliseconds, printed]);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5d', 'time: unknown unit "d" in duration "5d"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1s2', 'time: missing unit in duration "1s2"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
    ['1h-1m', 'time: unknown unit "h-" in duration "1h-1m"'],
    ['--1s', 'time: invalid duration "--1s"'],
    ['-', 'time: invalid duration "-"'],
    ['+', 'time: invalid duration "+"'],
    ['1.5', 'time: missing unit in duration "1.5"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['9223372036854775809', 'time: invalid duration "9223372036854775809"'],
    ['5é', 'time: unknown unit "\\xc3\\xa9" in duration "5\\xc3\\xa9"'],
    ['0s'.repeat(3_000), `time: invalid duration "${'0s'.repeat(3_000)}"`],
    [`${'0s'.repeat(2_047)}00s`, `time: invalid duration "${'0s'.repeat(2_047)}00s"`],
  ])('refuses %j', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(expect.objectContaining({ message }));
  });
});
