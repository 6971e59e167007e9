import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { IPFamily } from '@apiserver/builtin-resources';
import { type IPRange, parseIPRange, rangeContains } from './ip-range.js';

/** As clients ask for them. */
export const SERVICE_CIDRS = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };

const READY = 'Ready';

/** A network that some ServiceCIDR names. */
export interface ServiceNetwork {
  readonly range: IPRange;
  /** Addresses may be taken from it: some ServiceCIDR that names it is ready and not being deleted. */
  readonly ready: boolean;
}

/** The networks of all ServiceCIDRs, as far as this server has heard. Several may have one network, and networks overlap. */
export class ServiceNetworks {
  readonly #informer: Informer<ServiceCIDR>;
  /** By the network as it is written; undefined when something has changed since. */
  #known: ReadonlyMap<string, ServiceNetwork> | undefined;
  #subscribed = false;

  constructor(informer: Informer<ServiceCIDR>) {
    this.#informer = informer;
  }

  of(family: IPFamily): readonly ServiceNetwork[] {
    return [...this.#networks().values()].filter(({ range }) => range.family === family);
  }

  /** Whether the address may be a service's, by any ServiceCIDR, be it ready or not. Upstream: ContainsIP of pkg/api/servicecidr */
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

/** One that nobody has judged is ready: no controller manager may be there. Upstream: isReady of cidrallocator.go */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp) return false;
  const condition = status.conditions?.find(({ type }) => type === READY);
  return condition === undefined || condition.status === 'True';
}
