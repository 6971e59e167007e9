import type { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { Logger } from '@apiserver/apiserver-contracts';
import { PolicyTypeChecker } from '@apiserver/builtin-resources';
import { type ControllerContext, runPolicyStatus } from '@apiserver/controlplane';
import { createInformer } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { servedOpenApi } from '../config/served-open-api.js';
import { servedKinds } from '../config/served-resources.js';
import { afterReadiness } from './after-readiness.js';

const POLICIES = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' };

/**
 * Starts to check the types of admission policies when the server is ready. Upstream's kube-controller-manager does
 * this, so no health check waits for it.
 */
export function startPolicyStatus(config: CompletedKubeApiServerConfig, context: ControllerContext): void {
  if (!config.enabled.isEnabled(POLICIES)) return;
  const logger = config.generic.logger.named('policy-status');
  runController(context, config, logger).catch((error: unknown) => {
    if (context.signal.aborted) return;
    logger.error(error, 'The check of types in policies has failed, and is stopped until the server is started again');
  });
}

async function runController(
  { loopbackClient, signal }: ControllerContext,
  { generic, storage, randomInt: random }: CompletedKubeApiServerConfig,
  logger: Logger,
): Promise<void> {
  const { clock, loopback, signals } = generic;
  await afterReadiness(signals);
  if (signal.aborted) return;
  const client = loopbackClient.resource<ValidatingAdmissionPolicy>(POLICIES);
  const firstUse = storage.provider.firstUse(POLICIES);
  await using informer = createInformer({ client, clock, random, logger, firstUse });
  const checker = new PolicyTypeChecker({ kindsOf: servedKinds(loopback), openApiOf: servedOpenApi(loopback) });
  await runPolicyStatus({ informer, client, checker, clock, logger }, signal);
}
