import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { detectContentType } from './detect-content-type.js';

const PLAIN = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

it.each([
  ['', PLAIN],
  ['hello', PLAIN],
  ['{"a":1}', PLAIN],
  ['caf\xe9', PLAIN],
  ['\x0b', BINARY],
  [`${'a'.repeat(512)}\0`, PLAIN],
  [`${'a'.repeat(511)}\0`, BINARY],
  ['\t\n <!doctype html>', 'text/html; charset=utf-8'],
  ['<p ', 'text/html; charset=utf-8'],
  ['<p/>', PLAIN],
  ['<p', PLAIN],
  [' <?xml version="1.0"?>', 'text/xml; charset=utf-8'],
  ['<?XML', PLAIN],
  ['%PDF-1.7', 'application/pdf'],
  [' %PDF-1.7', PLAIN],
  ['\xfe\xff\0a', 'text/plain; charset=utf-16be'],
  ['\xfe\xff', PLAIN],
  ['\xef\xbb\xbfa', PLAIN],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['RIFF\x01\x02\x03\x04WEBPVP8', 'image/webp'],
  ['RIFF\x01\x02\x03\x04WAVE', 'audio/wave'],
  ['\0\0\0\x10ftypisomxxxxmp41', BINARY],
  ['\0\0\0\x14ftypisomxxxxmp41', 'video/mp4'],
  ['\0\0\0\x10ftypisommp41', BINARY],
  ['\0\0\0\x10ftypmp42xxxx', 'video/mp4'],
  ['\0\0\0\x0eftypmp42xxxx', BINARY],
  ['\0\0\x01\0ftypmp42', 'image/x-icon'],
  [`${'\0'.repeat(34)}LP`, 'application/vnd.ms-fontobject'],
  ['\0\x01\0\0', 'font/ttf'],
  ['\x1f\x8b\b', 'application/x-gzip'],
  ['Rar!\x1a\x07\x01\0', 'application/x-rar-compressed'],
  ['\0asm', 'application/wasm'],
])('%j is %s', (text, type) => {
  expect(detectContentType(Buffer.from(text, 'latin1'))).toBe(type);
});
