/**
 * The address of a webhook and the authorities that it is trusted by. Either `url` or `service` is set.
 * Upstream: ClientConfig of k8s.io/apiserver/pkg/util/webhook
 */
export interface WebhookClientConfig {
  /** The name of the webhook, for errors. */
  readonly name: string;
  /** `https://host[:port][/path]` */
  readonly url?: string;
  readonly service?: WebhookService;
  /** PEM of the only trusted authorities. "": those of the machine. */
  readonly caBundle: string;
}

/** A service that serves a webhook. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** Default: "/". */
  readonly path?: string;
  /** Default: 443. */
  readonly port?: number;
}

/** A port of a service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Finds an address for a service, for each request. Throws or rejects with the reason. */
export type ServiceResolver = (service: ServicePort) => ServiceAddress | Promise<ServiceAddress>;

/** The address of a service or of one of its endpoints. */
export interface ServiceAddress {
  readonly hostname: string;
  readonly port: number;
}
