import type { DefinitionCase, Seen } from './custom-resource-case.ts';

/**
 * Unknown fields in the place of a scalar, which is refused anyway. Upstream tolerates them if the scalar declares
 * fields.
 */
function withoutStrayWarnings(seen: Seen | undefined): Seen | undefined {
  return seen?.status === 422 && seen.body.includes('in body must be of type') ? { ...seen, warnings: [] } : seen;
}

const asked = new WeakMap<DefinitionCase, number>();
/** Answers after which the order of errors is taken for that of a Go map. */
const ORDERED = 6;

/** The first response that differs, with the requests until then; undefined if there is none. */
export function customResourceDifference(theirs: readonly Seen[], ours: readonly Seen[], one: DefinitionCase): unknown {
  const times = (asked.get(one) ?? 0) + 1;
  asked.set(one, times);
  const same = times > ORDERED ? inAnyOrder : (seen: Seen | undefined) => JSON.stringify(seen);
  const comparable = (seen: Seen | undefined) => same(withoutStrayWarnings(seen));
  const at = theirs.findIndex((seen, index) => comparable(seen) !== comparable(ours[index]));
  if (at === -1) return undefined;
  const requests = one.requests
    .slice(0, at + 1)
    .map(({ method, url, body = '' }) => [method, url, Buffer.from(body, 'base64').toString()]);
  return { requests, theirs: theirs[at], ours: ours[at] };
}

/** The parts of a response in any order. */
function inAnyOrder(seen: Seen | undefined): string {
  return JSON.stringify({ ...seen, body: [...(seen?.body ?? '')].sort().join('') });
}
