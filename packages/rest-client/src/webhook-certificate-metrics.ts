import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import type { RestAttempt, RestObserver } from './rest-observer.js';

/**
 * Counts requests to webhooks whose certificates no longer suffice, beside what another observer counts.
 * Upstream: k8s.io/apiserver/pkg/util/x509metrics
 */
export class WebhookCertificateMetrics implements RestObserver {
  readonly #observer: RestObserver;
  /** Absent: every connection is tried. */
  connecting?: (host: string, path: string) => void;
  readonly #registry: MetricsRegistry;
  /** For each connection that was looked at: whether its certificate lacks alternative names. */
  readonly #lacksNames = new WeakMap<Socket, boolean>();
  #counters: { readonly missingNames: Series; readonly weakDigests: Series } | undefined;

  constructor(observer: RestObserver, registry: MetricsRegistry) {
    this.#observer = observer;
    this.#registry = registry;
  }

  responded(attempt: RestAttempt, code: string, bytes: number | undefined): void {
    this.#observer.responded(attempt, code, bytes);
  }

  retried(attempt: RestAttempt, code: string): void {
    this.#observer.retried(attempt, code);
  }

  responseRead(attempt: RestAttempt, bytes: number): void {
    this.#observer.responseRead(attempt, bytes);
  }

  sent(attempt: RestAttempt, milliseconds: number): void {
    this.#observer.sent(attempt, milliseconds);
  }

  connected(socket: Socket): void {
    const { missingNames } = this.#all;
    let lacksNames = this.#lacksNames.get(socket);
    if (lacksNames === undefined) {
      const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
      lacksNames = certificate !== undefined && certificate.subjectAltName === undefined;
      this.#lacksNames.set(socket, lacksNames);
    }
    if (lacksNames) missingNames.value++;
  }

  refused(reason: string): void {
    const { missingNames, weakDigests } = this.#all;
    if (reason.includes('x509: certificate relies on legacy Common Name field')) missingNames.value++;
    if (/x509: cannot verify signature: insecure algorithm .*SHA1/.test(reason)) weakDigests.value++;
  }

  get #all() {
    this.#counters ??= newCounters(this.#registry);
    return this.#counters;
  }
}

function newCounters(registry: MetricsRegistry) {
  const missingNames = registry.counter({
    name: 'apiserver_webhooks_x509_missing_san_total',
    help: 'Number of requests to webhooks whose certificate has no alternative names, and of failures for that reason.',
    labels: [],
  });
  const weakDigests = registry.counter({
    name: 'apiserver_webhooks_x509_insecure_sha1_total',
    help: 'Number of requests to webhooks that failed because of a certificate with a SHA-1 signature.',
    labels: [],
  });
  return { missingNames: missingNames.with({}), weakDigests: weakDigests.with({}) };
}
