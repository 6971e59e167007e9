import type { IPAddress } from '@apiserver/api/networking/v1';
import { isAlreadyExists, messageOf } from '@apiserver/apimachinery/errors';
import type { Informer, Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { IPFamily, ServiceReference } from '@apiserver/builtin-resources';
import { FAMILY_LABEL, IP_ADDRESSES, isManaged, newIPAddress } from './ip-address-object.js';

/**
 * The allocated addresses. Creating an IPAddress object allocates an address, which only one of several servers can
 * do. Addresses are in canonical form.
 */
export interface IPAddresses {
  /** According to this server's informer; only `take` is authoritative. */
  isTaken(address: string): boolean;
  /** False if the address is already held. Throws the error of the API. */
  take(address: string, service: ServiceReference): Promise<boolean>;
  /** Never rejects: the repair loop deletes any leftover object. */
  giveBack(address: string): Promise<void>;
  /** Addresses of a family held by services, according to this server's informer. */
  held(family: IPFamily): readonly string[];
}

/** Dependencies of `storedIPAddresses`. */
export interface IPAddressesOptions {
  /** The informer of all IPAddresses. */
  readonly informer: Informer<IPAddress>;
  readonly client: LoopbackClient;
  readonly logger: Logger;
}

/** Upstream: createIPAddress and release of pkg/registry/core/service/ipallocator/ipallocator.go */
export function storedIPAddresses({ informer, client, logger }: IPAddressesOptions): IPAddresses {
  const objects = client.resource<IPAddress>(IP_ADDRESSES);
  return {
    isTaken: (address) => informer.get('', address) !== undefined,
    async take(address, service) {
      try {
        await objects.create('', newIPAddress(address, service));
        return true;
      } catch (error) {
        if (isAlreadyExists(error)) return false;
        throw error;
      }
    },
    async giveBack(address) {
      try {
        await objects.delete('', address);
      } catch (error) {
        logger.info('Error releasing an IP', { address, err: messageOf(error) });
      }
    },
    held: (family) =>
      informer.list().flatMap((object) => {
        const { name = '', labels } = object.metadata;
        return isManaged(object) && labels?.[FAMILY_LABEL] === family ? [name] : [];
      }),
  };
}
