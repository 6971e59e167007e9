import type { IPAddress } from '@apiserver/api/networking/v1';
import { isAlreadyExists, messageOf } from '@apiserver/apimachinery/errors';
import type { Informer, Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { IPFamily, ServiceReference } from '@apiserver/builtin-resources';
import { FAMILY_LABEL, IP_ADDRESSES, isManaged, newIPAddress } from './ip-address-object.js';

/**
 * Which addresses are taken: an address is taken by making its IPAddress object, which only one server of many can do.
 * Addresses are in canonical form.
 */
export interface IPAddresses {
  /** As far as this server has heard: only `take` knows. */
  isTaken(address: string): boolean;
  /** False when somebody holds it already. Throws what the API refuses it with. */
  take(address: string, service: ServiceReference): Promise<boolean>;
  /** Never rejects: what stays behind, the repair loop removes. */
  giveBack(address: string): Promise<void>;
  /** Those of a family that services hold, as far as this server has heard. */
  held(family: IPFamily): readonly string[];
}

export interface IPAddressesOptions {
  /** Of every IPAddress. */
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
