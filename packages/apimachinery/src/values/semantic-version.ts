import { ParseError } from '../text/parse-error.js';
import { quote } from '../text/quote.js';

/** A part of a prerelease: a number, or a word. */
type PrereleasePart = bigint | string;

/** A semantic version. */
export interface SemanticVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly PrereleasePart[];
  readonly build: readonly string[];
}

const WORD = /^[0-9A-Za-z-]*$/;
const DIGITS = /^[0-9]*$/;

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
    prerelease: prerelease === undefined ? [] : prerelease.split('.').map(parsePrereleasePart),
    build: build === undefined ? [] : build.split('.').map(checkBuildPart),
  };
}

/**
 * Parses a version after small repairs: a leading `v`, leading zeros, a missing minor or patch number. Throws a ParseError with
 * upstream's text.
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
  const isTooLong = digits.length > 20;
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

function parsePrereleasePart(text: string): PrereleasePart {
  if (text === '') throw new ParseError('Prerelease is empty');
  if (!WORD.test(text)) throw new ParseError(`Invalid character(s) found in prerelease ${quote(text)}`);
  if (!DIGITS.test(text)) return text;
  if (hasLeadingZero(text)) {
    throw new ParseError(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
  }
  return parseUint(text);
}

function checkBuildPart(text: string): string {
  if (text === '') throw new ParseError('Build meta data is empty');
  if (!WORD.test(text)) throw new ParseError(`Invalid character(s) found in build meta data ${quote(text)}`);
  return text;
}

/** -1, 0 or 1 by precedence; metadata of the build count nothing. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): -1 | 0 | 1 {
  const byNumbers = compare(a.major, b.major) || compare(a.minor, b.minor) || compare(a.patch, b.patch);
  return byNumbers || comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly PrereleasePart[], b: readonly PrereleasePart[]): -1 | 0 | 1 {
  // A version without a prerelease follows its prereleases.
  if (a.length === 0 || b.length === 0) return compare(b.length, a.length);
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const result = typeof part === typeof other ? compare(part, other) : typeof part === 'bigint' ? -1 : 1;
    if (result !== 0) return result;
  }
  return a.length < b.length ? -1 : 0;
}

function compare<T extends bigint | number | string>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The version as text. */
export function formatSemanticVersion({ major, minor, patch, prerelease, build }: SemanticVersion): string {
  const before = prerelease.length === 0 ? '' : `-${prerelease.join('.')}`;
  const after = build.length === 0 ? '' : `+${build.join('.')}`;
  return `${major}.${minor}.${patch}${before}${after}`;
}
