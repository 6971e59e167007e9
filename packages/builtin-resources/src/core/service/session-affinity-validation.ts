import type { ServiceSpec, SessionAffinityConfig } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { notSupported } from '../../validation/enum-field.js';

const AFFINITY = FieldPath.of('spec', 'sessionAffinity');
const CONFIG = FieldPath.of('spec', 'sessionAffinityConfig');
const AFFINITIES = ['ClientIP', 'None'];
/** A day. Upstream: MaxClientIPServiceAffinitySeconds */
const MAX_TIMEOUT_SECONDS = 86_400;

/** Upstream: ValidateService and validateClientIPAffinityConfig of pkg/apis/core/validation/validation.go */
export function validateSessionAffinity({ sessionAffinity = '', sessionAffinityConfig }: ServiceSpec): FieldError[] {
  if (sessionAffinity === '') return [fieldRequired(AFFINITY, '')];
  if (sessionAffinity === 'ClientIP') return validateClientIPConfig(sessionAffinityConfig);
  if (!AFFINITIES.includes(sessionAffinity)) return [notSupported(AFFINITY, sessionAffinity, AFFINITIES)];
  if (sessionAffinityConfig === undefined) return [];
  return [fieldForbidden(CONFIG, 'must not be set when session affinity is None')];
}

function validateClientIPConfig(config: SessionAffinityConfig | undefined): FieldError[] {
  const detail = 'when session affinity type is ClientIP';
  const path = CONFIG.child('clientIP', 'timeoutSeconds');
  if (config === undefined) return [fieldRequired(CONFIG, detail)];
  if (config.clientIP === undefined) return [fieldRequired(CONFIG.child('clientIP'), detail)];
  const { timeoutSeconds } = config.clientIP;
  if (timeoutSeconds === undefined) return [fieldRequired(path, detail)];
  if (timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS) return [];
  return [fieldInvalid(path, timeoutSeconds, `must be greater than 0 and less than ${MAX_TIMEOUT_SECONDS}`)];
}
