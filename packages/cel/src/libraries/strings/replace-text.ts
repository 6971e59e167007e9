import { EvaluationError } from '../../values/value.js';
import { isQuickSearch, TextSearch } from './search-text.js';

/**
 * Maximum length of a text that a function makes, above that of any request. Upstream has no bound: some calls multiply
 * what they are given, and cost no more for it.
 */
const MAX_LENGTH = 8 * 1024 * 1024;

/** The error of a text that would be too long; undefined for others. */
export function tooLong(length: number, name: string): EvaluationError | undefined {
  return length > MAX_LENGTH ? new EvaluationError(`${name}: a result of ${length} characters is too long`) : undefined;
}

/**
 * Replaces the first `limit` places of a text, all for a negative limit. An empty text is found before each character,
 * and at the end.
 *
 * Upstream: Replace of Go's strings
 */
export function replaceText(text: string, searched: string, replacement: string, limit: number): Text {
  if (searched === replacement || limit === 0) return text;
  const most = text.length + (1 + text.length / Math.max(1, searched.length)) * replacement.length;
  if (limit < 0 && most <= MAX_LENGTH && isEngineTask(text, searched)) {
    return replaceAll(text, searched, replacement);
  }
  const parts = searched === '' ? splitCharacters(text, limit) : splitText(text, searched, limit < 0 ? -1 : limit + 1);
  const added = replacement.length * (parts.length - 1);
  return tooLong(text.length + added, 'replace') ?? parts.join(replacement);
}

function replaceAll(text: string, searched: string, replacement: string): string {
  if (searched !== '') return text.replaceAll(searched, replacement.replaceAll('$', '$$$$'));
  return text === '' ? replacement : `${replacement}${text.split('').join(replacement)}${replacement}`;
}

/**
 * The engine is the fastest, but it splits characters beyond U+FFFF, and its search may take the product of both
 * lengths.
 */
function isEngineTask(text: string, searched: string): boolean {
  return searched === '' ? !SURROGATES.test(text) : isQuickSearch(text, searched);
}

const SURROGATES = /[\ud800-\udfff]/;

type Text = string | EvaluationError;

/** The text with a cut before each of its first `limit` characters, and at the end. */
function splitCharacters(text: string, limit: number): string[] {
  const parts: string[] = [''];
  let at = 0;
  while (at < text.length && (limit < 0 || parts.length < limit)) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    parts.push(character);
    at += character.length;
  }
  if (limit >= 0 && parts.length - 1 === limit) return parts;
  if (at < text.length) parts.push(text.slice(at));
  else parts.push('');
  return parts;
}

/**
 * Splits a text at the places of another one, into at most `limit` parts unless it is negative. An empty separator
 * splits between characters.
 *
 * Upstream: SplitN of Go's strings
 */
export function splitText(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  if (limit < 0 && isEngineTask(text, separator)) return text.split(separator);
  if (separator === '') return explode(text, limit);
  const parts: string[] = [];
  const search = new TextSearch(text, separator);
  let start = 0;
  while (limit < 0 || parts.length < limit - 1) {
    const found = search.next(start);
    if (found < 0) break;
    parts.push(text.slice(start, found));
    start = found + separator.length;
  }
  parts.push(text.slice(start));
  return parts;
}

function explode(text: string, limit: number): string[] {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length && (limit < 0 || parts.length < limit - 1)) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    parts.push(character);
    at += character.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
