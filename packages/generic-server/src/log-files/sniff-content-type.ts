import { Buffer } from 'node:buffer';

/** Bytes that text has not. Upstream: textSig of net/http/sniff.go */
const BINARY = new Set([...range(0x00, 0x08), 0x0b, ...range(0x0e, 0x1a), ...range(0x1c, 0x1f)]);

/** Guesses the type of a log: text, compressed or other bytes. Upstream: http.DetectContentType */
export function sniffContentType(start: Uint8Array): string {
  if (
    Buffer.from(start)
      .subarray(0, 3)
      .equals(Buffer.of(0x1f, 0x8b, 0x08))
  )
    return 'application/x-gzip';
  return start.some((byte) => BINARY.has(byte)) ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
