import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { WebhookClientsOptions } from '@apiserver/webhook';
import { WebhookMetrics } from './webhook-metrics.js';

/** Input of `WebhookEnvironment`. */
export interface WebhookEnvironmentOptions {
  /** Of the clients, without their users. */
  readonly clients: Omit<WebhookClientsOptions, 'userFor'>;
  readonly newUid: () => string;
  readonly logger: Logger;
  readonly registry: MetricsRegistry;
  readonly clock: Clock;
}

/** Dependencies that the plugins of both kinds of webhooks share. */
export class WebhookEnvironment {
  readonly clients: WebhookEnvironmentOptions['clients'];
  readonly newUid: () => string;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly clock: Clock;
  readonly #starts: (() => void)[] = [];

  constructor({ clients, newUid, logger, registry, clock }: WebhookEnvironmentOptions) {
    this.clients = clients;
    this.newUid = newUid;
    this.logger = logger;
    this.metrics = new WebhookMetrics(registry);
    this.clock = clock;
  }

  /** Registers the start of a plugin's informers. */
  onStart(start: () => void): void {
    this.#starts.push(start);
  }

  /** Starts the informers of both plugins. A request then waits for them at the same time. */
  start(): void {
    for (const start of this.#starts.splice(0)) start();
  }
}
