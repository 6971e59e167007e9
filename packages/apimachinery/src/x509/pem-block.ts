import { setOwn } from '../json/set-own.js';

/** A block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The text after the block. */
  readonly rest: string;
}

const END_LINE = /(?:^|\n)-----END ([^\n]*?)-----[ \t\r]*(?:\n|$)/g;
const BEGIN_LINE = /^-----BEGIN ([^\n]*?)-----[ \t\r]*\n/;
const HEADER_LINE = /^([^\n:]+):([^\n]*)\n/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The first well-formed block of a PEM text; undefined if there is none. Searches from end lines back to the nearest
 * begin line, so that it takes linear time.
 * Upstream: Decode of encoding/pem
 */
export function readPemBlock(text: string): PemBlock | undefined {
  let start = 0;
  for (const { 0: line, 1: type = '', index } of text.matchAll(END_LINE)) {
    const end = index + line.length;
    const block = readBlock(text.slice(start, index + 1), type);
    if (block !== undefined) return { ...block, rest: text.slice(end) };
    start = end - 1;
  }
  return undefined;
}

/** Every well-formed block of a PEM text, in order. Text between blocks is skipped. */
export function readPemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let block = readPemBlock(text); block !== undefined; block = readPemBlock(block.rest)) blocks.push(block);
  return blocks;
}

/** A block as PEM text, without its headers. Upstream: EncodeToMemory of encoding/pem */
export function formatPemBlock({ type, bytes }: Pick<PemBlock, 'type' | 'bytes'>): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}

function readBlock(text: string, type: string): Omit<PemBlock, 'rest'> | undefined {
  const begin = text.startsWith('-----BEGIN ') ? 0 : -1;
  const start = Math.max(begin, text.lastIndexOf('\n-----BEGIN ') + 1);
  const opening = BEGIN_LINE.exec(text.slice(start));
  if (opening?.[1] !== type) return undefined;
  const { headers, body } = readHeaders(text.slice(start + opening[0].length));
  const base64 = body.replaceAll(/[ \t\r\n]/g, '');
  return BASE64.test(base64) ? { type, headers, bytes: Buffer.from(base64, 'base64') } : undefined;
}

function readHeaders(text: string): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = {};
  let end = 0;
  for (;;) {
    const found = HEADER_LINE.exec(text.slice(end));
    if (found === null) return { headers, body: text.slice(end) };
    const [line, key = '', value = ''] = found;
    setOwn(headers, key.trim(), value.trim());
    end += line.length;
  }
}
