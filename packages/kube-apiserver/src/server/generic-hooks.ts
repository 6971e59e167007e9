import type { PostStartHook } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { encryptionHooks } from '../storage/encryption-at-rest.js';
import { finishedHook, flowControlHooks } from './flow-control-hooks.js';
import { startPolicyStatus } from './policy-status.js';

/**
 * The hooks that come before those of the servers, in upstream's order. Upstream's first one renews a mapper of
 * resources, which policies look up directly here. Its last one forgets old numbers of objects, and the store counts
 * them.
 * Upstream: k8s.io/apiserver/pkg/server/config.go, options/admission.go and options/etcd.go there
 */
export function genericHooks(
  config: CompletedKubeApiServerConfig,
  startInformers: PostStartHook,
): ReadonlyMap<string, PostStartHook> {
  const start: PostStartHook = (context) => {
    startPolicyStatus(config, context);
    config.node?.start(config.enabled, context.signal);
    return startInformers(context);
  };
  return new Map([
    toEntry(finishedHook('start-apiserver-admission-initializer')),
    ...Object.entries(encryptionHooks(config.storage)),
    ['generic-apiserver-start-informers', start],
    ...flowControlHooks(config).map(toEntry),
    toEntry(finishedHook('storage-object-count-tracker-hook')),
  ]);
}

function toEntry({ name, run }: { readonly name: string; readonly run: PostStartHook }): [string, PostStartHook] {
  return [name, (context) => run(context)];
}
