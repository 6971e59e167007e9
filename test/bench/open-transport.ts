import { openHttp1 } from './http1-transport.ts';
import { openHttp2 } from './http2-transport.ts';
import type { Protocol, Transport, TransportOptions } from './transport.ts';

/** Connects on first use. */
export function openTransport(protocol: Protocol, options: TransportOptions): Transport {
  return protocol === 'h2' ? openHttp2(options) : openHttp1(options);
}
