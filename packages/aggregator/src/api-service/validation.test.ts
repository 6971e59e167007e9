import type { APIService, APIServiceSpec } from '@apiserver/api/apiregistration/v1';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { validateApiService, validateApiServiceStatusUpdate } from './validation.js';

const apiService = (name: string, spec: Partial<APIServiceSpec>, status: APIService['status'] = {}): APIService => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name, resourceVersion: '1' },
  spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, ...spec },
  status,
});
const service = { namespace: 'ns', name: 's', port: 443 };
const messages = (errors: ReturnType<typeof validateApiService>) => errors.map(fieldErrorMessage);

describe('validateApiService', () => {
  it.each<[string, string, Partial<APIServiceSpec>, readonly string[]]>([
    ['a local one', 'v1.example.com', {}, []],
    ['the core group', 'v1.', { group: '' }, []],
    ['a remote one', 'v1.example.com', { service, caBundle: 'AAAA' }, []],
    [
      'a name that says something else',
      'v2.example.com',
      {},
      ['metadata.name: Invalid value: "v2.example.com": must be `spec.version+"."+spec.group`: "v1.example.com"'],
    ],
    [
      'another version of no group',
      'v2.',
      { group: '', version: 'v2' },
      ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
    ],
    [
      'priorities out of range',
      'v1.example.com',
      { groupPriorityMinimum: 20_001, versionPriority: 0 },
      [
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      ],
    ],
    [
      'trust without a service',
      'v1.example.com',
      { caBundle: 'AAAA', insecureSkipTLSVerify: true },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
    [
      'a port out of range',
      'v1.example.com',
      { service: { namespace: 'ns', name: 's', port: 65_536 } },
      ['spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive'],
    ],
    [
      'a service without names, and two kinds of trust',
      'v1.example.com',
      { service: {}, caBundle: 'AAAA', insecureSkipTLSVerify: true },
      [
        'spec.service.namespace: Required value',
        'spec.service.name: Required value',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
      ],
    ],
  ])('%s', (_, name, spec, expected) => {
    expect(messages(validateApiService(apiService(name, spec)))).toEqual(expected);
  });

  it('judges the prefix of a generated name as a name', () => {
    const made = apiService('v1.example.com', {});
    expect(messages(validateApiService({ ...made, metadata: { ...made.metadata, generateName: '..' } }))).toEqual([
      `metadata.generateName: Invalid value: "..": may not be '..'`,
    ]);
  });

  it('accepts three statuses of a condition', () => {
    const old = apiService('v1.example.com', {});
    const changed = apiService('v1.example.com', {}, { conditions: [{ type: 'Available', status: '<Perhaps' }] });
    expect(messages(validateApiServiceStatusUpdate(changed, old))).toEqual([
      'status.conditions[0].status: Unsupported value: "\\u003cPerhaps": supported values: "True", "False", "Unknown"',
    ]);
  });
});
