import { DecodeError } from '../../errors/decode-error.js';
import { isMembers } from '../../json/is-members.js';

/**
 * Maximum nesting of an object that the server stores, without its managed fields. Upstream allows 10,000. Code that
 * walks objects recurses, and client data must not exhaust its stack.
 */
export const MAX_VALUE_DEPTH = 1_000;

/** Levels by which managed fields nest deeper than the fields that they name: four around them, and one within. */
const MANAGED_FIELDS_LEVELS = 5;

/** Maximum nesting with managed fields. */
export const MAX_DEPTH_AT_REST = MAX_VALUE_DEPTH + MANAGED_FIELDS_LEVELS;

/**
 * Throws DecodeError when a value nests deeper than `MAX_VALUE_DEPTH`, or the managed fields of an object deeper than
 * `MAX_DEPTH_AT_REST`. Does not recurse itself.
 */
export function checkDepth(value: unknown): void {
  const managed = memberOf(memberOf(value, 'metadata'), 'managedFields');
  checkLevels(value, { depth: 1, max: MAX_VALUE_DEPTH, skipped: managed });
  // The third level of the object.
  checkLevels(managed, { depth: 3, max: MAX_DEPTH_AT_REST, skipped: undefined });
}

/** Reports whether a value nests deeper than so many levels. Recurses as deep at most. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  if (!isMembers(value)) return false;
  for (const name in value) if (isDeeper(value[name], levels - 1)) return true;
  return false;
}

interface Levels {
  /** Depth of the value. */
  readonly depth: number;
  readonly max: number;
  readonly skipped: unknown;
}

function checkLevels(value: unknown, { depth: first, max, skipped }: Levels): void {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = first; level.length > 0; depth++) {
    if (depth > max) throw new DecodeError('syntax', 'exceeded max depth');
    level = level.flatMap((container) =>
      Object.values(container).filter((member) => isContainer(member) && member !== skipped),
    );
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isMembers(value) ? value[name] : undefined;
}

/** Reports whether a value is a list or has members. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
