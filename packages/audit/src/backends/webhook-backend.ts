import { Buffer } from 'node:buffer';
import { type Clock, withTimeout } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { defaultRetryBackoff, type RestSender, retryWithBackoff } from '@apiserver/rest-client';
import type { AuditRecord } from '../event/audit-record.js';
import type { AuditBackend } from './audit-backend.js';
import type { AuditMetrics } from './audit-metrics.js';

const PLUGIN = 'webhook';
/** Upstream: defaultRequestTimeout of k8s.io/apiserver/pkg/util/webhook */
const ATTEMPT_TIMEOUT_MS = 30_000;
/** Milliseconds that shutdown gives to batches on their way. */
const SHUTDOWN_GRACE_MS = 10_000;

const LIST_START = '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[';

/** Dependencies of the webhook. */
export interface WebhookBackendOptions {
  readonly client: RestSender;
  /** Milliseconds before the second attempt. */
  readonly initialBackoff: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly metrics: AuditMetrics;
}

/**
 * Posts events as an EventList, and retries after every failure. Upstream: k8s.io/apiserver/plugin/pkg/audit/webhook
 */
export class WebhookBackend implements AuditBackend {
  readonly name = PLUGIN;
  readonly isStrict = true;
  readonly #options: WebhookBackendOptions;
  readonly #sending = new Set<Promise<boolean>>();
  readonly #stop = new AbortController();

  constructor(options: WebhookBackendOptions) {
    this.#options = options;
  }

  process(records: readonly AuditRecord[]): Promise<boolean> {
    const sending = this.#send(records);
    this.#sending.add(sending);
    void sending.then(() => this.#sending.delete(sending));
    return sending;
  }

  /** Batches that a webhook does not take in time are lost. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#sending.size === 0) return;
    const why = new Error('audit backend shut down');
    const cancel = this.#options.clock.schedule(() => this.#stop.abort(why), SHUTDOWN_GRACE_MS);
    await Promise.all(this.#sending);
    cancel();
  }

  async #send(records: readonly AuditRecord[]): Promise<boolean> {
    const { client, clock, initialBackoff, metrics, random } = this.#options;
    const { signal } = this.#stop;
    const body = eventList(records);
    const post = () =>
      withTimeout({ clock, milliseconds: ATTEMPT_TIMEOUT_MS, signal }, (limit) =>
        client.send({ method: 'POST', path: '', query: new URLSearchParams({ timeout: '30s' }), body }, limit),
      );
    const backoff = { ...defaultRetryBackoff, duration: initialBackoff };
    try {
      await retryWithBackoff(post, { backoff, clock, random, signal, isWorthRetrying: () => true });
      return true;
    } catch (error) {
      metrics.lost(PLUGIN, messageOf(error), records);
      return false;
    }
  }
}

function eventList(records: readonly AuditRecord[]): string {
  const items = records.map((record) => `{${record.members().map(textOf).join('')}}`);
  return `${LIST_START}${items.join(',')}]}\n`;
}

function textOf(part: string | Uint8Array): string {
  if (typeof part === 'string') return part;
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString();
}
