import { networkInterfaces } from 'node:os';
import type { Logger } from '@apiserver/apiserver-contracts';
import { defaultAdvertiseAddress, defaultInterfaces, readRouteTables } from '@apiserver/bootstrap-pki';
import type { Completed } from '@apiserver/generic-server';
import type { KubeApiserverOptions } from './kube-apiserver-options.js';

/** Options with all defaults filled in. They are frozen. */
export type CompletedOptions = Completed<{
  readonly [K in keyof KubeApiserverOptions]: KubeApiserverOptions[K] extends CallableFunction
    ? KubeApiserverOptions[K]
    : Readonly<KubeApiserverOptions[K]>;
}>;

/** Dependencies of defaults besides other options. */
export interface CompletionContext {
  /** The data folder of the server; already resolved, because a launcher may have named it. */
  readonly dataDirectory: string;
  /** True if objects are kept in an etcd, which other servers may read. */
  readonly isOnEtcd: boolean;
  readonly logger: Logger;
}

/** Upstream: the default of --storage-media-type */
const SHARED_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';

/**
 * Sets the defaults that depend on other options, on the machine or on the place of the data, then freezes the
 * options. Call `validate` first. Completed options stay as they are.
 * Upstream: Options.Complete of pkg/controlplane/apiserver/options
 */
export function completeOptions(options: KubeApiserverOptions, context: CompletionContext): CompletedOptions {
  if (areComplete(options)) return options;
  const { data, storage, generic, secureServing, authentication, authorization, serviceAccounts } = options;
  data.dataDirectory = context.dataDirectory;
  if (context.isOnEtcd) storage.mediaType ||= SHARED_MEDIA_TYPE;
  generic.advertiseAddress ||= advertiseAddressOf(secureServing.bindAddress);
  // Upstream: completeServiceAccountOptions
  if (authentication.apiAudiences.length === 0) authentication.apiAudiences = serviceAccounts.issuers;
  authorization.complete();
  authentication.applyAuthorization(authorization, context.logger);
  freezeDeeply(options);
  const completed: unknown = options;
  return completed as CompletedOptions;
}

/** True for those of another server of this process. */
function areComplete(options: unknown): options is CompletedOptions {
  return Object.isFrozen(options);
}

/** Upstream: ServerRunOptions.DefaultAdvertiseAddress */
function advertiseAddressOf(bindAddress: string): string {
  return defaultAdvertiseAddress(bindAddress, networkInterfaces(), () => defaultInterfaces(readRouteTables()));
}

/** Freezes groups of options, and the lists and objects in them. */
function freezeDeeply(value: object): void {
  Object.freeze(value);
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) freezeDeeply(inner);
  }
}
