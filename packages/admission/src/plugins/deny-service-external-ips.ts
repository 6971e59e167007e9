import type { Service } from '@apiserver/api/core/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../admitted-object.js';
import { handlesMain } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';

/**
 * Refuses external addresses that a service does not yet have.
 * Upstream: plugin/pkg/admission/network/denyserviceexternalips
 */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: handlesMain({ group: '', resource: 'services' }, 'CREATE', 'UPDATE'),
    validate(attributes) {
      const known = new Set(storedObject<Service>(attributes)?.spec.externalIPs);
      const { externalIPs = [] } = admittedObject<Service>(attributes).spec;
      if (externalIPs.every((address) => known.has(address))) return;
      throw newAdmissionForbidden(attributes, 'Use of external IPs is denied by admission control');
    },
  };
}
