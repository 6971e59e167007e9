import { type FieldPathElements, printFieldPath } from './path-element.js';

/** A field that an apply would change although another manager owns it. */
export interface ApplyConflict {
  /** Identifier of the manager. */
  readonly manager: string;
  readonly path: FieldPathElements;
}

/**
 * An apply without force that would change fields of other managers. The message names managers by their identifiers; the
 * answer to the client is made of `conflicts`. Upstream: sigs.k8s.io/structured-merge-diff/v6/merge/conflict.go
 */
export class ApplyConflicts extends Error {
  readonly conflicts: readonly ApplyConflict[];

  constructor(conflicts: readonly ApplyConflict[]) {
    super(conflicts.map(({ manager, path }) => `conflict with ${manager}: ${printFieldPath(path)}`).join('\n'));
    this.conflicts = conflicts;
  }
}
