/**
 * Reports whether a client sent an empty list of managed fields, which resets them. `sent` is the value before it was
 * decoded: decoding drops empty lists.
 *
 * Upstream: isResetManagedFields in k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go
 */
export function resetsManagedFields(sent: unknown): boolean {
  const managedFields = memberOf(memberOf(sent, 'metadata'), 'managedFields');
  return Array.isArray(managedFields) && managedFields.length === 0;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: unknown })[name] : undefined;
}
