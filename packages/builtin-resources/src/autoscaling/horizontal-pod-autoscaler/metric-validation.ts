import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  ResourceMetricSource,
} from '@apiserver/api/autoscaling/v2';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateContainerResourceName } from '../../core/validation/resource-name.js';
import { notSupported } from '../../validation/enum-field.js';
import { validateSegment } from '../../validation/path-segment.js';
import { type ReferenceRules, validateReference } from './object-reference.js';

const SOURCE_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
/** In the order of validation. */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

/** Properties of the autoscaler for validating its metrics. */
interface MetricRules {
  readonly minReplicas: number | undefined;
  /** Rules for the objects that metrics describe. */
  readonly described: ReferenceRules;
}

/** Upstream: validateMetrics of pkg/apis/autoscaling/validation/validation.go */
export function validateMetrics(metrics: readonly MetricSpec[], rules: MetricRules, path: FieldPath): FieldError[] {
  const errors = metrics.flatMap((metric, i) => validateMetric(metric, rules.described, path.index(i)));
  const seesFromOutside = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (rules.minReplicas !== 0 || seesFromOutside) return errors;
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [...errors, fieldForbidden(path, detail)];
}

/** A metric must have one source, which matches its type; only the first one found is validated. */
function validateMetric(metric: MetricSpec, described: ReferenceRules, path: FieldPath): FieldError[] {
  const { type } = metric;
  const typePath = path.child('type');
  const present = SOURCES.filter((source) => metric[source] !== undefined);
  const expected = SOURCES.find((source) => source.toLowerCase() === type.toLowerCase() && SOURCE_TYPES.includes(type));
  const unknown = SOURCE_TYPES.includes(type) ? [] : [notSupported(typePath, type, SOURCE_TYPES)];
  const others = present.length === 1 ? [] : present.filter((source) => source !== expected).sort();
  return [
    ...(type === '' ? [fieldRequired(typePath, 'must specify a metric source type')] : []),
    ...unknown,
    ...validateSource(metric, present[0], { described, path }),
    ...(expected !== undefined && metric[expected] === undefined
      ? [fieldRequired(path.child(expected), 'must populate information for the given metric source')]
      : []),
    // Reported twice, as upstream.
    ...unknown,
    ...others.map((source) => fieldForbidden(path.child(source), 'must populate the given metric source only')),
  ];
}

function validateSource(
  { object, external, pods, resource, containerResource }: MetricSpec,
  first: (typeof SOURCES)[number] | undefined,
  { described, path }: { readonly described: ReferenceRules; readonly path: FieldPath },
): FieldError[] {
  if (object !== undefined) return validateObjectSource(object, described, path.child('object'));
  if (external !== undefined) return validateExternalSource(external, path.child('external'));
  if (pods !== undefined) {
    const at = path.child('pods');
    const missing = fieldRequired(at.child('target', 'averageValue'), 'must specify a positive target averageValue');
    return [
      ...validateIdentifier(pods.metric, at.child('metric')),
      ...validateTarget(pods.target, at.child('target')),
      ...(pods.target.averageValue === undefined ? [missing] : []),
    ];
  }
  if (resource !== undefined) return validateResourceSource(resource, path.child('resource'));
  if (containerResource === undefined || first === undefined) return [];
  return validateContainerResourceSource(containerResource, path.child('containerResource'));
}

function validateObjectSource(source: ObjectMetricSource, described: ReferenceRules, path: FieldPath): FieldError[] {
  const { describedObject, metric, target } = source;
  const errors = [
    ...validateReference(describedObject, described, path.child('describedObject')),
    ...validateIdentifier(metric, path.child('metric')),
    ...validateTarget(target, path.child('target')),
  ];
  if (target.value !== undefined || target.averageValue !== undefined) return errors;
  const detail = 'must set either a target value or averageValue';
  return [...errors, fieldRequired(path.child('target', 'averageValue'), detail)];
}

function validateExternalSource({ metric, target }: ExternalMetricSource, path: FieldPath): FieldError[] {
  const errors = [...validateIdentifier(metric, path.child('metric')), ...validateTarget(target, path.child('target'))];
  const [hasValue, hasAverage] = [target.value !== undefined, target.averageValue !== undefined];
  if (!hasValue && !hasAverage) {
    const detail = 'must set either a target value for metric or a per-pod target';
    errors.push(fieldRequired(path.child('target', 'averageValue'), detail));
  }
  if (hasValue && hasAverage) {
    const detail = 'may not set both a target value for metric and a per-pod target';
    errors.push(fieldForbidden(path.child('target', 'value'), detail));
  }
  return errors;
}

function validateResourceSource({ name, target }: ResourceMetricSource, path: FieldPath): FieldError[] {
  return [
    ...(name === '' ? [fieldRequired(path.child('name'), 'must specify a resource name')] : []),
    ...validateUsage(target, path.child('target')),
  ];
}

function validateContainerResourceSource(source: ContainerResourceMetricSource, path: FieldPath): FieldError[] {
  const { name, container, target } = source;
  const [namePath, containerPath] = [path.child('name'), path.child('container')];
  return [
    ...(name === ''
      ? [fieldRequired(namePath, 'must specify a resource name')]
      : validateContainerResourceName(name, namePath)),
    ...(container === ''
      ? [fieldRequired(containerPath, 'must specify a container')]
      : validateDNS1123Label(container, containerPath)),
    ...validateUsage(target, path.child('target')),
  ];
}

/** Validates the target usage of a resource: a quantity or a percentage. */
function validateUsage(target: MetricTarget, path: FieldPath): FieldError[] {
  const errors = validateTarget(target, path);
  const [hasShare, hasAmount] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  if (!hasShare && !hasAmount) {
    const detail = 'must set either a target raw value or a target utilization';
    errors.push(fieldRequired(path.child('averageUtilization'), detail));
  }
  if (hasShare && hasAmount) {
    const detail = 'may not set both a target raw value and a target utilization';
    errors.push(fieldForbidden(path.child('averageValue'), detail));
  }
  return errors;
}

function validateTarget(
  { type, value, averageValue, averageUtilization }: MetricTarget,
  path: FieldPath,
): FieldError[] {
  const typePath = path.child('type');
  const detail = 'must be either Utilization, Value, or AverageValue';
  return [
    ...(type === '' ? [fieldRequired(typePath, 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.includes(type) ? [] : [fieldInvalid(typePath, printedAsJson(type), detail)]),
    ...validatePositive(value, path.child('value')),
    ...validatePositive(averageValue, path.child('averageValue')),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [fieldInvalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0')]
      : []),
  ];
}

function validatePositive(amount: string | undefined, path: FieldPath): FieldError[] {
  return amount === undefined || Quantity.parse(amount).sign > 0
    ? []
    : [fieldInvalid(path, amount, 'must be positive')];
}

function validateIdentifier({ name }: MetricIdentifier, path: FieldPath): FieldError[] {
  return validateSegment(name, path.child('name'), 'must specify a metric name');
}
