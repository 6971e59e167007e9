import type { MetricsRegistry } from '@apiserver/component-base/metrics';

const base = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const withDryRun = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBounds = durationBounds.filter((bound) => bound >= 0.05);
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** The metric families of requests. */
export type RequestFamilies = ReturnType<typeof registerRequestFamilies>;

/** Registers the families of RequestMetrics. */
export function registerRequestFamilies(registry: MetricsRegistry) {
  const fieldValidation = registry.histogram(
    {
      name: 'field_validation_request_duration_seconds',
      help: 'Values of fieldValidation that requests have had. No duration is observed.',
      labels: ['field_validation'],
    },
    sliBounds,
  );
  fieldValidation.with({ field_validation: '' });
  return {
    fieldValidation,
    own: registry.counter({
      name: 'apiserver_selfrequest_total',
      help: 'Requests of the API server to itself.',
      labels: ['verb', 'group', 'resource', 'subresource'],
    }),
    total: registry.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, dry run, group, version, resource, scope, component and response code.',
      labels: [...withDryRun, 'code'],
    }),
    duration: registry.histogram(
      {
        name: 'apiserver_request_duration_seconds',
        help: 'Time from request to end of response in seconds.',
        labels: withDryRun,
      },
      durationBounds,
    ),
    sli: registry.histogram(
      {
        name: 'apiserver_request_sli_duration_seconds',
        help: 'Time from request to end of response in seconds, without what the server only waits for.',
        labels: base,
      },
      sliBounds,
    ),
    size: registry.histogram(
      { name: 'apiserver_response_sizes', help: 'Size of responses to reads in bytes.', labels: base },
      sizeBounds,
    ),
    longRunning: registry.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Long-running requests that are open now.',
      labels: base,
    }),
    terminations: registry.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended in self-defence.',
      labels: [...base, 'code'],
    }),
    aborts: registry.counter({
      name: 'apiserver_request_aborts_total',
      help: 'Requests that were broken off before the response was complete.',
      labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
    }),
  };
}
