import type { KubeObject } from '@apiserver/apimachinery';
import type { Schema } from '@apiserver/apimachinery/schema';
import { increment } from '@apiserver/apimachinery/values';
import { equalSemantically } from './equal-semantically.js';

/** An object with a spec that controllers act on. */
type WithSpec = KubeObject & { spec: unknown };

/**
 * Increments the generation if the spec changed, for the controllers that act on it. `schema` is that of the spec.
 * Mutates `object`.
 */
export function countSpecChange(object: WithSpec, old: WithSpec, schema: Schema): void {
  if (!equalSemantically(object.spec, old.spec, schema)) countGeneration(object, old);
}

/** Sets the generation to one more than the replaced object's. Mutates `object`. */
export function countGeneration(object: KubeObject, old: KubeObject): void {
  object.metadata.generation = increment(old.metadata.generation);
}
