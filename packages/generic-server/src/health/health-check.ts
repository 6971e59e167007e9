import type { Exchange } from '@apiserver/apiserver-contracts';

/**
 * One named condition of health. It throws or rejects with the reason of a failure. Only a request for this check alone
 * shows the reason.
 * Upstream: k8s.io/apiserver/pkg/server/healthz.HealthChecker
 */
export interface HealthCheck {
  readonly name: string;
  /** Another name by which it can be excluded. Upstream: healthz.GroupedHealthChecker */
  readonly group?: string;
  check(exchange: Exchange): Promise<void> | void;
}

/** Succeeds whenever the server responds at all. */
export const pingCheck: HealthCheck = { name: 'ping', check: () => {} };

/**
 * Succeeds whenever the log is not blocked. A line is written synchronously, so a server with a blocked log responds to
 * no check, where upstream returns an error for this one. Upstream: healthz.LogHealthz
 */
export const logCheck: HealthCheck = { name: 'log', check: () => {} };

/**
 * Always succeeds. Upstream's loopback client has a certificate that expires after a year; ours stays in the process
 * and has none. Upstream: SecureServingOptionsWithLoopback in k8s.io/apiserver/pkg/server/options
 */
export const loopbackCheck: HealthCheck = { name: 'loopback-serving-certificate', check: () => {} };

/** Succeeds once `done` returns true. Upstream: postStartHookHealthz */
export function doneCheck(name: string, done: () => boolean): HealthCheck {
  return {
    name,
    check: () => {
      if (!done()) throw new Error('not finished');
    },
  };
}

/** Fails as soon as shutdown starts. Upstream: k8s.io/apiserver/pkg/server.shutdownCheck */
export function shutdownCheck(shutdown: AbortSignal): HealthCheck {
  return {
    name: 'shutdown',
    check: () => {
      if (shutdown.aborted) throw new Error('process is shutting down');
    },
  };
}

/** Succeeds until `until`, by `performance.now()`; after that the check decides. Upstream: delayedLivezCheck */
export function delayedCheck(check: HealthCheck, until: number): HealthCheck {
  return {
    name: check.name,
    check: (exchange) => {
      if (performance.now() > until) return check.check(exchange);
    },
  };
}
