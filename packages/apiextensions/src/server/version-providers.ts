import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import {
  createStorageProvider,
  type InstallOptions,
  type StorageProvider,
  type StorageProviderOptions,
} from '@apiserver/registry-store';
import type { WebhookClientConfig, WebhookClients } from '@apiserver/webhook';
import type { ConversionMetrics } from '../conversion/conversion-metrics.js';
import { nopConverter, type ObjectConverter } from '../conversion/object-converter.js';
import { versionConversion } from '../conversion/version-conversion.js';
import { WebhookConverter } from '../conversion/webhook-converter.js';
import type { CustomResourceDefinitions } from '../custom-resource/resource-definitions.js';
import { versionsOf } from '../custom-resource-definition/types.js';
import { someSchema } from '../schema/schemas-in.js';

/** Dependencies of conversion. */
export interface ConversionOptions {
  /** The clients of webhooks; made for the first conversion. */
  readonly webhooks: () => Promise<WebhookClients>;
  readonly conversionMetrics: ConversionMetrics;
  readonly clock: Clock;
  readonly install: Pick<InstallOptions, 'newUid'>;
}

/**
 * The storage of a definition's objects. If its versions differ, each has its own storage and watch cache. Objects are
 * converted when they are read from the store and written to it.
 *
 * Upstream: getOrCreateServingInfoFor of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export function storageProviderOf(
  { stored, converted }: Pick<CustomResourceDefinitions, 'stored' | 'converted'>,
  converter: ObjectConverter,
  crd: CustomResourceDefinition,
  storage: StorageProviderOptions,
): StorageProvider {
  if (converted === undefined) return createStorageProvider(storage);
  const { codecFor, store, cbor, readCbor } = storage;
  const { group } = stored;
  const codecs = new Map([...converted].map(([apiVersion, schema]) => [apiVersion, codecFor(schema)]));
  const isShared = (store.freshness ?? 'immediate') !== 'immediate';
  // An object that comes from another version lacks those of the stored one.
  const hasDefaults = versionsOf(crd).some(({ schema }) => {
    const props = schema?.openAPIV3Schema;
    return props !== undefined && someSchema(props, (one) => one.default !== undefined);
  });
  const { cbor: _, readCbor: __, ...json } = storage;
  return new VersionProviders((version) =>
    createStorageProvider({
      ...json,
      conversion: versionConversion({
        codecs,
        apiVersion: formatGroupVersion({ group, version }),
        storedApiVersion: formatGroupVersion({ group, version: stored.storageVersion }),
        converter,
        mayBeOutdated: isShared || hasDefaults || Number(crd.metadata.generation ?? 1) > 1,
        cbor,
        readCbor,
      }),
    }),
  );
}

/** Upstream: NewConverter of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go */
export function converterOf(
  { metadata, spec: { conversion } }: CustomResourceDefinition,
  { webhooks, conversionMetrics, clock, install }: ConversionOptions,
): ObjectConverter {
  const { webhook } = conversion ?? {};
  if (conversion?.strategy !== 'Webhook' || webhook === undefined) return nopConverter;
  const { name: definition = '' } = metadata;
  const config = clientConfigOf(definition, webhook);
  return new WebhookConverter({
    definition,
    conversionReviewVersions: webhook.conversionReviewVersions ?? [],
    client: async () => (await webhooks()).clientFor(config),
    newUid: install.newUid,
    metrics: conversionMetrics,
    now: () => durationClock(clock).now(),
  });
}

type WebhookConversion = NonNullable<NonNullable<CustomResourceDefinition['spec']['conversion']>['webhook']>;

/** A caBundle of blanks counts as none. Upstream: webhookClientConfigForCRD */
function clientConfigOf(definition: string, { clientConfig = {} }: WebhookConversion): WebhookClientConfig {
  const { url, service, caBundle = '' } = clientConfig;
  const ca = Buffer.from(caBundle, 'base64').toString();
  return {
    name: `conversion_webhook_for_${definition}`,
    caBundle: ca.trim() === '' ? '' : ca,
    ...(url !== undefined && { url }),
    ...(service !== undefined && { service }),
  };
}

/** One provider for each version, made on first use. */
class VersionProviders implements StorageProvider {
  readonly #create: (version: string) => StorageProvider;
  /** By version. */
  readonly #providers = new Map<string, StorageProvider>();

  constructor(create: (version: string) => StorageProvider) {
    this.#create = create;
  }

  storageFor<T extends KubeObject>(definition: ResourceDefinition<T>): Storage<T> {
    const { hubVersion } = definition;
    const provider = this.#providers.get(hubVersion) ?? this.#create(hubVersion);
    this.#providers.set(hubVersion, provider);
    return provider.storageFor(definition);
  }

  /** Unknown: a resource has one storage for each of its versions. */
  firstUse(): undefined {}

  async unused(): Promise<undefined> {}

  async ready(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#providers.values()].map((provider) => provider.ready(signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#providers.values()].map((provider) => provider[Symbol.asyncDispose]()));
  }
}
