import type { BackendTransport } from '@apiserver/proxy';
import { isProxyable } from './proxyable-address.js';

const proxyable = new WeakMap<BackendTransport, BackendTransport>();

/**
 * The transport restricted to remote addresses, for proxies. There is one value per transport: connections are pooled
 * by it, separately from those of logs and commands.
 */
export function proxyableTransport(transport: BackendTransport): BackendTransport {
  const known = proxyable.get(transport);
  if (known !== undefined) return known;
  const made = { ...transport, allowsAddress: isProxyable };
  proxyable.set(transport, made);
  return made;
}
