import type { FlowSchema } from '@apiserver/api/flowcontrol/v1';

/** Mutates. Upstream: SetDefaults_FlowSchemaSpec of pkg/apis/flowcontrol/v1/defaults.go */
export function applyFlowSchemaDefaults({ spec }: FlowSchema): void {
  spec.matchingPrecedence ||= 1000;
}
