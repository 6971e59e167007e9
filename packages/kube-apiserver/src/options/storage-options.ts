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
      `What built-in kinds are encoded in at rest: ${STORAGE_MEDIA_TYPES.join(', ')}. Default protobuf with --etcd-servers, else JSON. Objects in another encoding are read as well.`,
    );
    flags.stringSlice(
      'etcd-servers-overrides',
      field(this, 'serversOverrides'),
      'Resources that live in an etcd of their own, each as group/resource#servers, where servers are URLs with semicolons between them. For built-in resources only.',
    );
    flags.duration(
      'etcd-compaction-interval',
      field(this, 'compactionInterval'),
      'How often history is compacted that is older than this. 0: never.',
    );
    flags.duration(
      'etcd-count-metric-poll-period',
      field(this, 'countMetricPollPeriod'),
      'How often the objects of each resource are counted for the metrics. 0: never.',
    );
    flags.duration(
      'etcd-db-metric-poll-interval',
      field(this, 'databaseMetricPollInterval'),
      'How often the size of the etcd database is asked for, for the metrics. 0: never.',
    );
    flags.duration(
      'etcd-healthcheck-timeout',
      field(this, 'healthcheckTimeout'),
      'How long a health check of the store may take.',
    );
    flags.duration(
      'etcd-readycheck-timeout',
      field(this, 'readycheckTimeout'),
      'How long a readiness check of the store may take.',
    );
    flags.int(
      'lease-reuse-duration-seconds',
      field(this, 'leaseReuseSeconds'),
      'By how many seconds an etcd lease may outlive its first key, so that other keys can share it.',
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
      'The file that says which resources are stored encrypted, and with which keys.',
    );
    flags.bool(
      'encryption-provider-config-automatic-reload',
      field(this, 'encryptionConfigReload'),
      'Take up changes of the file that --encryption-provider-config names. There is one health check for all KMS plugins then.',
    );
  }

  #addDeletionFlags(flags: FlagSet): void {
    flags.int(
      'delete-collection-workers',
      field(this, 'deleteCollectionWorkers'),
      'How many objects one deletion of a collection deletes at a time.',
    );
    flags.bool(
      'enable-garbage-collector',
      field(this, 'enableGarbageCollector'),
      'Let deletions leave finalizers for the garbage collector. It has to be set as it is for kube-controller-manager.',
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
  const [path, servers, ...more] = text.split('#');
  const [group, resource, ...deeper] = path?.split('/') ?? [];
  if (group === undefined || !resource || !servers || more.length > 0 || deeper.length > 0) return undefined;
  return { group, resource, servers: servers.split(';') };
}
