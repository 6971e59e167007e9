import type { DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector } from '@apiserver/api/resource/v1alpha3';
import { type FieldError, FieldPath, fieldTooMany } from '@apiserver/apimachinery/field';
import { validateConditions } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateDriverName, validatePoolName } from '../validation/device-names.js';
import { validateDeviceTaint } from '../validation/device-taints.js';

const SPEC = FieldPath.of('spec');
const CONDITIONS = FieldPath.of('status', 'conditions');
/** Upstream: DeviceTaintRuleStatusMaxConditions */
const MAX_CONDITIONS = 8;

/** Upstream: ValidateDeviceTaintRule of pkg/apis/resource/validation/validation.go */
export function validateDeviceTaintRule({ metadata, spec }: DeviceTaintRule): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: false }), ...validateSpec(spec, undefined)];
}

/** Upstream: ValidateDeviceTaintRuleUpdate */
export function validateDeviceTaintRuleUpdate(
  { metadata, spec }: DeviceTaintRule,
  old: DeviceTaintRule,
): readonly FieldError[] {
  return [...validateBuiltInObjectMetaUpdate(metadata, old.metadata), ...validateSpec(spec, old.spec)];
}

/** Upstream: ValidateDeviceTaintRuleStatusUpdate */
export function validateDeviceTaintRuleStatusUpdate(
  rule: DeviceTaintRule,
  old: DeviceTaintRule,
): readonly FieldError[] {
  const { conditions = [] } = rule.status;
  return [
    ...validateBuiltInObjectMetaUpdate(rule.metadata, old.metadata),
    ...validateConditions(conditions, CONDITIONS),
    ...(conditions.length > MAX_CONDITIONS ? [fieldTooMany(CONDITIONS, conditions.length, MAX_CONDITIONS)] : []),
  ];
}

function validateSpec({ deviceSelector, taint }: DeviceTaintRuleSpec, old: DeviceTaintRuleSpec | undefined) {
  return [
    ...(deviceSelector === undefined ? [] : validateSelector(deviceSelector, SPEC.child('deviceSelector'))),
    ...validateDeviceTaint(taint, SPEC.child('taint'), old?.taint),
  ];
}

function validateSelector({ driver, pool, device }: DeviceTaintSelector, path: FieldPath): FieldError[] {
  return [
    ...(driver === undefined ? [] : validateDriverName(driver, path.child('driver'))),
    ...(pool === undefined ? [] : validatePoolName(pool, path.child('pool'))),
    ...(device === undefined ? [] : validateDNS1123Label(device, path.child('device'))),
  ];
}
