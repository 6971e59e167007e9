import type { DeclType } from '../kubernetes/decl-type.js';
import { STRING } from '../types/cel-type.js';
import type { Amount } from './amount.js';
import type { Estimate } from './estimate.js';
import { ITEMS, KEYS, type Path, VALUES } from './path.js';

/** Estimates the size of a value by its path: `size()` of it. Undefined if it knows nothing. */
export type SizeEstimator = (path: Path) => Estimate | undefined;

/** An estimator that knows no sizes. */
export const UNKNOWN_SIZES: SizeEstimator = () => undefined;

/** Most elements of a list or a map of a type without a bound, where its `maxElements` is negative. */
const NO_BOUND: Amount = 2n ** 63n - 1n;

/** The type of keys. Upstream knows no bound of theirs, and counts it as zero. */
const KEY: DeclType = { type: STRING, minSize: 2 };

/**
 * Estimates sizes by the bounds of a type. All variables have this type: `self` and `oldSelf`.
 *
 * Upstream: sizeEstimator in k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go
 */
export function declTypeSizes(root: DeclType): SizeEstimator {
  return (path) => {
    let decl: DeclType | undefined = root;
    for (let index = 1; index < path.length && decl !== undefined; index++) decl = partOf(decl, path.at(index));
    return decl && { min: 0, max: sizeBound(decl) };
  };
}

function partOf(decl: DeclType, name: string): DeclType | undefined {
  switch (name) {
    case ITEMS:
    case VALUES:
      return decl.element;
    case KEYS:
      return decl.type.kind === 'map' ? KEY : undefined;
    default:
      return decl.fields?.get(name);
  }
}

function sizeBound({ maxElements = 0 }: DeclType): Amount {
  return maxElements < 0 ? NO_BOUND : maxElements;
}
