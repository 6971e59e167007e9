import type { Node, NodeSystemInfo } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, nameColumn } from '@apiserver/resource-kit';

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';
const STATUS = 'io.k8s.api.core.v1.NodeStatus';
const SYSTEM_INFO = 'io.k8s.api.core.v1.NodeSystemInfo';

/** Shown in wide output only. */
const WIDE = { priority: 1 };

/** Upstream: printNode of pkg/printers/internalversion/printers.go */
export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  column('Status', 'The status of the node', statusText),
  column('Roles', 'The roles of the node', rolesText),
  ageColumn,
  describedColumn('Version', [SYSTEM_INFO, 'kubeletVersion'], (node) => infoOf(node).kubeletVersion ?? ''),
  describedColumn('Internal-IP', [STATUS, 'addresses'], (node) => addressOf(node, 'InternalIP'), WIDE),
  describedColumn('External-IP', [STATUS, 'addresses'], (node) => addressOf(node, 'ExternalIP'), WIDE),
  describedColumn('OS-Image', [SYSTEM_INFO, 'osImage'], (node) => infoOf(node).osImage || '<unknown>', WIDE),
  describedColumn('Kernel-Version', [SYSTEM_INFO, 'kernelVersion'], kernelText, WIDE),
  describedColumn(
    'Container-Runtime',
    [SYSTEM_INFO, 'containerRuntimeVersion'],
    (node) => {
      return infoOf(node).containerRuntimeVersion || '<unknown>';
    },
    WIDE,
  ),
];

function infoOf({ status }: Node): Partial<NodeSystemInfo> {
  return status.nodeInfo ?? {};
}

function statusText({ spec, status }: Node): string {
  const ready = (status.conditions ?? []).findLast(({ type }) => type === 'Ready');
  const known = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable ? `${known},SchedulingDisabled` : known;
}

/** Upstream: findNodeRoles */
function rolesText({ metadata: { labels = {} } }: Node): string {
  const roles = Object.entries(labels).map(([key, value]) => {
    if (key.startsWith(ROLE_LABEL_PREFIX)) return key.slice(ROLE_LABEL_PREFIX.length);
    return key === ROLE_LABEL ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

function addressOf({ status }: Node, wanted: string): string {
  return status.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
}

function kernelText(node: Node): string {
  const { kernelVersion, architecture } = infoOf(node);
  if (!kernelVersion) return '<unknown>';
  return architecture ? `${kernelVersion} (${architecture})` : kernelVersion;
}
