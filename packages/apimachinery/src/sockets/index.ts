export { EndsInTurns } from './ends-in-turns.js';
export { ReadSlices, type ReadSlicesOptions } from './read-slices.js';
