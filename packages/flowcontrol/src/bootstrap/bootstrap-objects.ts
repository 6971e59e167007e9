import type {
  FlowSchema,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule,
  Subject,
} from '@apiserver/api/flowcontrol/v1';
import { AUTO_UPDATE_ANNOTATION, FLOWCONTROL_V1 } from './well-known.js';

const API_VERSION = `${FLOWCONTROL_V1.group}/${FLOWCONTROL_V1.version}`;

/** Annotated for automatic updates. */
export function priorityLevel(name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration {
  return { apiVersion: API_VERSION, kind: 'PriorityLevelConfiguration', metadata: metadata(name), spec, status: {} };
}

/** A level with queues of 50 requests. */
export function queuingLevel(
  name: string,
  shares: Readonly<{ nominal: number; lendablePercent: number }>,
  { queues, handSize }: Readonly<Required<Pick<QueuingConfiguration, 'queues' | 'handSize'>>>,
): PriorityLevelConfiguration {
  const { nominal: nominalConcurrencyShares, lendablePercent } = shares;
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  const limitResponse = { type: 'Queue', queuing };
  return priorityLevel(name, {
    type: 'Limited',
    limited: { nominalConcurrencyShares, limitResponse, lendablePercent },
  });
}

/** The fields of a flow schema beside its name and rules. */
export interface FlowSchemaHead {
  readonly level: string;
  readonly precedence: number;
  /** Absent: all requests are one flow. */
  readonly by?: 'ByUser' | 'ByNamespace';
}

/** Annotated for automatic updates. */
export function flowSchema(
  name: string,
  { level, precedence, by }: FlowSchemaHead,
  rule: PolicyRulesWithSubjects,
): FlowSchema {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: metadata(name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by !== undefined && { distinguisherMethod: { type: by } }),
      rules: [rule],
    },
    status: {},
  };
}

/** Subjects of the kind Group. */
export function groups(...names: readonly string[]): Subject[] {
  return names.map((name) => ({ kind: 'Group', group: { name } }));
}

/** Subjects of the kind User. */
export function users(...names: readonly string[]): Subject[] {
  return names.map((name) => ({ kind: 'User', user: { name } }));
}

/** All service accounts of kube-system. */
export function systemServiceAccounts(): Subject[] {
  return [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }];
}

/** Every request of the subjects. */
export function everythingOf(subjects: Subject[]): PolicyRulesWithSubjects {
  const any = ['*'];
  return {
    subjects,
    resourceRules: [{ verbs: any, apiGroups: any, resources: any, clusterScope: true, namespaces: any }],
    nonResourceRules: [{ verbs: any, nonResourceURLs: any }],
  };
}

/** A rule for resources of one group in all namespaces. */
export function resourceRule(
  verbs: string[],
  apiGroup: string,
  resources: string[],
  clusterScope = false,
): ResourcePolicyRule {
  return { verbs, apiGroups: [apiGroup], resources, ...(clusterScope && { clusterScope }), namespaces: ['*'] };
}

function metadata(name: string): FlowSchema['metadata'] {
  return { name, annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' } };
}
