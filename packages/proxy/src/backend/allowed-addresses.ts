import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { BackendTransport } from './backend.js';

/** Connection options with the transport's filter on DNS lookups. */
export function lookupOptions({ allowsAddress }: BackendTransport): { readonly lookup?: LookupFunction } {
  return allowsAddress === undefined ? {} : { lookup: judgedLookup(allowsAddress) };
}

/** Checks a literal address, for which no lookup runs. Throws an Error if the transport does not allow it. */
export function checkLiteralAddress(hostname: string, { allowsAddress }: BackendTransport): void {
  if (allowsAddress !== undefined && isIP(hostname) !== 0 && !allowsAddress(hostname)) throw notAllowed();
}

/**
 * A DNS lookup that fails if any address is not allowed: a name checked earlier may resolve to another address now.
 * Upstream: NewFilteredDialContext in pkg/proxy/util/utils.go
 */
function judgedLookup(allows: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[] | undefined) => {
      if (error !== null) return callback(error, []);
      if (addresses === undefined || !addresses.every(({ address }) => allows(address))) {
        return callback(notAllowed(), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}

/** Upstream: ErrAddressNotAllowed in pkg/proxy/util/utils.go */
function notAllowed(): Error {
  return new Error('address not allowed');
}
