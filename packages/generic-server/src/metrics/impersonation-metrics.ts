import { exponentialBounds, type MetricsRegistry } from '@apiserver/component-base/metrics';

/** 1 ms to about 16 s, each twice the one before. */
const BOUNDS = exponentialBounds(0.001, 15);

/** Counts impersonation. Times are in milliseconds. */
export interface ImpersonationMetrics {
  /** A request with impersonation; `mode` is "" for one that is denied. */
  attempted(mode: string, isAllowed: boolean, milliseconds: number): void;
  /** One question to the authorizer. */
  authorized(verb: string, isAllowed: boolean, milliseconds: number): void;
}

/** Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation/metrics */
export function impersonationMetrics(registry: MetricsRegistry): ImpersonationMetrics {
  const family = (name: string, what: string) => {
    const labels = ['mode', 'decision'] as const;
    const total = registry.counter({ name: `${name}_total`, help: `Number of ${what}.`, labels });
    const seconds = registry.histogram(
      { name: `${name}_duration_seconds`, help: `Time of ${what}, in seconds.`, labels },
      BOUNDS,
    );
    return (mode: string, isAllowed: boolean, milliseconds: number) => {
      const of = { mode, decision: isAllowed ? 'allowed' : 'denied' };
      total.with(of).value++;
      seconds.with(of).observe(milliseconds / 1_000);
    };
  };
  const authorized = family('apiserver_impersonation_authorization_attempts', 'checks of permission to impersonate');
  return {
    attempted: family('apiserver_impersonation_attempts', 'attempts to impersonate'),
    authorized: (verb, isAllowed, milliseconds) => authorized(modeOfVerb(verb), isAllowed, milliseconds),
  };
}

/** The mode of a verb that impersonation asks for. Upstream: modeFromVerb */
export function modeOfVerb(verb: string): string {
  if (verb === 'impersonate') return 'legacy';
  const [, mode] = /^(?:impersonate:|impersonate-on:)([^:]+)/.exec(verb) ?? [];
  return mode !== undefined && MODES.has(mode) ? mode : 'unknown';
}

const MODES: ReadonlySet<string> = new Set(['associated-node', 'arbitrary-node', 'serviceaccount', 'user-info']);
