import type { FlowSchema } from '@apiserver/api/flowcontrol/v1';
import { wellKnownGroups } from '@apiserver/apiserver-contracts';
import { everythingOf, flowSchema, groups, resourceRule, systemServiceAccounts, users } from './bootstrap-objects.js';
import { CATCH_ALL, EXEMPT, MAX_MATCHING_PRECEDENCE } from './well-known.js';

const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';
const LEASES = 'coordination.k8s.io';

const everybody = () => groups(wellKnownGroups.unauthenticated, wellKnownGroups.authenticated);
const nodes = () => groups(wellKnownGroups.nodes);

/** Administrators, before all others. */
export const exemptSchema: FlowSchema = flowSchema(
  EXEMPT,
  { level: EXEMPT, precedence: 1 },
  everythingOf(groups(wellKnownGroups.privileged)),
);

/** All requests, after all others. */
export const catchAllSchema: FlowSchema = flowSchema(
  CATCH_ALL,
  { level: CATCH_ALL, precedence: MAX_MATCHING_PRECEDENCE, by: 'ByUser' },
  everythingOf(everybody()),
);

/**
 * Flow schemas that always exist.
 * Upstream: MandatoryFlowSchemas of k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap
 */
export const mandatoryFlowSchemas: readonly FlowSchema[] = [exemptSchema, catchAllSchema];

/** Flow schemas that an administrator may change. Upstream: SuggestedFlowSchemas */
export const suggestedFlowSchemas: readonly FlowSchema[] = [
  flowSchema('system-nodes', { level: 'system', precedence: 500, by: 'ByUser' }, everythingOf(nodes())),
  flowSchema(
    'system-node-high',
    { level: 'node-high', precedence: 400, by: 'ByUser' },
    {
      subjects: nodes(),
      resourceRules: [
        resourceRule(['*'], '', ['nodes', 'nodes/status'], true),
        resourceRule(['*'], LEASES, ['leases']),
      ],
    },
  ),
  flowSchema(
    'probes',
    { level: EXEMPT, precedence: 2 },
    {
      subjects: everybody(),
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    },
  ),
  flowSchema(
    'system-leader-election',
    { level: 'leader-election', precedence: 100, by: 'ByUser' },
    {
      subjects: [...users(CONTROLLER_MANAGER, SCHEDULER), ...systemServiceAccounts()],
      resourceRules: [resourceRule(['get', 'create', 'update'], LEASES, ['leases'])],
    },
  ),
  workloadHigh('kube-controller-manager', 800, users(CONTROLLER_MANAGER)),
  workloadHigh('kube-scheduler', 800, users(SCHEDULER)),
  workloadHigh('kube-system-service-accounts', 900, systemServiceAccounts()),
  flowSchema(
    'service-accounts',
    { level: 'workload-low', precedence: 9000, by: 'ByUser' },
    everythingOf(groups(wellKnownGroups.serviceAccounts)),
  ),
  flowSchema('global-default', { level: 'global-default', precedence: 9900, by: 'ByUser' }, everythingOf(everybody())),
];

/** Controllers of the system, a flow for each namespace in which they work. */
function workloadHigh(name: string, precedence: number, subjects: ReturnType<typeof users>): FlowSchema {
  return flowSchema(name, { level: 'workload-high', precedence, by: 'ByNamespace' }, everythingOf(subjects));
}
