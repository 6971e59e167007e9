import type { PolicyRule } from '../policy-objects.js';
import { CORE, READ, READ_WRITE, rule, WRITE } from './rule-notation.js';

const EVENT_GROUPS = [CORE, 'events.k8s.io'];

/** Rules that `admin` adds to `edit`. */
export const adminRules: readonly PolicyRule[] = [
  rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
  rule(READ_WRITE, 'rbac.authorization.k8s.io', 'roles rolebindings'),
];

/** Rules that `edit` adds to `view`, among them reads that would give more power than `view` should have. */
export const editRules: readonly PolicyRule[] = [
  rule(READ, CORE, 'pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy'),
  rule('impersonate', CORE, 'serviceaccounts'),
  rule(WRITE, CORE, 'pods pods/attach pods/proxy pods/exec pods/portforward'),
  rule('create', CORE, 'pods/eviction'),
  rule(
    WRITE,
    CORE,
    'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy ' +
      'persistentvolumeclaims configmaps secrets',
  ),
  rule('create', CORE, 'serviceaccounts/token'),
  rule(WRITE, EVENT_GROUPS, 'events'),
  rule(
    WRITE,
    'apps',
    'statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback ' +
      'replicasets replicasets/scale',
  ),
  rule(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
  rule(WRITE, 'batch', 'jobs cronjobs'),
  rule(
    WRITE,
    'extensions',
    'daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale ' +
      'replicationcontrollers/scale networkpolicies',
  ),
  rule(WRITE, 'policy', 'poddisruptionbudgets'),
  rule(WRITE, 'networking.k8s.io', 'networkpolicies ingresses'),
  rule(READ_WRITE, 'coordination.k8s.io', 'leases'),
  rule(WRITE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
];

/** Rules for reading the contents of a namespace, except secrets and roles. */
export const viewRules: readonly PolicyRule[] = [
  rule(
    READ,
    CORE,
    'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints ' +
      'persistentvolumeclaims persistentvolumeclaims/status configmaps',
  ),
  rule(
    READ,
    CORE,
    'limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status ' +
      'replicationcontrollers/status pods/log',
  ),
  rule(READ, CORE, 'namespaces'),
  rule(READ, EVENT_GROUPS, 'events'),
  rule(READ, 'discovery.k8s.io', 'endpointslices'),
  rule(
    READ,
    'apps',
    'controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status ' +
      'deployments deployments/status deployments/scale replicasets replicasets/status replicasets/scale',
  ),
  rule(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  rule(READ, 'batch', 'jobs cronjobs cronjobs/status jobs/status'),
  rule(
    READ,
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status ' +
      'replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies',
  ),
  rule(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  rule(READ, 'networking.k8s.io', 'networkpolicies ingresses ingresses/status'),
  rule(READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];
