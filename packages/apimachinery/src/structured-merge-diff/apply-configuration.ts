import { messageOf } from '../errors/message-of.js';
import type { MergeType } from './field-set/merge-type.js';
import { type PathElement, printFieldPath } from './field-set/path-element.js';
import { mergeTyped } from './typed/merge-typed.js';
import { validateForeign } from './typed/validate-foreign.js';
import { validateValue } from './typed/validate-value.js';
import { asList, asMap } from './typed/value-shape.js';

/** An apply configuration that cannot be merged, with upstream's message. */
export class ApplyConfigurationError extends Error {
  override readonly name = 'ApplyConfigurationError';
}

/**
 * Merges an apply configuration into an object of the same kind, without ownership. It must not name fields that are
 * replaced as a whole: other fields in them would be lost. Neither argument is changed; the result shares parts of both.
 * Throws ApplyConfigurationError.
 *
 * Upstream: ApplyStructuredMergeDiff of k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch
 */
export function mergeApplyConfiguration(type: MergeType, live: unknown, applied: unknown): unknown {
  step('failed to convert patch object to typed object', () => validateForeign(type, applied));
  const atomics: string[] = [];
  collectAtomics(type, applied, [], atomics);
  if (atomics.length > 0) {
    const named = atomics.join(', ');
    throw new ApplyConfigurationError(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${named}`,
    );
  }
  step('failed to convert original object to typed object', () => validateValue(type, live, { allowDuplicates: true }));
  return step('failed to merge patch', () => mergeTyped(type, live, applied));
}

function step<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new ApplyConfigurationError(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

/** Adds the paths of values that are replaced as a whole. `path` is that of the value; it is unchanged afterwards. */
function collectAtomics(type: MergeType, value: unknown, path: PathElement[], atomics: string[]): void {
  const members = asMap(value);
  if (members !== undefined && type.map !== undefined) {
    if (type.map.atomic) atomics.push(printFieldPath(path));
    for (const name of Object.keys(members)) {
      const field = type.map.fields.get(name);
      if (field === undefined) continue;
      path.push(field.element);
      collectAtomics(field.type, members[name], path, atomics);
      path.pop();
    }
  }
  const items = asList(value);
  if (items !== undefined && type.list !== undefined) {
    if (type.list.atomic) atomics.push(printFieldPath(path));
    for (const [index, item] of items.entries()) {
      path.push(`i:${index}`);
      collectAtomics(type.list.element, item, path, atomics);
      path.pop();
    }
  }
}
