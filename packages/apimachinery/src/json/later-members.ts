import { setOwn } from './set-own.js';

type Members = { readonly [key: string]: unknown };

/** Members of a map that are converted between two pauses. */
const SLICE = 4_096;

/**
 * Work of a walk over a value that is put off to later steps: the members of its large maps. The walk gets the new map
 * at once, and its members come when the steps run.
 */
export class LaterMembers {
  readonly #steps: Generator<void, void>[] = [];

  /** The map that will have the converted members; undefined for a small one, which the walk converts itself. */
  put(source: Members, convert: (value: unknown, key: string) => unknown): { [key: string]: unknown } | undefined {
    return this.putIn(Object.keys(source), (key) => convert(source[key], key));
  }

  /** The same with the keys of the new map. */
  putIn(keys: readonly string[], valueAt: (key: string) => unknown): { [key: string]: unknown } | undefined {
    if (keys.length < SLICE) return undefined;
    const out: { [key: string]: unknown } = {};
    this.#steps.push(fillSteps(keys, out, valueAt));
    return out;
  }

  /** Work of another kind. */
  add(steps: Generator<void, void>): void {
    this.#steps.push(steps);
  }

  /** Does what was put off. */
  *run(): Generator<void, void> {
    for (let steps = this.#steps.pop(); steps !== undefined; steps = this.#steps.pop()) {
      yield;
      yield* steps;
    }
  }
}

function* fillSteps(
  keys: readonly string[],
  out: { [key: string]: unknown },
  valueAt: (key: string) => unknown,
): Generator<void, void> {
  for (const [i, key] of keys.entries()) {
    if (i > 0 && i % SLICE === 0) yield;
    setOwn(out, key, valueAt(key));
  }
}
