import { type FlagSet, field } from '@apiserver/component-base/flags';
import { STORAGE_MEDIA_TYPES, type StorageMediaType } from '@apiserver/registry-store';
import { WatchCacheOptions } from './watch-cache-options.js';

/** Resources that live in an etcd of their own. */
export interface StorageOverride {
  readonly group: string;
  readonly resource: string;
  readonly servers: readonly string[];
}

const OVERRIDE_FORMAT =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

const RELOAD_WITHOUT_FILE =
  '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config';

const SECOND = 1000;

/** * Options of objects in etcd. Upstream: k8s.io/apiserver/pkg/server/options.EtcdOptions */
export class StorageOptions {
  /** `--storage-media-type`: "" is protobuf on etcd and JSON in the embedded stores. */
  mediaType = '';
  /** `--etcd-servers-overrides` */
  serversOverrides: readonly string[] = [];
  /** `--etcd-compaction-interval`, milliseconds; 0: never. */
  compactionInterval = 300 * SECOND;
  /** `--etcd-count-metric-poll-period`, milliseconds; 0: objects are not counted. */
  countMetricPollPeriod = 60 * SECOND;
  /** `--etcd-db-metric-poll-interval`, milliseconds; 0: the size is not measured. */
  databaseMetricPollInterval = 30 * SECOND;
  /** `--etcd-healthcheck-timeout`, milliseconds. */
  healthcheckTimeout = 2 * SECOND;
  /** `--etcd-readycheck-timeout`, milliseconds. */
  readycheckTimeout = 2 * SECOND;
  /** `--lease-reuse-duration-seconds` */
  leaseReuseSeconds = 60;
  /** `--delete-collection-workers` */
  deleteCollectionWorkers = 1;
  /** `--enable-garbage-collector` */
  enableGarbageCollector = true;
  readonly watchCache = new WatchCacheOptions();
  /** `--encryption-provider-config`: "" stores everything as it is. */
  encryptionConfigFile = '';
  /** `--encryption-provider-config-automatic-reload` */
  encryptionConfigReload = false;

  addFlags(flags: FlagSet): void {
    this.#addEncryptionFlags(flags);
    this.#addDeletionFlags(flags);
    this.watchCache.addFlags(flags);
    flags.string(
      'storage-media-type',
      field(this, 'mediaType'),
      `Encoding of stored built-in kinds: ${STORAGE_MEDIA_TYPES.join(', ')}. Default: protobuf with --etcd-servers, else JSON. Objects in other encodings are read too.`,
    );
    flags.stringSlice(
      'etcd-servers-overrides',
      field(this, 'serversOverrides'),
      'Built-in resources with an etcd of their own, each as group/resource#servers; servers are URLs separated by semicolons.',
    );
    flags.duration(
      'etcd-compaction-interval',
      field(this, 'compactionInterval'),
      'Interval of compactions, and the age from which history is compacted. 0: never.',
    );
    flags.duration(
      'etcd-count-metric-poll-period',
      field(this, 'countMetricPollPeriod'),
      'Interval at which the objects of each resource are counted for metrics. 0: never.',
    );
    flags.duration(
      'etcd-db-metric-poll-interval',
      field(this, 'databaseMetricPollInterval'),
      'Interval at which the size of the etcd database is read for metrics. 0: never.',
    );
    flags.duration(
      'etcd-healthcheck-timeout',
      field(this, 'healthcheckTimeout'),
      'Timeout of a health check of the store.',
    );
    flags.duration(
      'etcd-readycheck-timeout',
      field(this, 'readycheckTimeout'),
      'Timeout of a readiness check of the store.',
    );
    flags.int(
      'lease-reuse-duration-seconds',
      field(this, 'leaseReuseSeconds'),
      'Seconds by which an etcd lease may outlive its first key, so that other keys can share the lease.',
    );
  }

  validate(): readonly Error[] {
    const errors = this.serversOverrides
      .filter((text) => parseOverride(text) === undefined)
      .map(() => new Error(OVERRIDE_FORMAT));
    if (this.encryptionConfigReload && this.encryptionConfigFile === '') errors.push(new Error(RELOAD_WITHOUT_FILE));
    if (this.mediaType !== '' && this.storageMediaType === undefined) {
      const known = STORAGE_MEDIA_TYPES.toSorted().join(', ');
      errors.push(
        new Error(`--storage-media-type ${JSON.stringify(this.mediaType)} invalid, allowed values: ${known}`),
      );
    }
    return [...errors, ...this.watchCache.validate()];
  }

  #addEncryptionFlags(flags: FlagSet): void {
    flags.string(
      'encryption-provider-config',
      field(this, 'encryptionConfigFile'),
      'File with the EncryptionConfiguration: the resources that are stored encrypted, and their keys.',
    );
    flags.bool(
      'encryption-provider-config-automatic-reload',
      field(this, 'encryptionConfigReload'),
      'Reload the file of --encryption-provider-config when it changes. All KMS plugins then share one health check.',
    );
  }

  #addDeletionFlags(flags: FlagSet): void {
    flags.int(
      'delete-collection-workers',
      field(this, 'deleteCollectionWorkers'),
      'Number of objects that a deletion of a collection deletes concurrently.',
    );
    flags.bool(
      'enable-garbage-collector',
      field(this, 'enableGarbageCollector'),
      'Add finalizers for the garbage collector on deletion. Must equal the flag of kube-controller-manager.',
    );
  }

  /** The requested encoding. */
  get storageMediaType(): StorageMediaType | undefined {
    return STORAGE_MEDIA_TYPES.find((type) => type === this.mediaType);
  }

  /** The overrides. Call `validate` first. */
  get overrides(): readonly StorageOverride[] {
    return this.serversOverrides.flatMap((text) => parseOverride(text) ?? []);
  }
}

function parseOverride(text: string): StorageOverride | undefined {
  const [path = text, servers, ...more] = text.split('#');
  const [group = path, resource, ...deeper] = path.split('/');
  if (!resource || !servers || more.length > 0 || deeper.length > 0) return undefined;
  return { group, resource, servers: servers.split(';') };
}
