import type { KubeObject } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';

/** Counts a new generation where the spec changed: what a controller has to act on. Mutates `object`. */
export function countSpecChange(object: KubeObject & { spec: unknown }, old: KubeObject & { spec: unknown }): void {
  if (!equalJson(object.spec, old.spec)) countGeneration(object, old);
}

/** Sets the generation after that of the object that is replaced. Mutates `object`. */
export function countGeneration(object: KubeObject, old: KubeObject): void {
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
