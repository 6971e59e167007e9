import type { Signatures } from '../check/declarations.js';

/** Upstream: k8s.io/apiserver/pkg/cel/library/regex.go */
export const REGEX_FUNCTIONS: Signatures = {
  find: ['string_find_string: string.(string) -> string'],
  findAll: [
    'string_find_all_string: string.(string) -> list(string)',
    'string_find_all_string_int: string.(string, int) -> list(string)',
  ],
};
