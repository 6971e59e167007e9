/** A control plane in a test: start a real Kubernetes API server in this process. */
export type { Fetch } from '@apiserver/generic-server';
export type {
  ActiveFault,
  ClockSetting,
  Duration,
  FaultRule,
  PlaneClock,
  PlaneRequest,
  RequestFilter,
} from '@apiserver/test-powers';
export {
  alreadyExists,
  ControlPlaneError,
  conflict,
  expired,
  forbidden,
  internalError,
  notFound,
  type PlaneSnapshot,
  readSnapshot,
  serviceUnavailable,
  timeout,
  tooManyRequests,
} from '@apiserver/test-powers';
export type { ClientOptions } from './client/client-node.js';
export type {
  ControlPlane,
  ControlPlaneOptions,
  PlaneFaults,
  PlaneUser,
  RequestListener,
  WebhookServer,
} from './control-plane.js';
export { type CheckedPlane, type EventuallyOptions, eventually } from './eventually/eventually.js';
export type { ObjectReference } from './objects/find-object.js';
export type { Manifests } from './objects/manifest.js';
export { startControlPlane } from './start/start-control-plane.js';
export type { ServiceAccountOptions, UserOptions } from './users/user-options.js';
export type { WebhookTarget } from './webhooks/local-webhooks.js';
