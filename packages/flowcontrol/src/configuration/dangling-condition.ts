import type { FlowSchema, FlowSchemaCondition } from '@apiserver/api/flowcontrol/v1';

/** A condition of the status of a flow schema, without its time. */
export type DanglingCondition = Readonly<Required<Omit<FlowSchemaCondition, 'lastTransitionTime'>>>;

/**
 * The condition that a flow schema should have; undefined if it has it. `exists`: its priority level can be used.
 * Upstream: presyncFlowSchemaStatus of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export function changedDanglingCondition({ spec, status }: FlowSchema, exists: boolean): DanglingCondition | undefined {
  const level = `This FlowSchema references the PriorityLevelConfiguration object named "${spec.priorityLevelConfiguration.name}"`;
  const wanted: DanglingCondition = {
    type: 'Dangling',
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: exists ? `${level} and it exists` : `${level} but there is no such object`,
  };
  const present = status.conditions?.find(({ type }) => type === wanted.type);
  const isSame =
    present?.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message;
  return isSame ? undefined : wanted;
}
