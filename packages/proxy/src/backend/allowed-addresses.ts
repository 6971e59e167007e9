import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { BackendTransport } from './backend.js';

/** The options of a connection that resolves names by the rules of its transport. */
export function lookupOptions({ allowsAddress }: BackendTransport): { readonly lookup?: LookupFunction } {
  return allowsAddress === undefined ? {} : { lookup: judgedLookup(allowsAddress) };
}

/** A connection to an address looks nothing up. Throws an Error for one that its transport does not allow. */
export function checkLiteralAddress(hostname: string, { allowsAddress }: BackendTransport): void {
  if (allowsAddress !== undefined && isIP(hostname) !== 0 && !allowsAddress(hostname)) throw notAllowed();
}

/**
 * Node's lookup that fails when any of the addresses is not allowed: a name that was judged before may resolve to another
 * address by now. Upstream: NewFilteredDialContext in pkg/proxy/util/utils.go
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
