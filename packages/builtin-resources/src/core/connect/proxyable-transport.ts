import type { BackendTransport } from '@apiserver/proxy';
import { isGlobalUnicast } from './proxyable-address.js';

const proxyable = new WeakMap<BackendTransport, BackendTransport>();

/**
 * The same transport for proxies, which may only lead elsewhere. One value for each transport: connections are pooled by it,
 * and those that logs and commands have opened to a kubelet are no proxy's.
 */
export function proxyableTransport(transport: BackendTransport): BackendTransport {
  const known = proxyable.get(transport);
  if (known !== undefined) return known;
  const made = { ...transport, allowsAddress: isGlobalUnicast };
  proxyable.set(transport, made);
  return made;
}
