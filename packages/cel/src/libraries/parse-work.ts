import type { CallWork } from '../values/implementation.js';

/** Work of parsing a text of any length, whose cost counts a tenth of its characters: `base`, and so much for each. */
export function parseWork(base: number, perCharacter = 1): CallWork {
  return ([text]) => base + (typeof text === 'string' ? text.length * perCharacter : 0);
}
