import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { coreResources } from './core/index.js';

/** An API group that is built in. */
export interface BuiltinGroup {
  /** "" for the core group. */
  readonly group: string;
  /** Served versions in order of preference. */
  readonly versions: readonly string[];
  readonly definitions: readonly AnyResourceDefinition[];
}

/** Every built-in group with its resources, in the order in which groups are listed. */
export function builtinGroups(): readonly BuiltinGroup[] {
  return [{ group: '', versions: ['v1'], definitions: coreResources }];
}
