import type { Signatures } from '../check/declarations.js';

/** Upstream: github.com/google/cel-go/ext/sets.go */
export const SETS_FUNCTIONS: Signatures = {
  'sets.contains': ['list_sets_contains_list: (list(T), list(T)) -> bool'],
  'sets.equivalent': ['list_sets_equivalent_list: (list(T), list(T)) -> bool'],
  'sets.intersects': ['list_sets_intersects_list: (list(T), list(T)) -> bool'],
};
