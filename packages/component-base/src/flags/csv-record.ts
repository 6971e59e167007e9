import { ParseError } from '@apiserver/apimachinery/text';

/**
 * The fields of the first record of a text. Empty lines before it count as nothing, and further records are not read.
 * Throws a ParseError with Go's text.
 * Upstream: Reader.Read in encoding/csv
 */
export function readCsvRecord(text: string): readonly string[] {
  for (const record of csvRecords(text)) return record;
  throw new ParseError('EOF');
}

/**
 * The records of a text, each with any number of fields. Empty lines between them count as nothing. Throws a
 * ParseError with Go's text.
 * Upstream: Reader in encoding/csv
 */
export function* csvRecords(text: string): Generator<readonly string[], void, undefined> {
  const lines = text.replaceAll('\r\n', '\n').replace(/\r$/, '');
  for (let start = nextRecord(lines, 0); start < lines.length; ) {
    const [fields, end] = recordAt(lines, start);
    yield fields;
    start = nextRecord(lines, end);
  }
}

/** The index of the next character that ends no line. */
function nextRecord(lines: string, from: number): number {
  let at = from;
  while (lines[at] === '\n') at++;
  return at;
}

function recordAt(lines: string, start: number): readonly [fields: readonly string[], end: number] {
  const fields: string[] = [];
  for (let at = start; ; at++) {
    const [field, end] = lines[at] === '"' ? quotedField(lines, at, start) : bareField(lines, at, start);
    fields.push(field);
    if (lines[end] !== ',') return [fields, end];
    at = end;
  }
}

/** A field, and the index after it. */
type Field = readonly [field: string, end: number];

const BARE = /[^,\n]*/y;
/** Two quotes are one inside, also if no end follows. */
const QUOTED = /"((?:[^"]|"")*)"(?!")/y;

function bareField(text: string, at: number, start: number): Field {
  BARE.lastIndex = at;
  const [field = ''] = BARE.exec(text) ?? [];
  const quote = field.indexOf('"');
  if (quote >= 0) throw parseError(text, at + quote, start, 'bare " in non-quoted-field');
  return [field, at + field.length];
}

function quotedField(text: string, at: number, start: number): Field {
  QUOTED.lastIndex = at;
  const [whole, inner = ''] = QUOTED.exec(text) ?? [];
  const wrong = 'extraneous or missing " in quoted-field';
  // A line end at the end of the text belongs to its line.
  if (whole === undefined) throw parseError(text.replace(/\n$/, ' '), text.length, start, wrong);
  const end = at + whole.length;
  if (end < text.length && text[end] !== ',' && text[end] !== '\n') throw parseError(text, end - 1, start, wrong);
  return [inner.replaceAll('""', '"'), end];
}

/** The column counts bytes. */
function parseError(text: string, index: number, start: number, reason: string): ParseError {
  const recordLine = text.slice(0, start).split('\n').length;
  const before = text.slice(0, index).split('\n');
  const column = Buffer.byteLength(before.at(-1) ?? '') + 1;
  const record = before.length === recordLine ? '' : `record on line ${recordLine}; `;
  return new ParseError(`${record}parse error on line ${before.length}, column ${column}: ${reason}`);
}

/** Fields as one record. Upstream: Writer.Write in encoding/csv */
export function writeCsvRecord(fields: readonly string[]): string {
  return fields.map((field) => (needsQuotes(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

function needsQuotes(field: string): boolean {
  return field === '\\.' || /^\s|[",\r\n]/.test(field);
}
