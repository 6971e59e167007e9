import { CappedErrors, TEXT_CAP } from '../field/capped-errors.js';
import type { FieldSet } from './field-set/field-set.js';
import { type FieldPathElements, printManagedPath } from './field-set/path-element.js';

/** A field that an apply would change although another manager owns it. */
export interface ApplyConflict {
  /** Identifier of the manager. */
  readonly manager: string;
  readonly path: FieldPathElements;
}

/** The fields of another manager that an apply would change. */
export interface ConflictingFields {
  /** Identifier of the manager. */
  readonly manager: string;
  readonly set: FieldSet;
}

/**
 * An apply without force that would change fields of other managers. The message names managers by their identifiers;
 * the response to the client is made from `fields`. Upstream: sigs.k8s.io/structured-merge-diff/v6/merge/conflict.go
 */
export class ApplyConflicts extends Error {
  readonly fields: readonly ConflictingFields[];

  constructor(fields: readonly ConflictingFields[]) {
    super(messageOf(fields));
    this.fields = fields;
  }
}

function messageOf(fields: readonly ConflictingFields[]): string {
  const lines = new CappedErrors(TEXT_CAP);
  for (const { manager, path } of eachConflict(fields)) {
    if (lines.isFull) break;
    lines.add(`conflict with ${manager}: ${printManagedPath(path)}`);
  }
  return lines.list().join('\n');
}

/** One conflict for each field, manager by manager. */
export function* eachConflict(fields: readonly ConflictingFields[]): Generator<ApplyConflict> {
  for (const { manager, set } of fields) for (const path of set.paths()) yield { manager, path };
}
