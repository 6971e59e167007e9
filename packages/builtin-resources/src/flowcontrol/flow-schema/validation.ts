import type { FlowSchema } from '@apiserver/api/flowcontrol/v1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { EXEMPT, MAX_MATCHING_PRECEDENCE, mandatoryFlowSchemas } from '@apiserver/flowcontrol';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateStatusConditions } from '../conditions.js';
import { printedFlowSchemaSpec } from './printed-spec.js';
import { validatePolicyRule } from './validate-policy-rule.js';

const SPEC = FieldPath.of('spec');
const PRECEDENCE = SPEC.child('matchingPrecedence');
const LEVEL = SPEC.child('priorityLevelConfiguration').child('name');
const METHODS = ['ByNamespace', 'ByUser'];

/**
 * The same rules for create and update. Upstream: ValidateFlowSchema of pkg/apis/flowcontrol/validation/validation.go
 */
export function validateFlowSchema(flowSchema: FlowSchema): readonly FieldError[] {
  const { metadata, spec, status } = flowSchema;
  const name = metadata.name ?? '';
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...validatePrecedence(name, spec.matchingPrecedence ?? 0),
    ...validateMethod(spec.distinguisherMethod),
    ...validateLevel(spec.priorityLevelConfiguration.name),
    ...(spec.rules ?? []).flatMap((rule, i) => validatePolicyRule(rule, SPEC.child('rules').index(i))),
    ...validateMandatory(name, spec),
    ...validateStatusConditions(status.conditions),
  ];
}

function validatePrecedence(name: string, precedence: number): FieldError[] {
  const errors: FieldError[] = [];
  if (precedence <= 0) errors.push(fieldInvalid(PRECEDENCE, precedence, 'must be a positive value'));
  if (precedence > MAX_MATCHING_PRECEDENCE) {
    errors.push(fieldInvalid(PRECEDENCE, precedence, `must not be greater than ${MAX_MATCHING_PRECEDENCE}`));
  }
  if (precedence === 1 && name !== EXEMPT) {
    const message = "only the schema named 'exempt' may have matchingPrecedence 1";
    errors.push(fieldInvalid(PRECEDENCE, precedence, message));
  }
  return errors;
}

function validateMethod(method: FlowSchema['spec']['distinguisherMethod']): FieldError[] {
  if (method === undefined || METHODS.includes(method.type)) return [];
  return [fieldNotSupported(SPEC.child('distinguisherMethod').child('type'), { Type: method.type }, METHODS)];
}

function validateLevel(level: string): FieldError[] {
  if (level === '') return [fieldRequired(LEVEL, 'must reference a priority level')];
  return nameIsDNSSubdomain(level).map((message) => fieldInvalid(LEVEL, level, message));
}

function validateMandatory(name: string, spec: FlowSchema['spec']): FieldError[] {
  const mandatory = mandatoryFlowSchemas.find(({ metadata }) => metadata.name === name);
  if (mandatory === undefined || equalJson(spec, mandatory.spec)) return [];
  return [fieldInvalid(SPEC, printedFlowSchemaSpec(spec), `spec of '${name}' must equal the fixed value`)];
}
