import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { admissionRequestHead, type SelectedVersion } from '../admission-request-head.js';
import { operationOptions } from '../operation-options.js';

/**
 * The value of `request` in expressions: an AdmissionRequest without its objects. Members that are always there, but
 * have no declared type, are null or empty as upstream.
 *
 * Upstream: CreateAdmissionRequest in k8s.io/apiserver/pkg/admission/plugin/cel/condition.go
 */
export function admissionRequest(attributes: AdmissionAttributes, version: SelectedVersion): unknown {
  return {
    ...admissionRequestHead(attributes, version),
    object: null,
    oldObject: null,
    dryRun: attributes.dryRun,
    options: operationOptions(attributes) ?? null,
  };
}
