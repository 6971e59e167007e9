import { readFileSync } from 'node:fs';
import { durationClock, hasElapsed } from '@apiserver/apimachinery/clock';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';
import type { FollowingProcess } from './dynamic-files.js';

/** Milliseconds between two looks at the file. Upstream: caRefreshDuration */
const FRESH_FOR_MS = 5 * 60_000;

/** A file of authorities, and its process. */
export interface FollowedAuthoritiesOptions extends FollowingProcess {
  readonly path: string;
  /** False for a text without an authority. */
  readonly isUsable: (pem: string) => boolean;
}

/**
 * Follows a file of the authorities of servers. It is read when it is asked for, at most every five minutes; an
 * unusable text leaves the last one. `text` is the first one.
 * Upstream: k8s.io/client-go/transport/ca_rotation.go
 */
export function followedAuthorities(text: string, options: FollowedAuthoritiesOptions): () => string {
  const { path, isUsable, logger, metrics } = options;
  const clock = durationClock(options.clock);
  const fields = { caFile: path };
  const count = metrics.memo.of(registerReloads, () => registerReloads(metrics));
  let current = text;
  let lookedAt = clock.now();
  const look = () => {
    logger.v(4)?.info('Checking CA file content', fields);
    let next: string;
    try {
      next = readFileSync(path, { encoding: 'utf8', flag: READ_WITHOUT_WAITING });
    } catch (error) {
      logger.error(error, 'Failed to read CA data from file', fields);
      return count('failure', 'read_error');
    }
    if (next === '') {
      logger.info('CA file empty, skipping transport rotation', fields);
      return count('failure', 'empty');
    }
    if (next === current) {
      logger.v(4)?.info('CA file unchanged, skipping transport rotation', fields);
      return count('success', 'unchanged');
    }
    logger.v(4)?.info('CA content changed, updating transport', fields);
    if (!isUsable(next)) {
      logger.error(new Error('unable to parse bytes as PEM block'), 'Failed to parse CA data from file', fields);
      return count('failure', 'ca_parse_error');
    }
    current = next;
    logger.v(4)?.info('Transport updated for CA rotation', fields);
    return count('success', 'updated');
  };
  return () => {
    if (hasElapsed(clock, lookedAt, FRESH_FOR_MS)) {
      lookedAt = clock.now();
      look();
    }
    return current;
  };
}

function registerReloads(metrics: MetricsRegistry): (result: string, reason: string) => void {
  const reloads = metrics.counter({
    name: 'rest_client_transport_ca_reload_total',
    help: 'Number of attempts to reload authorities, by result and reason.',
    labels: ['result', 'reason'],
  });
  return (result, reason) => void reloads.with({ result, reason }).value++;
}
