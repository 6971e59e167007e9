import type { LabelSelector, LabelSelectorRequirement } from '@apiserver/api/meta/v1';

/** A selector as Go prints it. Upstream: String of LabelSelector, generated for k8s.io/apimachinery/pkg/apis/meta/v1 */
export function labelSelectorGoText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`)
    .join('');
  const requirements = matchExpressions.map((requirement) => `${requirementText(requirement)},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${requirements}},}`;
}

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],}`;
}
