import { ParseError } from '../text/parse-error.js';
import { quote } from '../text/quote.js';

/** A semantic version. */
export interface SemanticVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Words and numbers between dots; "" for a release. Not a list: a client may send a million of them. */
  readonly prerelease: string;
  /** Words between dots; "" if there are none. */
  readonly build: string;
}

const WORD = /^[0-9A-Za-z-]*$/;
const DIGITS = /^[0-9]*$/;
const DOT = 0x2e;
/** Digits of the greatest number of 64 bits. */
const MAX_UINT_LENGTH = 20;

/**
 * Parses a version strictly. Throws a ParseError with upstream's text.
 *
 * Upstream: Parse in github.com/blang/semver/v4
 */
export function parseSemanticVersion(text: string): SemanticVersion {
  if (text === '') throw new ParseError('Version string empty');
  const [major = '', minor, rest] = splitInThree(text);
  if (minor === undefined || rest === undefined) throw new ParseError('No Major.Minor.Patch elements found');
  const [beforeBuild, build] = cut(rest, '+');
  const [patch, prerelease] = cut(beforeBuild, '-');
  return {
    major: parseNumber(major, 'Major'),
    minor: parseNumber(minor, 'Minor'),
    patch: parseNumber(patch, 'Patch'),
    prerelease: checkParts(prerelease, checkPrereleasePart),
    build: checkParts(build, checkBuildPart),
  };
}

/**
 * Parses a version after small repairs: a leading `v`, leading zeros, a missing minor or patch number. Throws a
 * ParseError with upstream's text.
 *
 * Upstream: normalizeAndParse in k8s.io/apiserver/pkg/cel/library/semverlib.go
 */
export function parseLenientSemanticVersion(text: string): SemanticVersion {
  const parts = splitInThree(text.startsWith('v') ? text.slice(1) : text).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new ParseError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parseSemanticVersion(parts.join('.'));
}

/** The parts before the first and the second dot, and the rest. */
function splitInThree(text: string): string[] {
  const first = text.indexOf('.');
  if (first < 0) return [text];
  const second = text.indexOf('.', first + 1);
  if (second < 0) return [text.slice(0, first), text.slice(first + 1)];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** A part without its leading zeros, except one that no digit follows. */
function withoutZeros(part: string): string {
  // Upstream counts bytes: a character beyond ASCII is more than one.
  if (Buffer.byteLength(part) <= 1) return part;
  const rest = part.replace(/^0+/, '');
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

function parseNumber(text: string, name: string): bigint {
  if (!DIGITS.test(text)) {
    throw new ParseError(`Invalid character(s) found in ${name.toLowerCase()} number ${quote(text)}`);
  }
  if (hasLeadingZero(text)) throw new ParseError(`${name} number must not contain leading zeroes ${quote(text)}`);
  return parseUint(text);
}

function parseUint(digits: string): bigint {
  const isTooLong = digits.length > MAX_UINT_LENGTH;
  const value = isTooLong ? 0n : BigInt(digits);
  if (digits === '' || isTooLong || value >= 2n ** 64n) {
    const fault = digits === '' ? 'invalid syntax' : 'value out of range';
    throw new ParseError(`strconv.ParseUint: parsing ${quote(digits)}: ${fault}`);
  }
  return value;
}

function hasLeadingZero(text: string): boolean {
  return text.length > 1 && text.startsWith('0');
}

/** Passes the parts between dots to `check`, in their order. Undefined is "". */
function checkParts(text: string | undefined, check: (part: string) => void): string {
  if (text === undefined) return '';
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    for (end = start; end < text.length && text.charCodeAt(end) !== DOT; end++);
    check(text.slice(start, end));
  }
  return text;
}

function checkPrereleasePart(text: string): void {
  if (text === '') throw new ParseError('Prerelease is empty');
  if (!WORD.test(text)) throw new ParseError(`Invalid character(s) found in prerelease ${quote(text)}`);
  if (!DIGITS.test(text)) return;
  if (hasLeadingZero(text)) {
    throw new ParseError(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
  }
  if (text.length >= MAX_UINT_LENGTH) parseUint(text);
}

function checkBuildPart(text: string): void {
  if (text === '') throw new ParseError('Build meta data is empty');
  if (!WORD.test(text)) throw new ParseError(`Invalid character(s) found in build meta data ${quote(text)}`);
}

/** -1, 0 or 1 by precedence; metadata of the build count nothing. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): -1 | 0 | 1 {
  const byNumbers = compare(a.major, b.major) || compare(a.minor, b.minor) || compare(a.patch, b.patch);
  return byNumbers || comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  // A version without a prerelease follows its prereleases.
  if (a === '' || b === '') return a === '' ? 1 : -1;
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const start = a.lastIndexOf('.', at - 1) + 1;
  const [part, other] = [partAt(a, start), partAt(b, start)];
  // Equal parts: the shorter prerelease ends here.
  return part === other ? compare(a.length, b.length) : compareParts(part, other);
}

function partAt(text: string, start: number): string {
  const end = text.indexOf('.', start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

/** Numbers come before words. They have no leading zeros, so a longer one is larger. */
function compareParts(a: string, b: string): -1 | 0 | 1 {
  const [isNumber, isOtherNumber] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return (isNumber && compare(a.length, b.length)) || compare(a, b);
}

function compare<T extends bigint | number | string>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The version as text. */
export function formatSemanticVersion({ major, minor, patch, prerelease, build }: SemanticVersion): string {
  const before = prerelease && `-${prerelease}`;
  const after = build && `+${build}`;
  return `${major}.${minor}.${patch}${before}${after}`;
}
