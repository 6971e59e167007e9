import { isIP } from 'node:net';
import { formatIPAddress, parseIPAddress } from '@apiserver/apimachinery/values';
import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** Addresses of X-Forwarded-For that are taken. A client may send a megabyte of them. */
const MAX_FORWARDED = 1_000;

/**
 * The addresses of a request: those of X-Forwarded-For, X-Real-Ip, and last the peer. A client can choose all but the
 * last.
 * Upstream: SourceIPs in k8s.io/apimachinery/pkg/util/net/http.go
 */
export function sourceAddresses({
  headers,
  remoteAddress,
}: Pick<ApiRequest, 'headers' | 'remoteAddress'>): readonly string[] {
  const peer = peerAddress(remoteAddress);
  const forwarded = first(headers, 'x-forwarded-for');
  const real = first(headers, 'x-real-ip');
  if (forwarded === '' && real === '') return peer === undefined ? [] : [peer];
  const addresses: string[] = [];
  if (forwarded !== '') {
    for (const part of forwarded.split(',', MAX_FORWARDED)) {
      const address = addressOf(part.trim());
      if (address !== undefined) addresses.push(address);
    }
  }
  const behind = real === '' ? undefined : addressOf(real);
  if (behind !== undefined && !addresses.includes(behind)) addresses.push(behind);
  if (peer !== undefined && addresses.at(-1) !== peer) addresses.push(peer);
  return addresses;
}

/** Headers are joined for `get`; upstream takes the first value. */
function first(headers: ApiRequest['headers'], name: string): string {
  return headers.get(name) === undefined ? '' : (headers.all(name)[0] ?? '');
}

/** The peer of the last request. The next one often has the same. */
let lastPeer: { readonly text: string; readonly address: string | undefined } = { text: '', address: undefined };

function peerAddress(text: string): string | undefined {
  if (text !== lastPeer.text) lastPeer = { text, address: addressOf(text) };
  return lastPeer.address;
}

/** The usual address is in its canonical form already. */
function addressOf(text: string): string | undefined {
  if (/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text) && isIP(text) === 4) return text;
  const parsed = parseIPAddress(text);
  return parsed && formatIPAddress(parsed.bytes);
}
