import type { Service } from '@apiserver/api/core/v1';
import type { IPAddress, ParentReference } from '@apiserver/api/networking/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isConflict, isNotFound, unlessNotFound } from '@apiserver/apimachinery/errors';
import { formatIPAddress, parseIPAddress } from '@apiserver/apimachinery/values';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ServiceReference } from '@apiserver/builtin-resources';
import type { EventRecorder } from '../events/event-recorder.js';
import {
  familyOfAddress,
  hasAllocatorLabels,
  holdingService,
  IP_ADDRESSES,
  isManaged,
  newIPAddress,
} from '../service-ip-allocator/ip-address-object.js';
import { SERVICES, type ServerServiceAllocators } from './create-service-allocators.js';
import type { LaterKeys } from './later-keys.js';

/**
 * Time for which an address may exist without its service, which may be about to be written. Upstream allows this only
 * if the service does not exist, and deletes the address of a service that is just being updated to use it.
 */
const GRACE_MS = 60_000;
const HEADLESS = 'None';

/** Dependencies of the repair of service IPs. */
export interface ServiceIPRepairOptions {
  readonly allocators: Pick<ServerServiceAllocators, 'informers' | 'networks'>;
  readonly client: LoopbackClient;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives the addresses to check again later. */
  readonly later: Pick<LaterKeys, 'add'>;
}

/**
 * Compares services with IPAddress objects. Creates missing objects, replaces wrong ones, and deletes those without a
 * service. Reports addresses with two services or no ServiceCIDR.
 * Upstream: RepairIPAddress of pkg/registry/core/service/ipallocator/controller/repairip.go
 */
export class ServiceIPRepair {
  readonly #options: ServiceIPRepairOptions;
  readonly #objects: ResourceClient<IPAddress>;
  readonly #services: ResourceClient<Service>;

  constructor(options: ServiceIPRepairOptions) {
    this.#options = options;
    this.#objects = options.client.resource<IPAddress>(IP_ADDRESSES);
    this.#services = options.client.resource<Service>(SERVICES);
  }

  /** Checks everything once: services first, so that their addresses are correct when the addresses are checked. */
  async syncAll(): Promise<void> {
    const { services, ipAddresses } = this.#options.allocators.informers;
    for (const service of services.list()) await this.#checkService(service);
    for (const address of ipAddresses.list()) await this.#checkAddress(address);
  }

  /** `key` is namespace/name. Rejects if the API refuses a repair. */
  async syncService(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const service = this.#options.allocators.informers.services.get(namespace, name);
    if (service !== undefined) await this.#checkService(service);
  }

  /** Rejects if the API refuses a repair. */
  async syncIPAddress(name: string): Promise<void> {
    const address = this.#options.allocators.informers.ipAddresses.get('', name);
    if (address !== undefined) await this.#checkAddress(address);
  }

  async #checkService(service: Service): Promise<void> {
    const { clusterIP, clusterIPs = [] } = service.spec;
    if (!clusterIP || clusterIP === HEADLESS) return;
    for (const text of clusterIPs) await this.#checkClusterIP(service, text);
  }

  async #checkClusterIP(service: Service, text: string): Promise<void> {
    const parsed = parseIPAddress(text);
    if (parsed === undefined) {
      const note = 'Cluster IP <nil> is not a valid IP; please recreate Service';
      return this.#report(service, { reason: 'ClusterIPNotValid', action: 'ClusterIPValidation', note });
    }
    const ip = formatIPAddress(parsed.bytes);
    const named = `[${familyOfAddress(ip)}]: ${ip}`;
    if (!this.#options.allocators.networks.contain(ip)) {
      const note = `Cluster IP ${named} is not within any configured Service CIDR; please recreate service`;
      return this.#report(service, { reason: 'ClusterIPOutOfRange', action: ALLOCATION, note });
    }
    const address = await this.#find(ip);
    if (address === undefined) {
      if (!(await this.#isStored(referenceTo(service), ip))) return;
      this.#report(service, notAllocated(`Cluster IP ${named} is not allocated; repairing`));
      return this.#make(ip, service);
    }
    await this.#checkHolder(service, address, named);
  }

  /** Replaces an object with another holder or other labels. */
  async #checkHolder(service: Service, address: IPAddress, named: string): Promise<void> {
    const { namespace, name } = referenceTo(service);
    const holder = holdingService(address);
    const isOurs = holder?.namespace === namespace && holder.name === name;
    const other = isOurs || holder === undefined ? undefined : this.#service(holder);
    if (!isOurs && other === undefined) {
      if (!(await this.#isStored(referenceTo(service), address.metadata.name ?? ''))) return;
      const note = `the ClusterIP ${named} for Service ${namespace}/${name} has a wrong reference; repairing`;
      this.#report(service, notAllocated(note));
      return this.#recreate(address, service);
    }
    if (other !== undefined && hasAddress(other, address.metadata.name ?? '')) {
      // Without the space, as upstream.
      const note = `Cluster IP ${named.replace(' ', '')} was assigned to multiple services; please recreate service`;
      this.#report(service, { reason: 'ClusterIPAlreadyAllocated', action: ALLOCATION, note });
    }
    if (!hasAllocatorLabels(address)) await this.#recreate(address, service);
  }

  /** Ignores objects of other managers. */
  async #checkAddress(address: IPAddress): Promise<void> {
    if (!isManaged(address)) return;
    const { name = '' } = address.metadata;
    const holder = holdingService(address);
    if (holder === undefined) {
      const reference = printed(address.spec.parentRef);
      const note = `IPAddress ${name} appears to have been modified, not referencing a Service ${reference}: cleaning up`;
      return this.#remove(address, { reason: 'IPAddressNotAllocated', action: ADDRESS_ALLOCATION, note });
    }
    const service = this.#service(holder);
    if (service !== undefined && hasAddress(service, name)) return;
    const rest = GRACE_MS - this.#age(address);
    if (rest >= 0) return this.#options.later.add(name, rest);
    if (await this.#isStored(holder, name)) return;
    const owned = `IPAddress: ${name} for Service ${holder.namespace}/${holder.name}`;
    if (service === undefined) {
      const note = `${owned} appears to have leaked: cleaning up`;
      return this.#remove(address, { reason: 'IPAddressNotAllocated', action: ADDRESS_ALLOCATION, note });
    }
    const note = `${owned} has a wrong reference; cleaning up`;
    return this.#remove(address, { reason: 'IPAddressWrongReference', action: ADDRESS_ALLOCATION, note });
  }

  /** An object missing in the informer may exist: its service may arrive first. */
  async #find(ip: string): Promise<IPAddress | undefined> {
    const known = this.#options.allocators.informers.ipAddresses.get('', ip);
    if (known !== undefined) return known;
    return unlessNotFound(this.#objects.get('', ip));
  }

  /**
   * Reports whether a stored service has the address. The informer may lag behind creations and deletions, in which
   * case the address may belong to another service.
   */
  async #isStored({ namespace, name }: ServiceReference, ip: string): Promise<boolean> {
    // A client may have written a reference to something else.
    if (namespace === '' || name === '') return false;
    try {
      return hasAddress(await this.#services.get(namespace, name), ip);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #recreate(address: IPAddress, service: Service): Promise<void> {
    if (await this.#delete(address)) await this.#make(address.metadata.name ?? '', service);
  }

  /** Another server may repair the same; its object is checked when the informer reports it. */
  async #make(name: string, service: Service): Promise<void> {
    try {
      await this.#objects.create('', newIPAddress(name, referenceTo(service)));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #remove(address: IPAddress, occurrence: Parameters<EventRecorder['warn']>[1]): Promise<void> {
    this.#report(address, occurrence);
    await this.#delete(address);
  }

  /** Reports whether the name is free. An object that was recreated since is not deleted. */
  async #delete({ metadata: { name = '', uid } }: IPAddress): Promise<boolean> {
    try {
      await this.#objects.delete('', name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      if (isConflict(error)) return false;
      if (!isNotFound(error)) throw error;
    }
    return true;
  }

  #service({ namespace, name }: ServiceReference): Service | undefined {
    return this.#options.allocators.informers.services.get(namespace, name);
  }

  #age({ metadata: { creationTimestamp } }: IPAddress): number {
    return this.#options.clock.now() - Date.parse(creationTimestamp ?? '');
  }

  #report(about: Service | IPAddress, occurrence: Parameters<EventRecorder['warn']>[1]): void {
    const { logger, events } = this.#options;
    const { namespace, name } = about.metadata;
    logger.warning(occurrence.note, { kind: about.kind, object: namespace ? `${namespace}/${name}` : name });
    events.warn(about, occurrence);
  }
}

const ALLOCATION = 'ClusterIPAllocation';
const ADDRESS_ALLOCATION = 'IPAddressAllocation';

function notAllocated(note: string) {
  return { reason: 'ClusterIPNotAllocated', action: ALLOCATION, note };
}

/** A service's address may be written in another form than the object's name. */
function hasAddress({ spec: { clusterIPs = [] } }: Service, name: string): boolean {
  return clusterIPs.some((text) => {
    const parsed = text === name ? undefined : parseIPAddress(text);
    return text === name || (parsed !== undefined && formatIPAddress(parsed.bytes) === name);
  });
}

function referenceTo({ metadata: { namespace = '', name = '' } }: Service): ServiceReference {
  return { namespace, name };
}

/** Formats a reference as Go does. */
function printed(reference: ParentReference | undefined): string {
  if (reference === undefined) return 'nil';
  const { group = '', resource = '', namespace = '', name = '' } = reference;
  return `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${name},}`;
}
