import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { AUDIT_LEVELS, AUDIT_STAGES } from '../event/audit-event.js';
import type { AuditPolicy, GroupResources, PolicyRule } from './audit-policy.js';

/** Upstream: k8s.io/apiserver/pkg/apis/audit/validation */
export function validatePolicy(policy: AuditPolicy): readonly FieldError[] {
  const rules = FieldPath.of('rules');
  return [
    ...validateStages(policy.omitStages, FieldPath.of('omitStages')),
    ...policy.rules.flatMap((rule, i) => validateRule(rule, rules.index(i))),
  ];
}

function validateRule(rule: PolicyRule, path: FieldPath): readonly FieldError[] {
  const { level, namespaces = [], nonResourceURLs = [], resources = [] } = rule;
  const urls = path.child('nonResourceURLs');
  const errors = [
    ...validateLevel(level, path.child('level')),
    ...nonResourceURLs.flatMap((url, i) => validatePath(url, urls.index(i))),
    ...resources.flatMap((resource) => validateResources(resource, path.child('resources'))),
    ...validateStages(rule.omitStages, path.child('omitStages')),
  ];
  if (nonResourceURLs.length === 0 || (resources.length === 0 && namespaces.length === 0)) return errors;
  return [
    ...errors,
    fieldInvalid(urls, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
  ];
}

function validateLevel(level: string, path: FieldPath): readonly FieldError[] {
  if (level === '') return [fieldRequired(path, '')];
  if (AUDIT_LEVELS.some((known) => known === level)) return [];
  return [fieldNotSupported(path, printedAsJson(level), AUDIT_LEVELS)];
}

function validatePath(url: string, path: FieldPath): readonly FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/')) {
    errors.push(fieldInvalid(path, url, "non-resource URL rules must begin with a '/' character"));
  }
  if (url.slice(0, -1).includes('*')) {
    errors.push(fieldInvalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  }
  return errors;
}

function validateResources(
  { group = '', resources = [], resourceNames = [] }: GroupResources,
  path: FieldPath,
): readonly FieldError[] {
  const problems = group === '' || group === '*' ? [] : nameIsDNSSubdomain(group);
  const errors = problems.length === 0 ? [] : [fieldInvalid(path.child('group'), group, problems.join(','))];
  if (resourceNames.length === 0 || resources.length > 0) return errors;
  const why = 'using resourceNames requires at least one resource';
  return [...errors, fieldInvalid(path.child('resourceNames'), resourceNames, why)];
}

function validateStages(stages: readonly string[] = [], path: FieldPath): readonly FieldError[] {
  return stages.flatMap((stage, i) =>
    AUDIT_STAGES.some((known) => known === stage)
      ? []
      : [fieldInvalid(path.index(i), stage, `allowed stages are ${AUDIT_STAGES.join(',')}`)],
  );
}
