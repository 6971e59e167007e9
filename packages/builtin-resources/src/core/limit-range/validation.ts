import type { LimitRange, LimitRangeItem } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isQualifiedName } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateContainerResourceName, validateResourceName } from '../validation/resource-name.js';
import { validateAmounts } from './amounts-validation.js';

const LIMITS = FieldPath.of('spec', 'limits');
const TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

/** Upstream: ValidateLimitRange of pkg/apis/core/validation/validation.go */
export function validateLimitRange({ metadata, spec }: LimitRange): readonly FieldError[] {
  const limits = spec.limits ?? [];
  const seen = new Set<string>();
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...limits.flatMap((item, i) => {
      const path = LIMITS.index(i);
      const isRepeated = seen.has(item.type);
      seen.add(item.type);
      return [
        ...validateType(item.type, path.child('type')),
        ...(isRepeated ? [fieldDuplicate(path.child('type'), printedAsJson(item.type))] : []),
        ...validateItem(item, path),
      ];
    }),
  ];
}

function validateType(type: string, path: FieldPath): FieldError[] {
  const faults = isQualifiedName(type);
  if (faults.length > 0) return faults.map((fault) => fieldInvalid(path, type, fault));
  if (type.includes('/') || TYPES.has(type)) return [];
  return [fieldInvalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateItem(item: LimitRangeItem, path: FieldPath): FieldError[] {
  return [
    ...validateNames(item, 'max', path),
    ...validateNames(item, 'min', path),
    ...validateDefaults(item, path),
    ...validateStorageBounds(item, path),
    ...validateNames(item, 'maxLimitRequestRatio', path),
    ...validateAmounts(item, path),
  ];
}

type AmountField = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

function validateNames(item: LimitRangeItem, field: AmountField, path: FieldPath): FieldError[] {
  const ofContainers = item.type === 'Pod' || item.type === 'Container';
  const validateName = ofContainers ? validateContainerResourceName : validateResourceName;
  const names = Object.keys(item[field] ?? {}).sort();
  return names.flatMap((name) => validateName(name, path.child(field).key(name)));
}

function validateDefaults(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const fields = ['default', 'defaultRequest'] as const;
  if (item.type !== 'Pod') return fields.flatMap((field) => validateNames(item, field, path));
  return fields
    .filter((field) => Object.keys(item[field] ?? {}).length > 0)
    .map((field) => fieldForbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
}

function validateStorageBounds({ type, min = {}, max = {} }: LimitRangeItem, path: FieldPath): FieldError[] {
  if (type !== 'PersistentVolumeClaim' || Object.hasOwn(min, 'storage') || Object.hasOwn(max, 'storage')) return [];
  const fault = 'either minimum or maximum storage value is required, but neither was provided';
  return [fieldRequired(path.child('limits'), fault)];
}
