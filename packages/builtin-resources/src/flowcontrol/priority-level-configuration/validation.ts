import type {
  ExemptPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from '@apiserver/api/flowcontrol/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { EXEMPT, mandatoryPriorityLevels, PRESERVE_ZERO_SHARES_ANNOTATION } from '@apiserver/flowcontrol';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { validateStatusConditions } from '../conditions.js';
import { printedPriorityLevelSpec } from './printed-spec.js';
import { validateLimited, validatePercent, validateShares } from './validate-limited.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const LIMITED = SPEC.child('limited');
const EXEMPT_FIELD = SPEC.child('exempt');
const TYPES = ['Exempt', 'Limited'];

/** Upstream: ValidatePriorityLevelConfiguration of pkg/apis/flowcontrol/validation/validation.go */
export function validatePriorityLevel({ metadata, spec, status }: PriorityLevelConfiguration): readonly FieldError[] {
  const name = metadata.name ?? '';
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...(metadata.annotations?.[PRESERVE_ZERO_SHARES_ANNOTATION] === undefined
      ? []
      : [
          fieldForbidden(METADATA.child('annotations'), `annotation '${PRESERVE_ZERO_SHARES_ANNOTATION}' is forbidden`),
        ]),
    ...validateType(name, spec.type),
    ...validateUnion(spec),
    ...validateMandatory(name, spec),
    ...validateStatusConditions(status.conditions),
  ];
}

function validateType(name: string, type: string): FieldError[] {
  if ((name === EXEMPT) === (type === 'Exempt')) return [];
  const message = "must be 'Exempt' if and only if `name` is 'exempt'";
  return [fieldInvalid(SPEC.child('type'), printedAsJson(type), message)];
}

function validateUnion({ type, limited, exempt }: PriorityLevelConfigurationSpec): FieldError[] {
  if (type === 'Exempt') {
    return [
      ...(limited === undefined ? [] : [fieldForbidden(LIMITED, 'must be nil if the type is not Limited')]),
      ...(exempt === undefined ? [] : validateExempt(exempt)),
    ];
  }
  if (type !== 'Limited') return validateRequiredEnum(type, TYPES, SPEC.child('type'));
  return [
    ...(exempt === undefined ? [] : [fieldForbidden(EXEMPT_FIELD, 'must be nil if the type is Limited')]),
    ...(limited === undefined
      ? [fieldRequired(LIMITED, 'must not be empty when type is Limited')]
      : validateLimited(limited, LIMITED)),
  ];
}

function validateExempt({ nominalConcurrencyShares, lendablePercent }: ExemptPriorityLevelConfiguration): FieldError[] {
  return [
    ...validateShares(nominalConcurrencyShares, EXEMPT_FIELD.child('nominalConcurrencyShares')),
    ...validatePercent(lendablePercent, EXEMPT_FIELD.child('lendablePercent')),
  ];
}

/** Administrators may change the limits of the exempt level, and nothing else of a mandatory one. */
function validateMandatory(name: string, spec: PriorityLevelConfigurationSpec): FieldError[] {
  const mandatory = mandatoryPriorityLevels.find(({ metadata }) => metadata.name === name)?.spec;
  if (mandatory === undefined) return [];
  const compared = name === EXEMPT && mandatory.exempt !== undefined ? { ...spec, exempt: mandatory.exempt } : spec;
  if (equalJson(compared, mandatory)) return [];
  const exception = name === EXEMPT ? " except the 'spec.exempt' field" : '';
  const message = `spec of '${name}'${exception} must equal the fixed value`;
  return [fieldInvalid(SPEC, printedPriorityLevelSpec(spec), message)];
}
