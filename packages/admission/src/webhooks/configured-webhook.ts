import type { MutatingWebhook, ValidatingWebhook } from '@apiserver/api/admissionregistration/v1';
import type { WebhookClientConfig } from '@apiserver/webhook';
import { MatchCriteria } from '../matching/match-criteria.js';

/** The phase of a webhook, by its names in metrics. */
export type WebhookType = 'admit' | 'validating';

/** The fields of a webhook of either kind. */
export type WebhookFields = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const HTTPS_PORT = 443;

/**
 * A webhook of a configuration, compiled. It is kept while its configuration does not change.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/accessors.go
 */
export class ConfiguredWebhook {
  /** Unique among the webhooks of all configurations. */
  readonly uid: string;
  readonly configurationName: string;
  readonly fields: WebhookFields;
  readonly criteria: MatchCriteria;
  readonly clientConfig: WebhookClientConfig;
  /** True if the request is admitted when the webhook cannot be called. */
  readonly ignoresFailures: boolean;

  constructor(uid: string, configurationName: string, fields: WebhookFields) {
    const { namespaceSelector, objectSelector, matchPolicy, rules = [] } = fields;
    this.uid = uid;
    this.configurationName = configurationName;
    this.fields = fields;
    this.criteria = new MatchCriteria({
      resourceRules: rules,
      ...(namespaceSelector && { namespaceSelector }),
      ...(objectSelector && { objectSelector }),
      ...(matchPolicy !== undefined && { matchPolicy }),
    });
    this.clientConfig = clientConfigOf(fields);
    this.ignoresFailures = fields.failurePolicy === 'Ignore';
  }

  get name(): string {
    return this.fields.name;
  }
}

function clientConfigOf({ name, clientConfig }: WebhookFields): WebhookClientConfig {
  const { url, service, caBundle = '' } = clientConfig;
  return {
    name,
    caBundle: Buffer.from(caBundle, 'base64').toString(),
    ...(url !== undefined && { url }),
    ...(service !== undefined && { service: { port: HTTPS_PORT, ...service } }),
  };
}
