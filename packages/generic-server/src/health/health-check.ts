import type { Exchange } from '@apiserver/apiserver-contracts';

/**
 * One named thing that must hold for the server to be healthy. Throws (or rejects) with the reason when it does not; the
 * reason is shown only to who asks for this very check.
 * Upstream: k8s.io/apiserver/pkg/server/healthz.HealthChecker
 */
export interface HealthCheck {
  readonly name: string;
  /** Another name by which it can be excluded. Upstream: healthz.GroupedHealthChecker */
  readonly group?: string;
  check(exchange: Exchange): Promise<void> | void;
}

/** Holds whenever the server can answer at all. */
export const pingCheck: HealthCheck = { name: 'ping', check: () => {} };

/**
 * Holds whenever the log is not blocked. A line is written in the turn that logs it, so that a server whose log is blocked answers
 * no check at all, where upstream's answers that one with an error. Upstream: healthz.LogHealthz
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
