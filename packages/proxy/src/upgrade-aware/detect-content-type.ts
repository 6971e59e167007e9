import { Buffer } from 'node:buffer';

/** Bytes of a body that decide about its type. */
const SNIFFED_BYTES = 512;

const HTML = 'text/html; charset=utf-8';
const PLAIN = 'text/plain; charset=utf-8';

/** The beginnings of pages, before a space or `>`; letters in either case. */
const HTML_PATTERN =
  /^[\t\n\f\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[ >]/i;
const XML_PATTERN = /^[\t\n\f\r ]*<\?xml/;
/** Control characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BINARY_PATTERN = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** The first bytes of binary forms, by type; `*` is any byte. The first that fits decides. */
const SIGNATURES: readonly (readonly [beginning: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['%!PS-Adobe-', 'application/postscript'],
  ['\xfe\xff**', 'text/plain; charset=utf-16be'],
  ['\xff\xfe**', 'text/plain; charset=utf-16le'],
  ['\xef\xbb\xbf*', PLAIN],
  ['\0\0\x01\0', 'image/x-icon'],
  ['\0\0\x02\0', 'image/x-icon'],
  ['BM', 'image/bmp'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF****WEBPVP', 'image/webp'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['FORM****AIFF', 'audio/aiff'],
  ['ID3', 'audio/mpeg'],
  ['OggS\0', 'application/ogg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  ['RIFF****AVI ', 'video/avi'],
  ['RIFF****WAVE', 'audio/wave'],
];

/** Those that follow films in the form of MP4. */
const LATER_SIGNATURES: typeof SIGNATURES = [
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  [`${'*'.repeat(34)}LP`, 'application/vnd.ms-fontobject'],
  ['\0\x01\0\0', 'font/ttf'],
  ['OTTO', 'font/otf'],
  ['ttcf', 'font/collection'],
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
  ['\x1f\x8b\b', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['Rar!\x1a\x07\0', 'application/x-rar-compressed'],
  ['Rar!\x1a\x07\x01\0', 'application/x-rar-compressed'],
  ['\0asm', 'application/wasm'],
];

/**
 * Guesses the type of a body from its first bytes, as https://mimesniff.spec.whatwg.org describes.
 * Upstream: DetectContentType of Go's net/http, whose server calls it for a response without a type
 */
export function detectContentType(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SNIFFED_BYTES));
  const text = bytes.toString('latin1');
  if (HTML_PATTERN.test(text)) return HTML;
  if (XML_PATTERN.test(text)) return 'text/xml; charset=utf-8';
  const found = typeBySignature(text, SIGNATURES) ?? (isMp4(bytes) ? 'video/mp4' : undefined);
  return (
    found ?? typeBySignature(text, LATER_SIGNATURES) ?? (BINARY_PATTERN.test(text) ? 'application/octet-stream' : PLAIN)
  );
}

function typeBySignature(text: string, signatures: typeof SIGNATURES): string | undefined {
  return signatures.find(([beginning]) => startsWith(text, beginning))?.[1];
}

function startsWith(text: string, beginning: string): boolean {
  if (text.length < beginning.length) return false;
  for (let at = 0; at < beginning.length; at++) {
    if (beginning[at] !== '*' && beginning[at] !== text[at]) return false;
  }
  return true;
}

/** Reports whether the first box names a brand of MP4. Its second word is a version. */
function isMp4(bytes: Buffer): boolean {
  if (bytes.length < 12 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false;
  const size = bytes.readUInt32BE(0);
  if (bytes.length < size || size % 4 !== 0) return false;
  for (let at = 8; at < size; at += 4) {
    if (at !== 12 && bytes.toString('latin1', at, at + 3) === 'mp4') return true;
  }
  return false;
}
