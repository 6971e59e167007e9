/** Powers of tests over a running API server. */

export { type ClockSetting, PlaneClock } from './clock/plane-clock.js';
export { ControlPlaneError } from './control-plane-error.js';
export { combinePowers, type PlanePower, type PowerConfig } from './power/plane-power.js';
export { PlaneSnapshot, readSnapshot } from './snapshots/plane-snapshot.js';
