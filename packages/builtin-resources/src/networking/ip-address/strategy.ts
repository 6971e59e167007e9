import type { IPAddress } from '@apiserver/api/networking/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateIPAddress, validateIPAddressUpdate } from './validation.js';

/** Upstream: pkg/registry/networking/ipaddress/strategy.go */
export const ipAddressStrategy: Strategy<IPAddress> = {
  allowCreateOnUpdate: false,
  // An address cannot have a suffix.
  generateName: (base) => base,
  allowUnconditionalUpdate: true,
  validate: (_context, address) => validateIPAddress(address),
  validateUpdate: (_context, address, old) => [...validateIPAddress(address), ...validateIPAddressUpdate(address, old)],
};
