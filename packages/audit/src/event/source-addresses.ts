import { sourceAddresses as addressesOf, canonicalAddress } from '@apiserver/apimachinery/values';
import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** The addresses of a request, of which a client can choose all but the last. */
export function sourceAddresses({
  headers,
  remoteAddress,
}: Pick<ApiRequest, 'headers' | 'remoteAddress'>): readonly string[] {
  const peer = peerAddress(remoteAddress);
  const forwardedFor = first(headers, 'x-forwarded-for');
  const realIp = first(headers, 'x-real-ip');
  if (forwardedFor === '' && realIp === '') return peer === undefined ? [] : [peer];
  return addressesOf({ forwardedFor, realIp, peer });
}

/** Headers are joined for `get`; upstream takes the first value. */
function first(headers: ApiRequest['headers'], name: string): string {
  return headers.get(name) === undefined ? '' : (headers.all(name)[0] ?? '');
}

/** The peer of the last request. The next one often has the same. */
let lastPeer: { readonly text: string; readonly address: string | undefined } = { text: '', address: undefined };

function peerAddress(text: string): string | undefined {
  if (text !== lastPeer.text) lastPeer = { text, address: canonicalAddress(text) };
  return lastPeer.address;
}
