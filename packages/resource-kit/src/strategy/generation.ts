import type { KubeObject } from '@apiserver/apimachinery';
import { increment } from '@apiserver/apimachinery/values';
import { equalSemantically } from './equal-semantically.js';

/** Increments the generation if the spec changed, for the controllers that act on it. Mutates `object`. */
export function countSpecChange(object: KubeObject & { spec: unknown }, old: KubeObject & { spec: unknown }): void {
  if (!equalSemantically(object.spec, old.spec)) countGeneration(object, old);
}

/** Sets the generation to one more than the replaced object's. Mutates `object`. */
export function countGeneration(object: KubeObject, old: KubeObject): void {
  object.metadata.generation = increment(old.metadata.generation);
}
