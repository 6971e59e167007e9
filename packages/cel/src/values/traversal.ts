/**
 * The cost of passing one character.
 *
 * Upstream: StringTraversalCostFactor of github.com/google/cel-go/common
 */
export const STRING_TRAVERSAL = 0.1;
