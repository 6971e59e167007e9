/** Powers of tests over a running API server. */

export { type ClockSetting, PlaneClock } from './clock/plane-clock.js';
export { ControlPlaneError } from './control-plane-error.js';
export { type EndpointPowers, TestEndpoint, type TestEndpointOptions } from './endpoint/test-endpoint.js';
export {
  alreadyExists,
  conflict,
  expired,
  forbidden,
  internalError,
  notFound,
  type ResponseOptions,
  serviceUnavailable,
  timeout,
  tooManyRequests,
} from './faults/fault-responses.js';
export type {
  ActiveFault,
  FaultEffect,
  FaultReason,
  FaultRule,
  FaultStrike,
  RawFault,
  StatusFault,
  StorageFault,
  WatchFault,
} from './faults/fault-rule.js';
export { Faults } from './faults/faults.js';
export { parseFaultRule } from './faults/parse-fault-rule.js';
export { checkFields, type FieldCheck, fieldError, integer, oneOf, text, texts } from './matching/check-fields.js';
export { type Duration, duration, durationMilliseconds } from './matching/duration.js';
export type { RequestSelector } from './matching/request-selector.js';
export type { TextPattern } from './matching/text-pattern.js';
export { OwnRequests } from './power/own-requests.js';
export { combinePowers, type PlanePower, type PowerConfig } from './power/plane-power.js';
export type { PlaneRequest } from './requests/recorded-request.js';
export { type RequestFilter, Requests } from './requests/requests.js';
export { PlaneSnapshot, readSnapshot } from './snapshots/plane-snapshot.js';
