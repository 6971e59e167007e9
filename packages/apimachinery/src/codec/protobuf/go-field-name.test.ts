import { expect, it } from 'vitest';
import { STRING, struct } from '../../schema/builders.js';
import { goFieldName } from './go-field-name.js';

const owner = (goName: string) => struct('', goName, () => []);

it.each([
  ['v1.LeaseSpec', 'leaseTransitions', 'LeaseTransitions'],
  ['v1.PodSpec', 'dnsPolicy', 'DNSPolicy'],
  ['v1.PodSpec', 'serviceAccount', 'DeprecatedServiceAccount'],
  ['v1.ServiceAccountTokenProjection', 'serviceAccount', 'ServiceAccount'],
  ['v1.RBDVolumeSource', 'monitors', 'CephMonitors'],
  ['v1.CephFSVolumeSource', 'monitors', 'Monitors'],
  ['v1.JSONSchemaProps', '$ref', 'Ref'],
  ['v1.JSONSchemaProps', 'constructor', 'Constructor'],
])('Go calls the field of %s that JSON calls %s %s', (goName, name, expected) => {
  expect(goFieldName(owner(goName), { name, schema: STRING })).toBe(expected);
});

it.each(['ObjectMeta', 'ListMeta'])('Go calls metadata by its type: %s', (type) => {
  expect(goFieldName(owner('v1.Pod'), { name: 'metadata', schema: owner(`v1.${type}`) })).toBe(type);
});
