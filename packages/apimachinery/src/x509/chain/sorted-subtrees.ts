import { Buffer } from 'node:buffer';
import { type AddressRange, formatRange, isInRange, isRangeIn } from './address-range.js';
import { type Mailbox, parseMailbox } from './domain-name.js';

/** Finds the constraint that covers a name, as text; undefined if there is none. */
export type Lookup<V> = (name: V) => string | undefined;

/** Comparisons of constraints with each other, and with names. */
interface Order<T, V> {
  compare(a: T, b: T): number;
  compareWithName(constraint: T, name: V): number;
  covers(constraint: T, name: V): boolean;
  contains(outer: T, inner: T): boolean;
}

/**
 * Constraints in an order in which the one before a name is the only one that may cover it. Upstream:
 * nameConstraintsSet of crypto/x509, with its answers for addresses that are not the first of their range
 */
function sortedSearch<T, V>(constraints: readonly T[], order: Order<T, V>): (name: V) => T | undefined {
  const set: T[] = [];
  for (const constraint of constraints.toSorted(order.compare)) {
    const last = set.at(-1);
    if (last === undefined || !order.contains(last, constraint)) set.push(constraint);
  }
  return (name) => {
    let [low, high] = [0, set.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const constraint = set[middle];
      if (constraint !== undefined && order.compareWithName(constraint, name) < 0) low = middle + 1;
      else high = middle;
    }
    const exact = set[low];
    if (exact !== undefined && order.compareWithName(exact, name) === 0) return exact;
    const found = set[Math.max(0, low - 1)];
    return found !== undefined && order.covers(found, name) ? found : undefined;
  };
}

const addressOrder: Order<AddressRange, Uint8Array> = {
  compare: (a, b) => Buffer.compare(a.address, b.address) || Buffer.compare(a.mask, b.mask),
  compareWithName: ({ address }, name) => Buffer.compare(address, name),
  covers: isInRange,
  contains: isRangeIn,
};

/** Undefined without constraints. Upstream: newIPNetConstraints of crypto/x509 */
export function addressLookup(ranges: readonly AddressRange[]): Lookup<Uint8Array> | undefined {
  if (ranges.length === 0) return undefined;
  const [v4, v6] = [4, 16].map((length) =>
    sortedSearch(
      ranges.filter(({ address }) => address.length === length),
      addressOrder,
    ),
  );
  return (address) => {
    const range = (address.length === 4 ? v4 : v6)?.(address);
    return range && formatRange(range);
  };
}

/** A name of a domain, and the same from its end: dots sort before all other characters. */
interface Domain {
  readonly name: string;
  readonly reversed: string;
}

function domainOf(name: string): Domain {
  return { name, reversed: [...name.toLowerCase().replaceAll('.', '\0')].reverse().join('') };
}

const compareDomains = (a: Domain, b: Domain) => (a.reversed < b.reversed ? -1 : Number(a.reversed > b.reversed));
/** A constraint that begins with a dot covers subdomains only. */
const coversDomain = (constraint: Domain, { reversed }: Domain) =>
  reversed.startsWith(constraint.reversed) &&
  (constraint.name.startsWith('.') ||
    reversed.length === constraint.reversed.length ||
    reversed[constraint.reversed.length] === '\0');

const domainOrder: Order<Domain, Domain> = {
  compare: compareDomains,
  compareWithName: compareDomains,
  covers: coversDomain,
  contains: coversDomain,
};

/** Undefined without constraints. Upstream: newDNSConstraints of crypto/x509 */
export function domainLookup(names: readonly string[], isPermitted: boolean): Lookup<string> | undefined {
  if (names.length === 0) return undefined;
  if (names.includes('')) return () => '';
  const search = sortedSearch(names.map(domainOf), domainOrder);
  const parents = new Map(isPermitted ? [] : names.map((name) => [parentOf(name), name.toLowerCase()] as const));
  return (name) =>
    search(domainOf(name))?.name ??
    (name.startsWith('*') && parentOf(name) !== '' ? parents.get(parentOf(name)) : undefined);
}

/** With the dot before it, in lower case; "" if there is none. */
function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot).toLowerCase();
}

/** Undefined without constraints. Upstream: newEmailConstraints of crypto/x509 */
export function mailboxLookup(texts: readonly string[], isPermitted: boolean): Lookup<Mailbox> | undefined {
  if (texts.length === 0) return undefined;
  const boxes = texts.filter((text) => text.includes('@')).map(parseMailbox);
  const known = new Set(boxes.map((box) => box && formatMailbox(box)));
  const domains = domainLookup(
    texts.filter((text) => !text.includes('@')),
    isPermitted,
  );
  return (box) => (known.has(formatMailbox(box)) ? formatMailbox(box) : domains?.(box.domain));
}

function formatMailbox({ local, domain }: Mailbox): string {
  return `${local}@${domain}`;
}
