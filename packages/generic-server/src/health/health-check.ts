import type { Exchange } from '@apiserver/apiserver-contracts';

/**
 * One named condition of health. Throws (or rejects) with the reason if it fails; the reason is only shown to requests
 * for this very check.
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
 * Holds as long as the server's own client is let in. Upstream's shows a certificate that lasts a year; ours stays in the process
 * and shows none. Upstream: SecureServingOptionsWithLoopback in k8s.io/apiserver/pkg/server/options
 */
export const loopbackCheck: HealthCheck = { name: 'loopback-serving-certificate', check: () => {} };

/** Holds once `done` says so. Upstream: postStartHookHealthz */
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

/** Holds until `until` (milliseconds since the epoch) whatever the check says. Upstream: delayedLivezCheck */
export function delayedCheck(check: HealthCheck, until: number, now: () => number): HealthCheck {
  return {
    name: check.name,
    check: (exchange) => {
      if (now() > until) return check.check(exchange);
    },
  };
}
