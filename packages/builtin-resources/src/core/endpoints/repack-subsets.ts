import type { EndpointAddress, EndpointPort, EndpointSubset } from '@apiserver/api/core/v1';

/** The addresses at one port, by address: whether each is ready. */
interface PortAddresses {
  /** Undefined for subsets without ports. */
  readonly port: EndpointPort | undefined;
  readonly ready: Map<string, boolean>;
}

/**
 * The same endpoints in canonical form: as few subsets as will do, each with the addresses that share its ports, in
 * order. An address that is ready at a port in one subset and not in another is not ready there.
 * Upstream: RepackSubsets of pkg/api/endpoints/util.go
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  const byPort = new Map<string, PortAddresses>();
  for (const subset of subsets) {
    const ports = subset.ports ?? [];
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const at = entryOf(byPort, port);
      for (const address of subset.addresses ?? []) note(addresses, at, address, true);
      for (const address of subset.notReadyAddresses ?? []) note(addresses, at, address, false);
    }
  }
  return subsetsOf(byPort.values(), addresses);
}

function entryOf(byPort: Map<string, PortAddresses>, port: EndpointPort | undefined): PortAddresses {
  const key = portKey(port);
  const known = byPort.get(key);
  if (known !== undefined) return known;
  const made = { port, ready: new Map<string, boolean>() };
  byPort.set(key, made);
  return made;
}

/** The first mention of an address is the one that is kept. */
function note(
  addresses: Map<string, EndpointAddress>,
  at: PortAddresses,
  address: EndpointAddress,
  ready: boolean,
): void {
  const key = addressKey(address);
  if (!addresses.has(key)) addresses.set(key, address);
  at.ready.set(key, ready && (at.ready.get(key) ?? true));
}

function subsetsOf(entries: Iterable<PortAddresses>, known: ReadonlyMap<string, EndpointAddress>): EndpointSubset[] {
  const groups = new Map<string, { readonly ready: PortAddresses['ready']; readonly ports: EndpointPort[] }>();
  for (const { port, ready } of entries) {
    const key = JSON.stringify([...ready].sort(([a], [b]) => compare(a, b)));
    const group = groups.get(key) ?? { ready, ports: [] };
    if (port !== undefined) group.ports.push(port);
    groups.set(key, group);
  }
  const subsets = [...groups.values()].map(({ ready, ports }) => {
    const of = (wanted: boolean) =>
      [...ready].flatMap(([key, is]) => (is === wanted ? (known.get(key) ?? []) : [])).sort(byAddress);
    return subsetOf(of(true), of(false), ports.sort(byPort));
  });
  return subsets.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
}

function subsetOf(addresses: EndpointAddress[], notReadyAddresses: EndpointAddress[], ports: EndpointPort[]) {
  return {
    ...(addresses.length > 0 ? { addresses } : undefined),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : undefined),
    ...(ports.length > 0 ? { ports } : undefined),
  };
}

function addressKey({ ip, targetRef }: EndpointAddress): string {
  return JSON.stringify([ip, targetRef?.uid ?? '']);
}

function portKey(port: EndpointPort | undefined): string {
  if (port === undefined) return '';
  return JSON.stringify([port.name ?? '', port.port, port.protocol ?? '', port.appProtocol]);
}

/** By address; of two with the same one, those with a target come first, in the order of the targets' uids. */
function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  if (a.ip !== b.ip) return compare(a.ip, b.ip);
  if (a.targetRef === undefined || b.targetRef === undefined) {
    return Number(a.targetRef === undefined) - Number(b.targetRef === undefined);
  }
  return compare(a.targetRef.uid ?? '', b.targetRef.uid ?? '');
}

function byPort(a: EndpointPort, b: EndpointPort): number {
  return compare(portKey(a), portKey(b));
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
