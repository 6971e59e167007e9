import type { ResourcePoolStatusRequest } from '@apiserver/api/resource/v1alpha3';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { validateResourcePoolStatusRequestStatusUpdate } from './status-validation.js';
import { validateResourcePoolStatusRequest, validateResourcePoolStatusRequestUpdate } from './validation.js';

/** Upstream: pkg/registry/resource/resourcepoolstatusrequest/strategy.go */
export const resourcePoolStatusRequestStrategy: Strategy<ResourcePoolStatusRequest> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: ['status'],
  prepareForCreate(_context, request) {
    delete request.status;
  },
  validate: (_context, request) => validateResourcePoolStatusRequest(request),
  prepareForUpdate(_context, request, old) {
    if (old.status === undefined) delete request.status;
    else request.status = cloneJson(old.status);
  },
  validateUpdate: (_context, request, old) => validateResourcePoolStatusRequestUpdate(request, old),
};

/** Strategy of the status endpoint. */
export const resourcePoolStatusRequestStatusStrategy: Strategy<ResourcePoolStatusRequest> = {
  ...resourcePoolStatusRequestStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate: (_context, request, old) => restoreForStatus(request, old),
  validateUpdate: (_context, request, old) => validateResourcePoolStatusRequestStatusUpdate(request, old),
};
