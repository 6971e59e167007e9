import type { APIService } from '@apiserver/api/apiregistration/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { LOCAL_AVAILABLE, setAvailable } from './conditions.js';
import { validateApiService, validateApiServiceStatusUpdate, validateApiServiceUpdate } from './validation.js';

/**
 * Strategy of the main endpoint. An APIService without a service is available from its creation, without a check.
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

/** Strategy of the status endpoint. Of the metadata, only the fields that the store maintains can change. */
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
