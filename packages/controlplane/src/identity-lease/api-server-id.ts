import { createHash } from 'node:crypto';

/** RFC 4648, in lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const HASH_BYTES = 16;

/**
 * The identity of a kube-apiserver for its peers, derived from the hostname: the same at every start.
 * Upstream: the APIServerIdentity part of NewConfig in k8s.io/apiserver/pkg/server/config.go
 */
export function apiServerID(hostname: string): string {
  const hash = createHash('sha256');
  for (const text of [hostname, 'kube-apiserver']) {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, HASH_BYTES))}`;
}

/** Without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}
