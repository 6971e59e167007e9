import type { Buffer } from 'node:buffer';
import { quoteBytes } from '@apiserver/apimachinery/text';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z -]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * The fault of a response that Node could not parse, in Go's words; undefined if Go would accept it. `received` is all
 * that came.
 * Upstream: ReadResponse of Go's net/http, ReadMIMEHeader of net/textproto, fixLength
 */
export function malformedResponseText(received: Buffer): string | undefined {
  const end = endOfHead(received);
  const [first = '', ...lines] = received.toString('latin1', 0, end).replace(/\r$/, '').split(/\r?\n/);
  return statusFault(first) ?? headerFault(lines) ?? lengthFault(lines);
}

function endOfHead(received: Buffer): number {
  const ends = ['\n\r\n', '\n\n'].map((end) => received.indexOf(end)).filter((at) => at !== -1);
  return ends.length === 0 ? received.length : Math.min(...ends);
}

function statusFault(line: string): string | undefined {
  const space = line.indexOf(' ');
  if (space === -1) return `malformed HTTP response ${quoteBytes(line)}`;
  const [code = ''] = line.slice(space).replace(/^ +/, '').split(' ');
  if (!/^\+?\d+$/.test(code) || code.length !== 3) return `malformed HTTP status code ${quoteBytes(code)}`;
  const version = line.slice(0, space);
  return /^HTTP\/\d\.\d$/.test(version) ? undefined : `malformed HTTP version ${quoteBytes(version)}`;
}

function headerFault(lines: readonly string[]): string | undefined {
  const [first = ''] = lines;
  if (/^[ \t]/.test(first)) return `malformed MIME header initial line: ${quoteBytes(first)}`;
  for (const line of lines) {
    const colon = line.indexOf(':');
    // A folded line continues the one before.
    if (line === '' || /^[ \t]/.test(line)) continue;
    if (colon === -1) return `malformed MIME header: missing colon: ${quoteBytes(line)}`;
    if (!TOKEN.test(line.slice(0, colon)) || CONTROL.test(line.slice(colon))) {
      return `malformed MIME header line: ${quoteBytes(line)}`;
    }
  }
  return undefined;
}

function lengthFault(lines: readonly string[]): string | undefined {
  const lengths = lines
    .filter((line) => /^content-length:/i.test(line))
    .map((line) => line.split(':')[1]?.trim() ?? '');
  const [first, ...others] = lengths;
  if (first === undefined) return undefined;
  if (others.some((other) => other !== first)) {
    return `http: message cannot contain multiple Content-Length headers; got [${lengths.map(quoteBytes).join(' ')}]`;
  }
  if (first === '') return 'invalid empty Content-Length ""';
  return /^\d+$/.test(first) ? undefined : `bad Content-Length ${quoteBytes(first)}`;
}
