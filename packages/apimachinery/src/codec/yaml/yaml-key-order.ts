const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/**
 * Maximum number of keys that are sorted by insertion: a native sort copies them, which dominates its cost for few
 * keys.
 */
const FEW = 16;

/** Sorts keys in place, in the order of `compareYamlKeys`. */
export function sortYamlKeys(keys: string[]): string[] {
  if (keys.length > FEW) return keys.sort(compareYamlKeys);
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    while (at > 0 && compareYamlKeys(keys[at - 1] as string, key) > 0) {
      keys[at] = keys[at - 1] as string;
      at--;
    }
    keys[at] = key;
  }
  return keys;
}

/**
 * The order of keys in YAML: by character, letters after everything else, runs of digits by number.
 *
 * Upstream: go.yaml.in/yaml/v2 sorter.go
 */
export function compareYamlKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  // Two characters with the same high surrogate differ in the low one.
  if (i > 0 && isHigh(a.charCodeAt(i - 1)) && (isLow(a.charCodeAt(i)) || isLow(b.charCodeAt(i)))) i--;
  const x = a.codePointAt(i) as number;
  const y = b.codePointAt(i) as number;
  const xLetter = isLetter(x);
  const yLetter = isLetter(y);
  if (xLetter && yLetter) return x - y;
  if (xLetter || yLetter) return yLetter ? -1 : 1;
  return compareRuns(a, b, i);
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

function isLetter(code: number): boolean {
  if (code < 0x80) return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return LETTER.test(String.fromCodePoint(code));
}

function isDigit(code: number | undefined): boolean {
  if (code === undefined) return false;
  return code < 0x80 ? code >= 0x30 && code <= 0x39 : DIGIT.test(String.fromCodePoint(code));
}

/** Longer runs of digits need integers of 64 bits. */
const SHORT_RUN = 14;

/** The end of a run of digits; -1 if it is long, or a digit beyond ASCII may follow. */
function endOfShortRun(text: string, start: number): number {
  const most = start + SHORT_RUN;
  for (let i = start; i <= most; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 0;
    if (unit >= 0x80) return -1;
    if (unit < 0x30 || unit > 0x39) return i;
  }
  return -1;
}

/** Compares from the first difference on, if neither side has a letter. */
function compareRuns(a: string, b: string, i: number): number {
  const [aEnd, bEnd] = [endOfShortRun(a, i), endOfShortRun(b, i)];
  if (aEnd === -1 || bEnd === -1) return compareLongRuns(a, b, i);
  const lead = a[i] === '0' || b[i] === '0' ? leadingDigit(a, i) : 0n;
  const x = Number(`${lead}${a.slice(i, aEnd)}`);
  const y = Number(`${lead}${b.slice(i, bEnd)}`);
  return x - y || aEnd - bEnd || a.charCodeAt(i) - b.charCodeAt(i);
}

function compareLongRuns(a: string, b: string, i: number): number {
  const lead = a[i] === '0' || b[i] === '0' ? leadingDigit(a, i) : 0n;
  const x = digitRun(a, i, lead);
  const y = digitRun(b, i, lead);
  if (x.value !== y.value) return x.value < y.value ? -1 : 1;
  if (x.digits !== y.digits) return x.digits - y.digits;
  return (a.codePointAt(i) as number) - (b.codePointAt(i) as number);
}

/** 1 when the digits before are not all zero: a zero here is then not a leading zero. */
function leadingDigit(text: string, i: number): bigint {
  for (let j = i; j > 0; ) {
    j -= isLow(text.charCodeAt(j - 1)) && isHigh(text.charCodeAt(j - 2)) ? 2 : 1;
    const code = text.codePointAt(j);
    if (!isDigit(code)) return 0n;
    if (code !== 0x30) return 1n;
  }
  return 0n;
}

/** 10 to the power of this is divisible by 2^64: digits further left do not count. */
const COUNTED_DIGITS = 64;

/** The digits from `start` on: their count, and their number in 64 bits, which overflows. */
function digitRun(text: string, start: number, lead: bigint): { readonly value: bigint; readonly digits: number } {
  const codes: number[] = [];
  for (let at = start; ; ) {
    const code = text.codePointAt(at);
    if (code === undefined || !isDigit(code)) break;
    codes.push(code);
    at += code > 0xffff ? 2 : 1;
  }
  let value = codes.length > COUNTED_DIGITS ? 0n : lead;
  for (const code of codes.slice(-COUNTED_DIGITS)) value = BigInt.asIntN(64, value * 10n + BigInt(code - 0x30));
  return { value, digits: codes.length };
}
