/** A control plane in a test: start a real Kubernetes API server in this process. */
export type { Fetch } from '@apiserver/generic-server';
export type { ControlPlane, ControlPlaneOptions } from './control-plane.js';
export { ControlPlaneError } from './control-plane-error.js';
export { startControlPlane } from './start/start-control-plane.js';
