import { Buffer } from 'node:buffer';
import { hexDigit } from '@apiserver/apimachinery/text';

/** Go's parser takes no query with more parameters. */
const MAX_PARAMETERS = 10_000;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const DIGITS = Buffer.from('0123456789ABCDEF');
/** 1 for each byte that needs no escape. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))));

/**
 * The query that another server gets: keys in the order of their bytes, values of one key in the client's order,
 * everything escaped in one way. Pairs with an invalid escape or a ";" are dropped. Both queries have a character for
 * each byte. Loops over bytes, because replacing each escape of a query of 1 MiB takes 100 ms.
 * Upstream: `req.URL.Query().Encode()` of k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go
 */
export function sortedQuery(rawQuery: string): string {
  if (rawQuery === '') return '';
  const written = rawQuery.split('&', MAX_PARAMETERS + 1);
  if (written.length > MAX_PARAMETERS) return '';
  const pairs = written.filter((pair) => pair !== '' && !pair.includes(';') && !BAD_ESCAPE.test(pair)).map(pairOf);
  pairs.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return pairs.map(([key, value]) => `${escaped(key)}=${escaped(value)}`).join('&');
}

/** Key and value in bytes. */
function pairOf(written: string): readonly [string, string] {
  const equals = written.indexOf('=');
  return equals < 0 ? [bytesOf(written), ''] : [bytesOf(written.slice(0, equals)), bytesOf(written.slice(equals + 1))];
}

function bytesOf(written: string): string {
  const bytes = Buffer.from(written, 'latin1');
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.readUInt8(at);
    if (byte === PERCENT) {
      bytes[end++] = (hexDigit(bytes.readUInt8(at + 1)) << 4) | hexDigit(bytes.readUInt8(at + 2));
      at += 2;
    } else bytes[end++] = byte === PLUS ? SPACE : byte;
  }
  return bytes.toString('latin1', 0, end);
}

function escaped(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const sent = Buffer.allocUnsafe(3 * bytes.length);
  let end = 0;
  for (const byte of bytes) {
    if (PLAIN[byte] === 1) sent[end++] = byte;
    else if (byte === SPACE) sent[end++] = PLUS;
    else {
      sent[end++] = PERCENT;
      sent[end++] = DIGITS.readUInt8(byte >> 4);
      sent[end++] = DIGITS.readUInt8(byte & 15);
    }
  }
  return sent.toString('latin1', 0, end);
}
