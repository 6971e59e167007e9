import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { findCondition } from '../custom-resource-definition/types.js';

/**
 * Reports whether a state of a definition is from before its names were judged, where a later one is served. Such an
 * event comes late when the definition is taken into service together with the judgement, and another controller wrote
 * first.
 */
export function isEarlierState(state: CustomResourceDefinition, served: CustomResourceDefinition): boolean {
  return (
    state.metadata.uid === served.metadata.uid &&
    findCondition(state, 'NamesAccepted') === undefined &&
    findCondition(served, 'NamesAccepted') !== undefined &&
    equalJson(state.spec, served.spec)
  );
}
