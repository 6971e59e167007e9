import type { Manifest } from '../objects/manifest.js';

/** Where webhooks of a test are served. */
export interface WebhookTarget {
  /** `https://127.0.0.1:40123` */
  readonly url: string;
  /** PEM: the authority of the serving certificate. */
  readonly authority: string;
}

/** The client of a webhook, in a configuration or in the conversion of a definition. */
interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly path?: string } | null;
  readonly caBundle?: string;
}

const CONFIGURATIONS: ReadonlySet<string> = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);

/** True for the configurations of admission webhooks. */
export function isWebhookConfiguration({ object: { apiVersion, kind } }: Manifest): boolean {
  return apiVersion.startsWith('admissionregistration.k8s.io/') && CONFIGURATIONS.has(kind);
}

/** True for a definition whose objects a webhook converts that is a service of the cluster. */
export function hasConversionService({ object: { spec } }: Manifest): boolean {
  return isConverted(spec) && spec.conversion.webhook.clientConfig.service != null;
}

/** A configuration whose services are the test's server, with its authority. */
export function withLocalWebhooks({ object, origin }: Manifest, target: WebhookTarget): Manifest {
  const { webhooks } = object;
  if (!Array.isArray(webhooks)) return { object, origin };
  const local = webhooks.map((webhook: { readonly clientConfig?: ClientConfig }) => ({
    ...webhook,
    clientConfig: localClient(webhook.clientConfig ?? {}, target, '/'),
  }));
  return { object: { ...object, webhooks: local }, origin };
}

/** A definition whose conversion is at the test's server. */
export function withLocalConversion({ object, origin }: Manifest, target: WebhookTarget): Manifest {
  const { spec } = object;
  if (!isConverted(spec)) return { object, origin };
  const { webhook } = spec.conversion;
  const clientConfig = localClient(webhook.clientConfig, target, '/convert');
  const conversion = { ...spec.conversion, webhook: { conversionReviewVersions: ['v1'], ...webhook, clientConfig } };
  return { object: { ...object, spec: { ...spec, conversion } }, origin };
}

/** The spec of a definition whose objects a webhook converts. */
interface ConvertedSpec {
  readonly conversion: { readonly webhook: { readonly clientConfig: ClientConfig } };
}

function isConverted(spec: unknown): spec is ConvertedSpec {
  return (
    hasField(spec, 'conversion') &&
    hasField(spec.conversion, 'webhook') &&
    hasField(spec.conversion.webhook, 'clientConfig')
  );
}

function hasField<K extends string>(value: unknown, field: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && field in value && Reflect.get(value, field) != null;
}

/**
 * A client with an URL keeps it; one without an authority gets the test's.
 * Upstream: updateClientConfig of sigs.k8s.io/controller-runtime/pkg/envtest/webhook.go
 */
function localClient(client: ClientConfig, { url, authority }: WebhookTarget, defaultPath: string): ClientConfig {
  const caBundle = Buffer.from(authority).toString('base64');
  const { service, ...rest } = client;
  if (service == null) return { caBundle, ...rest };
  const { path = defaultPath } = service;
  return { ...rest, url: `${url}${path.startsWith('/') ? path : `/${path}`}`, caBundle };
}
