import type { FlowSchema } from '@apiserver/api/flowcontrol/v1';

/**
 * The order in which flow schemas are asked: by precedence, then by name.
 * Upstream: FlowSchemaSequence of k8s.io/apiserver/pkg/util/apihelpers
 */
export function compareFlowSchemas(a: FlowSchema, b: FlowSchema): number {
  const byPrecedence = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  if (byPrecedence !== 0) return byPrecedence;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
