type Plain = Readonly<Record<string, unknown>>;

/**
 * Deep equality that treats undefined, null, an empty list and an empty map as equal. Clients omit fields or write
 * them empty; neither must look like a change.
 * Upstream: equality.Semantic in k8s.io/apimachinery/pkg/api/equality
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && equalLists(a, b);
  return equalMaps(a as Plain, b as Plain);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value)
    ? value.length === 0
    : Object.values(value).every((field) => field === undefined || field === null);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => semanticEqual(item, b[index]));
}

function equalMaps(a: Plain, b: Plain): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => semanticEqual(a[key], b[key]));
}
