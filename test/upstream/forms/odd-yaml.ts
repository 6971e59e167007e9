import type { Random } from '../../watch/random.ts';

/**
 * Scalars that the versions of YAML and its parsers read in different ways. Lines of a tab alone, merges that repeat a
 * key and continued texts are left out.
 */
const SCALARS = [
  ...['yes', 'No', 'on', 'OFF', 'y', 'N', 'True', 'TRUE', 'tRUE', '~', 'null', 'Null', 'NULL', 'nULL', '""', "''"],
  ...[
    '017',
    '0o17',
    '0x1F',
    '0X1f',
    '0b11',
    '-0b11',
    '1_000',
    '0_1',
    '-0x1',
    '+1',
    '09',
    '1e3',
    '1E+3',
    '1.e3',
    '.5',
    '5.',
  ],
  ...[
    '.inf',
    '-.INF',
    '.NaN',
    '1__0',
    '1:30',
    '190:20:30',
    '0.1_0',
    '-0',
    '+.inf',
    '0x',
    '0b',
    '0o8',
    '1e',
    '12e03',
    '-.5',
  ],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '18446744073709551615',
    '18446744073709551616',
    '1e400',
    '-9223372036854775809',
  ],
  ...[
    '2001-01-01',
    '2001-12-14t21:59:43.10-05:00',
    '2001-12-14 21:59:43.10 -5',
    '2001-1-1',
    '2001-12-15T02:59:43Z',
    '12:30:45',
  ],
  ...[
    '!!str 1',
    '!!int "3"',
    '!!float 1',
    '!!bool "true"',
    '!!null x',
    '!!binary YQ==',
    '!!timestamp 2001-01-01',
    '!x a',
    '! 1',
  ],
  ...[
    '!!str',
    '!!int x',
    '!!binary "*"',
    '!!float .inf',
    '!<tag:yaml.org,2002:str> 1',
    '!!map {}',
    '!!seq []',
    '!!set {a}',
  ],
  ...['"\\x41"', '"\\u00e9"', '"\\U0001F600"', '"\\ud800"', '"\\/"', '"\\q"', "'it''s'", '"a b"', 'a b', 'a: b'],
  ...[
    'a:b',
    ':a',
    '-a',
    '- a',
    '?a',
    '? a',
    '@a',
    '`a',
    '%a',
    '!a',
    '&a',
    '*a',
    '|a',
    '>a',
    'a #b',
    'a#b',
    '#a',
    '[a',
    'a]',
    '{a',
  ],
  ...[
    '<<',
    '=',
    'é',
    '😀',
    'a\tb',
    '"\t"',
    "'",
    '"',
    '1 2',
    '0.',
    '1.0',
    '-1.50',
    '1e-7',
    '0.0',
    '-0.0',
    '100000000000000000000',
  ],
] as [string, ...string[]];

const KEYS = [
  '1',
  'true',
  'null',
  '~',
  '1.5',
  '0x10',
  'yes',
  '!!int "1"',
  '? a',
  '[a]',
  '{a: b}',
  '<<',
  '""',
  '"a"',
  "'a'",
] as const;
const HEADS = [
  '---\n',
  '--- ',
  '%YAML 1.1\n---\n',
  '%YAML 1.2\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  '# c\n',
  '\ufeff',
  '---\n---\n',
  '...\n',
  '\n\n',
] as const;
const TAILS = [
  '\n...\n',
  '\n---\na: 1\n',
  '\n--- b\n',
  '\n# end',
  '\n---\n',
  '\n...\n---\nx\n',
  '\n...\nx: 1\n',
  '\t',
] as const;

/** YAML of a value in odd styles, of which some are wrong. */
export class OddYaml {
  readonly #random: Random;
  readonly #chance: number;
  #anchors = 0;

  constructor(random: Random, chance: number) {
    this.#random = random;
    this.#chance = chance;
  }

  text(value: unknown): string {
    const head = this.#odd() ? this.#random.of(HEADS) : '';
    const tail = this.#odd() ? this.#random.of(TAILS) : '\n';
    return `${head}${this.#node(value, 0).replace(/^\n/, '')}${tail}`;
  }

  #odd(factor = 1): boolean {
    return this.#random.chance(this.#chance * factor);
  }

  /** A value behind a key or a dash: `\n` and lines, or a text of one line. */
  #node(value: unknown, indent: number): string {
    if (typeof value !== 'object' || value === null || this.#odd(0.3)) return this.#scalar(value);
    const members = Array.isArray(value) ? value : Object.entries(value);
    if (members.length === 0 || this.#odd(1.5)) return this.#anchored(this.#flow(value));
    if (Array.isArray(value)) return this.#block(value, indent);
    return this.#mapping(value, indent);
  }

  #anchored(text: string): string {
    if (this.#anchors > 0 && this.#odd(0.5)) return `*a${this.#random.below(this.#anchors + 1)}`;
    return this.#odd(0.5) ? `&a${this.#anchors++} ${text}` : text;
  }

  #block(list: readonly unknown[], indent: number): string {
    const pad = ' '.repeat(this.#odd(0.1) ? indent + 1 : indent);
    return list.map((one) => `\n${pad}- ${this.#node(one, indent + 2).replace(/^\n */, '')}`).join('');
  }

  #mapping(value: object, indent: number): string {
    const pad = ' '.repeat(indent);
    const lines = Object.entries(value).map(([key, member]) => {
      const name = this.#odd(0.5) ? this.#random.of([...KEYS, `"${key}"`, `'${key}'`, `? ${key}\n${pad}`]) : key;
      const line = `\n${pad}${name}:${this.#odd(0.1) ? '' : ' '}${this.#node(member, indent + 2)}`;
      return this.#odd(0.3) ? `${line}\n${pad}${key}: ${this.#scalar(member)}` : line;
    });
    if (this.#odd(0.3)) lines.push(`\n${pad}<<: ${this.#random.of(['{x: y}', '[{a: b}, {c: d}]', '*a0', '1', '[1]'])}`);
    if (this.#odd(0.2))
      lines.splice(this.#random.below(lines.length + 1), 0, this.#random.of(['\n# c', '\n', `\n${pad}# c`]));
    return lines.join('');
  }

  #flow(value: object): string {
    if (Array.isArray(value)) {
      const items = value.map((one) => this.#inFlow(one));
      return `[${items.join(', ')}${this.#odd() ? ',' : ''}]`;
    }
    const members = Object.entries(value).map(([key, member]) => {
      const name = this.#odd(0.5) ? this.#random.of([...KEYS, `"${key}"`]) : JSON.stringify(key);
      return `${name}:${this.#odd(0.5) ? '' : ' '}${this.#inFlow(member)}`;
    });
    return `{${members.join(this.#odd(0.3) ? ',' : ', ')}${this.#odd(0.3) ? ',' : ''}}`;
  }

  #inFlow(value: unknown): string {
    return typeof value === 'object' && value !== null ? this.#flow(value) : this.#scalar(value);
  }

  #scalar(value: unknown): string {
    if (this.#odd()) return this.#anchored(this.#random.of(SCALARS));
    if (this.#odd(0.3))
      return this.#random.of([
        '|\n      a\n      b',
        '>-\n      a\n      b\n\n      c',
        '|2+\n      a\n',
        '>\n      a\n       b\n      c',
        '|-\n',
      ]);
    return JSON.stringify(value) ?? 'null';
  }
}
