import type { APIService } from '@apiserver/api/apiregistration/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { LOCAL_AVAILABLE, setAvailable } from './conditions.js';
import { validateApiService, validateApiServiceStatusUpdate, validateApiServiceUpdate } from './validation.js';

/**
 * Rules of the main endpoint. What this server answers itself is available from its creation: nobody has to look first.
 * Upstream: k8s.io/kube-aggregator/pkg/registry/apiservice/strategy.go
 */
export function apiServiceStrategy(now: () => number): Strategy<APIService> {
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    resetFields: ['status'],
    prepareForCreate(_context, apiService) {
      apiService.status = {};
      if (apiService.spec.service === undefined) setAvailable(apiService, LOCAL_AVAILABLE, formatTime(now()));
    },
    validate: (_context, apiService) => validateApiService(apiService),
    prepareForUpdate(_context, apiService, old) {
      apiService.status = cloneJson(old.status);
    },
    validateUpdate: (_context, apiService, old) => validateApiServiceUpdate(apiService, old),
  };
}

/** Rules of the status endpoint: of the metadata only what the store keeps itself can change. */
export function apiServiceStatusStrategy(now: () => number): Strategy<APIService> {
  return {
    ...apiServiceStrategy(now),
    resetFields: ['metadata', 'spec'],
    prepareForUpdate(_context, apiService, old) {
      apiService.spec = cloneJson(old.spec);
      const { labels, annotations, finalizers, ownerReferences } = old.metadata;
      Object.assign(apiService.metadata, cloneJson({ labels, annotations, finalizers, ownerReferences }));
    },
    validateUpdate: (_context, apiService, old) => validateApiServiceStatusUpdate(apiService, old),
  };
}
