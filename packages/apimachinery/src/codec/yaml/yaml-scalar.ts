/** The value of an unquoted scalar. A timestamp stays text; it only matters when text is written. */
export type YamlScalar =
  | { readonly tag: 'str' | 'timestamp' | 'merge'; readonly value: string }
  | { readonly tag: 'bool'; readonly value: boolean }
  | { readonly tag: 'null'; readonly value: null }
  | { readonly tag: 'int' | 'float'; readonly value: number | bigint };

const WORDS: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word): [string, YamlScalar] => [
    word,
    { tag: 'bool', value: true },
  ]),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word): [string, YamlScalar] => [
    word,
    { tag: 'bool', value: false },
  ]),
  ...['', '~', 'null', 'Null', 'NULL'].map((word): [string, YamlScalar] => [word, { tag: 'null', value: null }]),
  ...['.nan', '.NaN', '.NAN'].map((word): [string, YamlScalar] => [word, { tag: 'float', value: Number.NaN }]),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word): [string, YamlScalar] => [
    word,
    { tag: 'float', value: Number.POSITIVE_INFINITY },
  ]),
  ...['-.inf', '-.Inf', '-.INF'].map((word): [string, YamlScalar] => [
    word,
    { tag: 'float', value: Number.NEGATIVE_INFINITY },
  ]),
  ['<<', { tag: 'merge', value: '<<' }],
]);

const MAX_WORD_LENGTH = 5;

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|([1-9][0-9]*|0))$/;

/**
 * Resolves an unquoted scalar by YAML 1.1 as upstream does: `yes` is true, `0777` is octal, `1_000` is a number,
 * base-60 numbers are text.
 *
 * Upstream: go.yaml.in/yaml/v2 resolve.go
 */
export function resolveYamlScalar(text: string): YamlScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const isNumeric = first === 0x2b || first === 0x2d || (first >= 0x30 && first <= 0x39);
  if (first === 0x2e) return resolveFloat(text) ?? { tag: 'str', value: text };
  if (!isNumeric) return { tag: 'str', value: text };
  if (isYamlTimestamp(text)) return { tag: 'timestamp', value: text };
  return resolveNumber(text.replaceAll('_', '')) ?? { tag: 'str', value: text };
}

function resolveNumber(plain: string): YamlScalar | undefined {
  const [, sign, hex, octal, binary, decimal] = INTEGER.exec(plain) ?? [];
  const digits = hex ?? octal ?? binary ?? decimal;
  if (digits !== undefined) {
    const prefix = hex !== undefined ? '0x' : octal !== undefined ? '0o' : binary !== undefined ? '0b' : '';
    const integer = integerOf(prefix, digits, sign === '-');
    if (integer !== undefined) return { tag: 'int', value: integer };
  }
  return resolveFloat(plain);
}

/** Undefined for text that is not a decimal number, and beyond a double's range. */
function resolveFloat(text: string): YamlScalar | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { tag: 'float', value } : undefined;
}

/** Undefined beyond 64 bits: decimal digits are then a double, others text. */
function integerOf(prefix: string, digits: string, negative: boolean): number | bigint | undefined {
  const significant = digits.replace(/^0+(?=.)/, '');
  if (significant.length > 64) return undefined;
  const magnitude = BigInt(prefix + significant);
  if (magnitude > (negative ? 2n ** 63n : 2n ** 64n - 1n)) return undefined;
  return narrow(negative ? -magnitude : magnitude);
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2}))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** The form of nearly all timestamps, read without the costly groups. */
const USUAL_TIMESTAMP = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/;

/** Reports whether unquoted text would read as a timestamp. */
export function isYamlTimestamp(text: string): boolean {
  if (USUAL_TIMESTAMP.test(text)) return isUsualTimestamp(text);
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, ...rest] = match.slice(1).map((part) => Number(part ?? 0));
  const [h1 = 0, m1 = 0, s1 = 0, zoneHours = 0, zoneMinutes = 0, h2 = 0, m2 = 0, s2 = 0] = rest;
  if (!isDate(year, month, day)) return false;
  return h1 + h2 < 24 && m1 + m2 < 60 && s1 + s2 < 60 && zoneHours <= 24 && zoneMinutes < 60;
}

function isUsualTimestamp(text: string): boolean {
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  if (!isDate(year, twoDigits(text, 5), twoDigits(text, 8))) return false;
  return text.length === 10 || (twoDigits(text, 11) < 24 && twoDigits(text, 14) < 60 && twoDigits(text, 17) < 60);
}

function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - 0x30) + text.charCodeAt(at + 1) - 0x30;
}

/** Days that every month has: they need no calendar. */
const CERTAIN_DAYS = 28;

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= CERTAIN_DAYS || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Base-60 numbers of YAML 1.1: text here, but written in quotes for readers that interpret them. */
export function isYamlBase60(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}

/** True for a word with a special meaning: `yes`, `~`, `.inf`. Upstream's writer does not know `<<`. */
export function isYamlWord(text: string): boolean {
  return text.length <= MAX_WORD_LENGTH && isWordStart(text.charCodeAt(0)) && WORDS.has(text);
}

/** Few texts begin so; the others need no lookup among the words. */
function isWordStart(first: number): boolean {
  return WORD_STARTS[first] === 1 || Number.isNaN(first);
}

const WORD_STARTS = new Uint8Array(128);
for (const start of 'yYnNtTfFoO~.+-') WORD_STARTS[start.charCodeAt(0)] = 1;

/** True for text that is a number, given that it begins like one. */
export function isYamlNumber(text: string): boolean {
  if (text.charCodeAt(0) === 0x2e) return resolveFloat(text) !== undefined;
  return resolveNumber(text.replaceAll('_', '')) !== undefined;
}
