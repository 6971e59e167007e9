import type { Result, Value } from './value.js';
import type { Work } from './work.js';

/** Makes a value of a struct type out of the values of its fields. It counts the work that its cost leaves out. */
export type StructConstructor = (fields: ReadonlyMap<string, Value>, work: Work) => Result;
