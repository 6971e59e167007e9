import type { Random } from '../../watch/random.ts';

/** Stands for a byte that is no UTF-8. */
const BROKEN = '\ue000';

const NUMBERS = [
  ...['-0', '0.0', '1.0', '1e0', '10e-1', '1E2', '1e+2', '-1.5', '0.1e1', '1e400', '-1e400', '1e-400', '1e21'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '4294967296'],
  ...['2147483648', '-2147483649', '18446744073709551616', '123456789012345678901234567890', '0.30000000000000004'],
  ...['01', '+1', '.5', '1.', '-', '1e', '0x1', 'NaN', 'Infinity', '1_0', '- 1', '--1', '1e2.5', '00'],
] as [string, ...string[]];

const STRINGS = [
  ...['"\\/"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud800\\u0041"', '"\\u0000"'],
  ...['"\\x41"', '"\\u12"', '"\\ud800\\u12"', '"\\U0041"', '"\t"', '"\n"', '"\u0000"', '"\u007f"', '"\u2028"', '"<&>"'],
  ...["'a'", '"a', '"\\', '"\\"', '"\\b\\f\\n\\r\\t"', `"${BROKEN}"`, `"a${BROKEN}é"`, '"\\u0041"', 'a', '"\u00a0"'],
] as [string, ...string[]];

const WORDS = [
  'null',
  'true',
  'false',
  'Null',
  'TRUE',
  'nul',
  'truee',
  '{}',
  '[]',
  '[null]',
  '{"a":null}',
  '',
] as const;
const SPACES = ['', '', ' ', '\n', '\t', '\r\n', '\f', '\u00a0', '\v', '\ufeff', '/**/', '//\n', '#\n'] as const;

/** JSON of a value with odd spellings, of which some are wrong. */
export class OddJson {
  readonly #random: Random;
  readonly #chance: number;
  readonly #valid: boolean;

  /** `chance` is the probability of each oddity; `valid` leaves out most of those that are no JSON. */
  constructor(random: Random, chance: number, valid: boolean) {
    this.#random = random;
    this.#chance = chance;
    this.#valid = valid;
  }

  bytes(value: unknown): Buffer {
    const text = `${this.#space()}${this.#text(value)}${this.#space()}`;
    const parts = text.split(BROKEN).map((part) => Buffer.from(part));
    return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.of(0xff), part])));
  }

  #odd(factor = 1): boolean {
    return this.#random.chance(this.#chance * factor);
  }

  #space(): string {
    return this.#odd(0.5) ? this.#random.of(this.#valid ? (SPACES.slice(0, 6) as ['']) : SPACES) : '';
  }

  #of(texts: readonly [string, ...string[]]): string {
    const text = this.#random.of(texts);
    if (!this.#valid) return text;
    try {
      JSON.parse(text);
      return text.includes(BROKEN) ? '1' : text;
    } catch {
      return '1';
    }
  }

  #text(value: unknown): string {
    if (this.#odd(0.5)) return this.#of(WORDS);
    if (typeof value === 'number') return this.#odd(4) ? this.#of(NUMBERS) : JSON.stringify(value);
    if (typeof value === 'string') return this.#odd() ? this.#of(STRINGS) : JSON.stringify(value);
    if (Array.isArray(value)) return this.#list(value.map((one) => this.#text(one)));
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    return this.#object(value);
  }

  #list(items: string[]): string {
    if (this.#odd()) items.push(this.#of(WORDS));
    return `[${items.join(`${this.#space()},${this.#space()}`)}${this.#odd(0.1) && !this.#valid ? ',' : ''}]`;
  }

  #object(value: object): string {
    const members = Object.entries(value).flatMap(([key, member]) => {
      const name = this.#name(key);
      const text = this.#member(name, member);
      if (!this.#odd(0.6)) return [text];
      // A second one of the same or a similar name, before or behind it.
      const other = this.#member(this.#random.chance(0.7) ? name : this.#name(key), this.#other(member));
      return this.#random.chance(0.5) ? [text, other] : [other, text];
    });
    if (this.#odd(0.3)) members.reverse();
    return `{${members.join(`,${this.#space()}`)}${this.#odd(0.1) && !this.#valid ? ',' : ''}}`;
  }

  #member(name: string, member: unknown): string {
    return `${name}${this.#space()}:${this.#space()}${this.#text(member)}`;
  }

  #other(member: unknown): unknown {
    return this.#random.of<unknown>([member, member, null, 'x', 1, {}, [], { a: 'b' }]);
  }

  #name(key: string): string {
    if (!this.#odd(0.7)) return JSON.stringify(key);
    const [first = ''] = key;
    const names = [
      key.toUpperCase(),
      first.toUpperCase() + key.slice(1),
      key.toLowerCase(),
      `${key}x`,
      // Letters that fold to ASCII.
      key.replace(/s/, 'ſ').replace(/k/, 'K'),
    ].map((name) => JSON.stringify(name));
    const escaped = `"\\u${(first.charCodeAt(0) || 0).toString(16).padStart(4, '0')}${key.slice(1)}"`;
    return this.#random.of([escaped, ...names, ...(this.#valid ? [] : [key, `'${key}'`, '1', 'null'])]);
  }
}
