import { readFileSync } from 'node:fs';

/** The kernel's tables of routes; "" for a table that it does not have. */
export interface RouteTables {
  /** The text of /proc/net/route. */
  readonly ipv4: string;
  /** The text of /proc/net/ipv6_route. */
  readonly ipv6: string;
}

/** Reads the tables where there are some; systems without /proc have none. */
export function readRouteTables(folder = '/proc/net'): RouteTables {
  return { ipv4: readIfPresent(`${folder}/route`), ipv6: readIfPresent(`${folder}/ipv6_route`) };
}

/**
 * The names of the interfaces with a default route, those of IPv4 first, in the kernel's order.
 * Upstream: getAllDefaultRoutes of k8s.io/apimachinery/pkg/util/net/interface.go
 */
export function defaultInterfaces({ ipv4, ipv6 }: RouteTables): readonly string[] {
  const four = rows(ipv4).flatMap(([name = '', destination]) => (destination === '00000000' ? [name] : []));
  const six = rows(ipv6).flatMap((columns) => {
    const [destination = '', , , , nextHop = ''] = columns;
    // A route without a next hop is the loopback's.
    return isZero(destination) && !isZero(nextHop) ? [columns.at(-1) ?? ''] : [];
  });
  return [...new Set([...four, ...six])];
}

function rows(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.trim().split(/\s+/));
}

function isZero(address: string): boolean {
  return /^0{32}$/.test(address);
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
