import type { EndpointPort, Endpoints } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { isAlreadyExists, isConflict, unlessNotFound } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import type { IPFamily } from '@apiserver/builtin-resources';
import { desiredEndpointSlice, desiredEndpoints, SERVICE_NAME, SERVICE_NAMESPACE } from './desired-endpoints.js';

/** The number of attempts in upstream's default backoff. */
const MAX_TRIES = 4;
const OF_THE_SERVICE = { labelSelector: `kubernetes.io/service-name=${SERVICE_NAME}` };

/**
 * Reads and writes the Endpoints and the EndpointSlices of the `kubernetes` service.
 * Upstream: pkg/controlplane/reconcilers/endpointsadapter.go
 */
export class EndpointsAdapter {
  readonly #endpoints: ResourceClient<Endpoints>;
  readonly #slices: ResourceClient<EndpointSlice>;
  readonly #families: readonly [IPFamily, ...IPFamily[]];

  /** `families`: the address families that the service has or could have, primary first. */
  constructor(client: LoopbackClient, families: readonly [IPFamily, ...IPFamily[]]) {
    this.#endpoints = client.resource({ group: '', version: 'v1', resource: 'endpoints' });
    this.#slices = client.resource({ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' });
    this.#families = families;
  }

  /** The current addresses of the primary family. */
  async addresses(): Promise<Set<string>> {
    const { own } = await this.#listSlices();
    return new Set((own[0]?.endpoints ?? []).flatMap(({ addresses }) => addresses ?? []));
  }

  /** Writes these addresses, and the ports if there are none or `withPorts` is true. */
  async sync(addresses: Iterable<string>, ports: readonly EndpointPort[], withPorts: boolean): Promise<void> {
    const byFamily = this.#sorted(addresses);
    await retried(() => this.#syncEndpoints(byFamily[0] ?? [], ports, withPorts));
    await retried(() => this.#syncSlices(byFamily, ports, withPorts));
  }

  /** Sorted by family. The second family counts only if every server has such an address. */
  #sorted(addresses: Iterable<string>): readonly string[][] {
    const sorted = [...addresses].sort();
    const [primary, ...others] = this.#families.map((family) => sorted.filter((address) => isOf(family, address)));
    return [primary ?? [], ...others.map((list) => (list.length === primary?.length ? list : []))];
  }

  async #syncEndpoints(addresses: readonly string[], ports: readonly EndpointPort[], withPorts: boolean) {
    const current = await unlessNotFound(this.#endpoints.get(SERVICE_NAMESPACE, SERVICE_NAME));
    const desired = desiredEndpoints(current, { addresses, ports, withPorts });
    if (current === undefined) await this.#endpoints.create(SERVICE_NAMESPACE, desired);
    else if (!same(current.subsets, desired.subsets) || !same(current.metadata.labels, desired.metadata.labels)) {
      await this.#endpoints.update(SERVICE_NAMESPACE, desired);
    }
  }

  async #syncSlices(byFamily: readonly string[][], ports: readonly EndpointPort[], withPorts: boolean) {
    const { own, others } = await this.#listSlices();
    for (const { metadata } of others) {
      await unlessNotFound(this.#slices.delete(SERVICE_NAMESPACE, metadata.name ?? '').then(() => undefined));
    }
    for (const [i, family] of this.#families.entries()) {
      const current = own[i];
      const addresses = byFamily[i] ?? [];
      const name = this.#sliceName(i);
      const desired = desiredEndpointSlice(current, { name, family, addresses, ports, withPorts });
      if (current === undefined) await this.#slices.create(SERVICE_NAMESPACE, desired);
      else if (!isSameSlice(current, desired)) await this.#slices.update(SERVICE_NAMESPACE, desired);
    }
  }

  /** The slices that this server writes, one per family, and unexpected other slices of the service. */
  async #listSlices(): Promise<{ own: (EndpointSlice | undefined)[]; others: EndpointSlice[] }> {
    const { items } = await this.#slices.list(SERVICE_NAMESPACE, OF_THE_SERVICE);
    const slices = items.map(({ object }) => object);
    const own = this.#families.map((family, i) =>
      slices.find(({ metadata, addressType }) => metadata.name === this.#sliceName(i) && addressType === family),
    );
    return { own, others: slices.filter((slice) => !own.includes(slice)) };
  }

  #sliceName(index: number): string {
    if (index === 0) return SERVICE_NAME;
    return `${SERVICE_NAME}-${this.#families[index] === 'IPv4' ? 'v4' : 'v6'}`;
  }
}

function isOf(family: IPFamily, address: string): boolean {
  return parseIPAddress(address)?.bytes.length === (family === 'IPv4' ? 4 : 16);
}

function same(a: unknown, b: unknown): boolean {
  return equalJson(a ?? null, b ?? null);
}

function isSameSlice(a: EndpointSlice, b: EndpointSlice): boolean {
  return same(a.endpoints, b.endpoints) && same(a.ports, b.ports) && same(a.metadata.labels, b.metadata.labels);
}

/** Retries with the latest objects after a conflict with another server. */
async function retried(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error;
    }
  }
}
