import {
  type ApplyConflict,
  CAUSE_FIELD_MANAGER_CONFLICT,
  newApplyConflict,
  parseManagerIdentifier,
  printFieldPath,
  quote,
  type StatusError,
} from '@apiserver/apimachinery';

/**
 * The 409 of an apply that conflicts: one cause for each field, and a message that lists them by manager.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go
 */
export function conflictError(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: CAUSE_FIELD_MANAGER_CONFLICT,
    message: `conflict with ${printManager(manager)}`,
    field: printFieldPath(path),
  }));
  return newApplyConflict(causes, conflictMessage(conflicts));
}

function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first.manager)}: ${printFieldPath(first.path)}`;
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const managers = [...byManager].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = managers.flatMap(([manager, own]) => [
    `conflicts with ${printManager(manager)}:`,
    ...own.map(({ path }) => `- ${printFieldPath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printManager(identifier: string): string {
  const { manager, operation, apiVersion, subresource } = parseManagerIdentifier(identifier);
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
