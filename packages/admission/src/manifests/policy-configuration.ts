import { OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { ConfigurationError } from '@apiserver/component-base/configuration';
import { decodeConfiguration } from '../plugin-configuration.js';
import { checkManifestsDirectory } from './manifests-directory.js';

const GROUP = 'apiserver.config.k8s.io';

const OTHER: Readonly<Record<string, string>> = {
  MutatingAdmissionPolicy: 'ValidatingAdmissionPolicy',
  ValidatingAdmissionPolicy: 'MutatingAdmissionPolicy',
};

/**
 * The folder with policies that a configuration names; empty if there is none. Throws a ConfigurationError with
 * upstream's messages.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/config
 */
export function readPolicyManifestsDirectory(configuration: unknown, plugin: string, features: FeatureGates): string {
  if (configuration === undefined) return '';
  const { kind, apiVersion }: Readonly<Record<string, unknown>> = Object(configuration);
  const other = `${OTHER[plugin]}Configuration`;
  if (kind === other && apiVersion === `${GROUP}/v1`) {
    throw new ConfigurationError(`unexpected type: *policyconfig.${other}`);
  }
  const { staticManifestsDir = '' } = decodeConfiguration<{ staticManifestsDir?: string }>(configuration, {
    kinds: [{ group: GROUP, version: 'v1', kind: `${plugin}Configuration` }],
    schema: struct(`policyconfig.v1.${plugin}Configuration`, `v1.${plugin}Configuration`, () => [
      ['kind', 0, STRING, OMIT_EMPTY],
      ['apiVersion', 0, STRING, OMIT_EMPTY],
      ['staticManifestsDir', 0, STRING, OMIT_EMPTY],
    ]),
    scheme: 'pkg/admission/plugin/policy/config/config.go:32',
  });
  checkManifestsDirectory(staticManifestsDir, features);
  return staticManifestsDir;
}
