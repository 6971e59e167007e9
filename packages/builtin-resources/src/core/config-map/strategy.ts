import type { ConfigMap } from '@apiserver/api/core/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateConfigMap, validateConfigMapUpdate } from './validation.js';

/** Upstream: pkg/registry/core/configmap/strategy.go */
export const configMapStrategy: Strategy<ConfigMap> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, configMap) => validateConfigMap(configMap),
  validateUpdate: (_context, configMap, old) => validateConfigMapUpdate(configMap, old),
};
