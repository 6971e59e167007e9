import {
  type DeleteOptions,
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type KubeObject,
} from '@apiserver/apimachinery';
import type { StoreCore } from '../store-core.js';

/** Undefined: in the background, which needs no finalizer. */
type Propagation = 'Orphan' | 'Foreground' | undefined;

/**
 * The finalizers that an object needs once this deletion has begun; undefined if they are right already. In order of
 * precedence: the options, a deletion finalizer of the object, the kind's default.
 * Upstream: deletionFinalizersForGarbageCollection of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export function deletionFinalizers<T extends KubeObject>(
  core: StoreCore<T>,
  object: T,
  options: DeleteOptions,
): string[] | undefined {
  if (!core.enableGarbageCollection) return undefined;
  const current = object.metadata.finalizers ?? [];
  const wanted = current.filter((name) => name !== FINALIZER_ORPHAN_DEPENDENTS && name !== FINALIZER_DELETE_DEPENDENTS);
  const propagation = propagationOf(core, current, options);
  if (propagation === 'Orphan') wanted.push(FINALIZER_ORPHAN_DEPENDENTS);
  if (propagation === 'Foreground') wanted.push(FINALIZER_DELETE_DEPENDENTS);
  return sameSet(current, wanted) ? undefined : wanted;
}

function propagationOf<T extends KubeObject>(
  core: StoreCore<T>,
  finalizers: readonly string[],
  options: DeleteOptions,
): Propagation {
  const byDefault = core.strategy.defaultGarbageCollectionPolicy;
  if (byDefault === 'Unsupported') return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : undefined;
  if (options.propagationPolicy === 'Orphan') return 'Orphan';
  if (options.propagationPolicy === 'Foreground') return 'Foreground';
  if (options.propagationPolicy !== undefined) return undefined;
  // Validation excludes both together; otherwise the first would win, as upstream.
  for (const name of finalizers) {
    if (name === FINALIZER_ORPHAN_DEPENDENTS) return 'Orphan';
    if (name === FINALIZER_DELETE_DEPENDENTS) return 'Foreground';
  }
  return byDefault === 'Orphan' ? 'Orphan' : undefined;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && b.every((name) => left.has(name));
}
