/**
 * Parses CSV records. A value in double quotes may contain commas, line breaks and doubled quotes. Blank lines are
 * skipped. Throws an Error with the line number for a misplaced quote.
 * Upstream: encoding/csv
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  const reader = { text, position: 0, line: 1 };
  while (reader.position < text.length) {
    const record = readRecord(reader);
    if (record.length > 1 || record[0] !== '') records.push(record);
  }
  return records;
}

interface Reader {
  readonly text: string;
  position: number;
  line: number;
}

function readRecord(reader: Reader): string[] {
  const record: string[] = [];
  for (;;) {
    record.push(reader.text[reader.position] === '"' ? readQuoted(reader) : readBare(reader));
    const separator = reader.text[reader.position++];
    if (separator === ',') continue;
    reader.line++;
    return record;
  }
}

function readBare(reader: Reader): string {
  const start = reader.position;
  while (reader.position < reader.text.length && !/[,\n]/.test(reader.text.charAt(reader.position))) reader.position++;
  const value = reader.text.slice(start, reader.position);
  if (value.includes('"')) throw new Error(`parse error on line ${reader.line}: bare " in non-quoted-field`);
  return reader.text[reader.position] === ',' ? value : value.replace(/\r$/, '');
}

function readQuoted(reader: Reader): string {
  let value = '';
  const { line } = reader;
  for (;;) {
    const close = reader.text.indexOf('"', reader.position + 1);
    if (close < 0) throw new Error(`parse error on line ${line}: extraneous or missing " in quoted-field`);
    const part = reader.text.slice(reader.position + 1, close);
    value += part;
    reader.line += part.split('\n').length - 1;
    reader.position = close + 1;
    if (reader.text[reader.position] !== '"') break;
    value += '"';
  }
  if (reader.text[reader.position] === '\r') reader.position++;
  if (reader.position < reader.text.length && !/[,\n]/.test(reader.text.charAt(reader.position))) {
    throw new Error(`parse error on line ${line}: extraneous or missing " in quoted-field`);
  }
  return value;
}
