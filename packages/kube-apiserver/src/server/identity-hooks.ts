import {
  apiServerID,
  type ControllerHook,
  clusterAuthenticationController,
  identityLeaseController,
  identityLeaseGarbageCollector,
  legacyTokenTrackingController,
} from '@apiserver/controlplane';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { afterReadiness } from './after-readiness.js';
import { peerAddressOf } from './peers.js';
import { recordsStorageVersions } from './storage-versions.js';

/**
 * Hooks that publish facts about this server: its authorities and its lease.
 * Upstream: pkg/controlplane/apiserver/server.go
 */
export function identityHooks(config: CompletedKubeApiServerConfig): readonly ControllerHook[] {
  const { hostname, newUid, randomInt: random, generic, authentication } = config;
  const { clock, signals } = generic;
  const logger = generic.logger.named('identity');
  const { clientCA, requestHeader, authorities } = authentication;
  const peerAddress = peerAddressOf(config);
  const common = { whenReady: () => afterReadiness(signals), clock, logger };
  return [
    clusterAuthenticationController({
      ...common,
      random,
      info: () => ({
        clientCA: clientCA?.contents[0] ?? '',
        requestHeader: requestHeader && { ...requestHeader, clientCA: requestHeader.clientCAs() },
      }),
      onChange: (listener) => {
        for (const files of authorities) files.onChange(listener);
      },
    }),
    ...(config.resources.features.enabled('APIServerIdentity')
      ? [
          identityLeaseController({
            ...common,
            // Readiness waits for storage versions, and these for the lease.
            ...(recordsStorageVersions(config) && { whenReady: async () => {} }),
            id: apiServerID(hostname),
            hostname,
            newUid,
            ...(peerAddress && { peerAddress }),
          }),
          identityLeaseGarbageCollector(common),
        ]
      : []),
  ];
}

/** Publishes the day since which tokens in secrets are tracked. */
export function tokenTrackingHook({ generic, randomInt: random }: CompletedKubeApiServerConfig): ControllerHook {
  const { clock, signals } = generic;
  const logger = generic.logger.named('identity');
  return legacyTokenTrackingController({ whenReady: () => afterReadiness(signals), clock, logger, random });
}
