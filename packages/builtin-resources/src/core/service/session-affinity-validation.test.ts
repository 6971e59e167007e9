import type { ServiceSpec } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateSessionAffinity } from './session-affinity-validation.js';

const CONFIG = 'spec.sessionAffinityConfig';
const RANGE = 'must be greater than 0 and less than 86400';
const timeout = (timeoutSeconds: number): ServiceSpec => ({
  sessionAffinity: 'ClientIP',
  sessionAffinityConfig: { clientIP: { timeoutSeconds } },
});

it.each<[ServiceSpec, string]>([
  [{}, 'spec.sessionAffinity: Required value'],
  [{ sessionAffinity: '' }, 'spec.sessionAffinity: Required value'],
  [{ sessionAffinity: 'None' }, ''],
  [
    { sessionAffinity: 'None', sessionAffinityConfig: {} },
    `${CONFIG}: Forbidden: must not be set when session affinity is None`,
  ],
  [
    { sessionAffinity: 'Odd', sessionAffinityConfig: {} },
    'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
  ],
  [{ sessionAffinity: 'ClientIP' }, `${CONFIG}: Required value: when session affinity type is ClientIP`],
  [
    { sessionAffinity: 'ClientIP', sessionAffinityConfig: {} },
    `${CONFIG}.clientIP: Required value: when session affinity type is ClientIP`,
  ],
  [
    { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } },
    `${CONFIG}.clientIP.timeoutSeconds: Required value: when session affinity type is ClientIP`,
  ],
  [timeout(0), `${CONFIG}.clientIP.timeoutSeconds: Invalid value: 0: ${RANGE}`],
  [timeout(1), ''],
  [timeout(86_400), ''],
  [timeout(86_401), `${CONFIG}.clientIP.timeoutSeconds: Invalid value: 86401: ${RANGE}`],
])('%j', (spec, faults) => {
  expect(aggregateFieldErrors(validateSessionAffinity(spec))).toBe(faults);
});
