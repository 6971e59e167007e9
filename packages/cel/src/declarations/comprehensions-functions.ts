import type { Signatures } from '../check/declarations.js';

/** Upstream: github.com/google/cel-go/ext/comprehensions.go */
export const COMPREHENSIONS_FUNCTIONS: Signatures = {
  'cel.@mapInsert': [
    '@mapInsert_map_key_value: (map(K, V), K, V) -> map(K, V)',
    '@mapInsert_map_map: (map(K, V), map(K, V)) -> map(K, V)',
  ],
};
