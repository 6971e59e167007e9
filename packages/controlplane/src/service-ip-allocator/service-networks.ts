import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { IPFamily } from '@apiserver/builtin-resources';
import { type IPRange, parseIPRange, rangeContains } from './ip-range.js';

/** The resource of ServiceCIDRs, for clients. */
export const SERVICE_CIDRS = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };

const READY = 'Ready';

/** A network of at least one ServiceCIDR. */
export interface ServiceNetwork {
  readonly range: IPRange;
  /** True if addresses may be allocated from it: a ServiceCIDR with this network is ready and not being deleted. */
  readonly ready: boolean;
}

/** The networks of all ServiceCIDRs in the informer. Several may have the same network, and networks may overlap. */
export class ServiceNetworks {
  readonly #informer: Informer<ServiceCIDR>;
  /** Cached by the network's text; undefined after a change. */
  #known: ReadonlyMap<string, ServiceNetwork> | undefined;
  #subscribed = false;

  constructor(informer: Informer<ServiceCIDR>) {
    this.#informer = informer;
  }

  of(family: IPFamily): readonly ServiceNetwork[] {
    return [...this.#networks().values()].filter(({ range }) => range.family === family);
  }

  /**
   * Reports whether any ServiceCIDR, ready or not, contains the address. Upstream: ContainsIP of pkg/api/servicecidr
   */
  contain(address: string): boolean {
    return [...this.#networks().values()].some(({ range }) => rangeContains(range, address));
  }

  #networks(): ReadonlyMap<string, ServiceNetwork> {
    if (!this.#subscribed) this.#follow();
    this.#known ??= networksOf(this.#informer.list());
    return this.#known;
  }

  #follow(): void {
    this.#subscribed = true;
    const forget = () => {
      this.#known = undefined;
    };
    this.#informer.subscribe({ added: forget, updated: forget, deleted: forget });
  }
}

function networksOf(serviceCIDRs: readonly ServiceCIDR[]): ReadonlyMap<string, ServiceNetwork> {
  const networks = new Map<string, ServiceNetwork>();
  for (const serviceCIDR of serviceCIDRs) {
    for (const cidr of serviceCIDR.spec.cidrs ?? []) {
      const known = networks.get(cidr);
      const range = known?.range ?? parseIPRange(cidr);
      if (range === undefined) continue;
      networks.set(cidr, { range, ready: known?.ready === true || isReady(serviceCIDR) });
    }
  }
  return networks;
}

/**
 * A ServiceCIDR without the condition counts as ready, because there may be no controller manager. Upstream: isReady
 * of cidrallocator.go
 */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp) return false;
  const condition = status.conditions?.find(({ type }) => type === READY);
  return condition === undefined || condition.status === 'True';
}
