import { CAUSE_FIELD_MANAGER_CONFLICT } from '@apiserver/apimachinery';
import { newApplyConflict, type StatusError } from '@apiserver/apimachinery/errors';
import { CappedErrors, type ErrorCap } from '@apiserver/apimachinery/field';
import {
  type ConflictingFields,
  eachConflict,
  parseManagerIdentifier,
  printManagedPath,
} from '@apiserver/apimachinery/structured-merge-diff';
import { quote } from '@apiserver/apimachinery/text';

/** One conflict of the message. */
interface ReportedConflict {
  /** Identifier of the manager; undefined: the entry represents omitted conflicts. */
  readonly manager: string | undefined;
  readonly field: string;
}

const TOLD: ErrorCap<ReportedConflict> = {
  sizeOf: ({ field }) => field.length,
  further: (count) => ({ manager: undefined, field: `and ${count} more ${count === 1 ? 'conflict' : 'conflicts'}` }),
};

/**
 * The 409 of a conflicting apply, with one cause for each field and a message that lists the fields by manager. The
 * number of causes is limited.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go
 */
export function conflictError(fields: readonly ConflictingFields[]): StatusError {
  const count = fields.reduce((sum, { set }) => sum + set.size, 0);
  const reported = reportedConflicts(fields, count);
  const causes = reported.map(({ manager, field }) => ({
    reason: CAUSE_FIELD_MANAGER_CONFLICT,
    message: manager === undefined ? field : `conflict with ${printManager(manager)}`,
    ...(manager !== undefined && { field }),
  }));
  return newApplyConflict(causes, conflictMessage(reported, count));
}

function reportedConflicts(fields: readonly ConflictingFields[], count: number): readonly ReportedConflict[] {
  const capped = new CappedErrors(TOLD);
  let made = 0;
  for (const { manager, path } of eachConflict(fields)) {
    if (capped.isFull) break;
    capped.add({ manager, field: printManagedPath(path) });
    made++;
  }
  if (made < count) capped.skip(count - made);
  return capped.list();
}

function conflictMessage(reported: readonly ReportedConflict[], count: number): string {
  const [first] = reported;
  if (count === 1 && first?.manager !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first.manager)}: ${first.field}`;
  }
  const byManager = Map.groupBy(reported, ({ manager }) => manager);
  const further = byManager.get(undefined) ?? [];
  byManager.delete(undefined);
  const managers = [...byManager].sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const lines = managers.flatMap(([manager = '', own]) => [
    `conflicts with ${printManager(manager)}:`,
    ...own.map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${count} conflicts: ${[...lines, ...further.map(({ field }) => `- ${field}`)].join('\n')}`;
}

function printManager(identifier: string): string {
  const { manager, operation, apiVersion, subresource } = parseManagerIdentifier(identifier);
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
