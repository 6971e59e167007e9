import type { Ingress } from '@apiserver/api/networking/v1';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateLegacyIP } from '../../core/validation/ip-fields.js';

const INGRESS = FieldPath.of('status', 'loadBalancer', 'ingress');

/** Upstream: ValidateIngressStatusUpdate of pkg/apis/networking/validation/validation.go */
export function validateIngressStatusUpdate(ingress: Ingress, old: Ingress, strict: boolean): readonly FieldError[] {
  const existing = new Set((old.status.loadBalancer.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : [])));
  return [
    ...validateBuiltInObjectMetaUpdate(ingress.metadata, old.metadata),
    ...(ingress.status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }, i) => [
      ...(ip ? validateLegacyIP(ip, INGRESS.index(i).child('ip'), { strict, existing }) : []),
      ...(hostname ? validateHostname(hostname, INGRESS.index(i).child('hostname')) : []),
    ]),
  ];
}

function validateHostname(hostname: string, path: FieldPath): FieldError[] {
  const errors = isDNS1123Subdomain(hostname).map((fault) => fieldInvalid(path, hostname, fault));
  if (parseIPAddress(hostname) === undefined) return errors;
  return [...errors, fieldInvalid(path, hostname, 'must be a DNS name, not an IP address')];
}
