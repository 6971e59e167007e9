import type { NodeSelectorTerm } from '@apiserver/api/core/v1';
import type { FieldPath } from '@apiserver/apimachinery/field';
import { isLabelValue } from '@apiserver/apimachinery/validation';
import { deprecatedNodeLabelWarning } from './deprecated-node-labels.js';

/**
 * Warnings about deprecated node labels in a term, and with `checkValues` about invalid label values.
 * Upstream: GetWarningsForNodeSelectorTerm of pkg/api/node/util.go
 */
export function nodeSelectorTermWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  checkValues: boolean,
  path: FieldPath,
): string[] {
  return matchExpressions.flatMap(({ key, values = [] }, i) => {
    const place = path.child('matchExpressions').index(i);
    const ofValues = values.flatMap((value, j) =>
      isLabelValue(value).map((fault) => `${place.child('values').index(j)}: ${value} is invalid, ${fault}`),
    );
    return [...usedNodeLabelWarning(key, place.child('key')), ...(checkValues ? ofValues : [])];
  });
}

/** A warning about a deprecated node label that names it, because the path does not. */
export function usedNodeLabelWarning(label: string, path: FieldPath): string[] {
  const warning = deprecatedNodeLabelWarning(label);
  return warning === undefined ? [] : [`${path}: ${label} is ${warning}`];
}
