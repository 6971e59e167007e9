import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '@apiserver/api/flowcontrol/v1';

/** Formatted as upstream's internal type, whose fields have Go's names. */
export function printedFlowSchemaSpec(spec: FlowSchemaSpec): object {
  return {
    PriorityLevelConfiguration: { Name: spec.priorityLevelConfiguration.name },
    MatchingPrecedence: spec.matchingPrecedence ?? 0,
    DistinguisherMethod: spec.distinguisherMethod === undefined ? null : { Type: spec.distinguisherMethod.type },
    Rules: spec.rules?.map(printedRule) ?? null,
  };
}

function printedRule({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): object {
  return {
    Subjects: subjects?.map(printedSubject) ?? null,
    ResourceRules: resourceRules?.map(printedResourceRule) ?? null,
    NonResourceRules:
      nonResourceRules?.map(({ verbs, nonResourceURLs }) => ({ Verbs: verbs, NonResourceURLs: nonResourceURLs })) ??
      null,
  };
}

function printedSubject({ kind, user, group, serviceAccount }: Subject): object {
  return {
    Kind: kind,
    User: user === undefined ? null : { Name: user.name },
    Group: group === undefined ? null : { Name: group.name },
    ServiceAccount:
      serviceAccount === undefined ? null : { Namespace: serviceAccount.namespace, Name: serviceAccount.name },
  };
}

function printedResourceRule(rule: ResourcePolicyRule): object {
  return {
    Verbs: rule.verbs,
    APIGroups: rule.apiGroups,
    Resources: rule.resources,
    ClusterScope: rule.clusterScope ?? false,
    Namespaces: rule.namespaces ?? null,
  };
}
