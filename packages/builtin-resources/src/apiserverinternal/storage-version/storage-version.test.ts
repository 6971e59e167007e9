import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '@apiserver/api/apiserverinternal/v1alpha1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { storageVersions } from './index.js';

const context = testContext({ namespace: '' });
const { strategy, columns, subresources } = storageVersions;
const statusStrategy = subresources['status']?.strategy;

function version(status: StorageVersionStatus = {}, name = 'apps.deployments'): StorageVersion {
  return {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    metadata: { name, uid: 'u', resourceVersion: '1' },
    spec: {},
    status: structuredClone(status),
  };
}

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const FORM =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";

describe('the name', () => {
  it.each<[string, string]>([
    ['core.pods', ''],
    ['events.k8s.io.events', ''],
    ['pods', 'metadata.name: Invalid value: "pods": name must be in the form of <group>.<resource>'],
    [
      'A.1',
      `[metadata.name: Invalid value: "A.1": the group segment ${SUBDOMAIN}, metadata.name: Invalid value: "A.1": the resource segment ${LABEL}]`,
    ],
    ['.pods', `metadata.name: Invalid value: ".pods": the group segment ${SUBDOMAIN}`],
  ])('%s', (name, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, version({}, name)))).toBe(message);
  });
});

it('has no status at first', () => {
  const made = version({ commonEncodingVersion: 'v1' });
  void strategy.prepareForCreate?.(context, made);
  expect(made).toEqual(version());
});

it('is updated with any metadata, and keeps its status', () => {
  const old = version({ commonEncodingVersion: 'v1' });
  const changed = version({}, 'apps.other');
  void strategy.prepareForUpdate?.(context, changed, old);
  expect([changed.status, strategy.validateUpdate(context, changed, old)]).toEqual([old.status, []]);
});

const SERVER: ServerStorageVersion = {
  apiServerID: 'a',
  encodingVersion: 'v1',
  decodableVersions: ['v1', 'v1beta1'],
  servedVersions: ['v1'],
};
const at = 'status.storageVersions[0]';
const COMMON = 'status.commonEncodingVersion: Invalid value:';
const CONDITION: StorageVersionCondition = { type: 'A', status: 'True', reason: 'R', message: 'm' };

describe('the status', () => {
  it.each<[string, StorageVersionStatus, string]>([
    ['nothing', {}, ''],
    ['one server', { storageVersions: [SERVER], commonEncodingVersion: 'v1', conditions: [CONDITION] }, ''],
    [
      'servers that differ',
      { storageVersions: [SERVER, { ...SERVER, apiServerID: 'b', encodingVersion: 'v1beta1' }] },
      '',
    ],
    [
      'no server, but a version',
      { commonEncodingVersion: 'v1' },
      `${COMMON} "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet`,
    ],
    ['no common version', { storageVersions: [SERVER] }, `${COMMON} null: the common encoding version is v1`],
    [
      'another common version',
      { storageVersions: [SERVER], commonEncodingVersion: 'v2' },
      `${COMMON} "v2": the actual common encoding version is v1`,
    ],
    [
      'a server twice',
      { storageVersions: [SERVER, SERVER], commonEncodingVersion: 'v1' },
      'status.storageVersions[1].apiServerID: Duplicate value: "a"',
    ],
    [
      'an invalid server',
      {
        storageVersions: [
          { apiServerID: 'A', encodingVersion: '/V1', decodableVersions: ['a/b/c', ''], servedVersions: ['v2'] },
        ],
        commonEncodingVersion: '/V1',
      },
      `[${at}.apiServerID: Invalid value: "A": ${SUBDOMAIN}, ${at}.encodingVersion: Invalid value: "/V1": group part: must be non-empty,version part: ${LABEL}, ${at}.decodableVersions[0]: Invalid value: "a/b/c": ${FORM}, ${at}.decodableVersions[1]: Invalid value: "": version part: must be non-empty, ${at}.decodableVersions: Invalid value: ["a/b/c",""]: decodableVersions must include encodingVersion /V1, ${at}.servedVersions[0]: Invalid value: "v2": individual served version : v2 must be included in decodableVersions : [a/b/c ]]`,
    ],
    [
      'no decodable version',
      { storageVersions: [{ apiServerID: 'a', encodingVersion: 'v1' }], commonEncodingVersion: 'v1' },
      `${at}.decodableVersions: Invalid value: null: decodableVersions must include encodingVersion v1`,
    ],
    [
      'conditions, whose paths lack the list',
      { conditions: [CONDITION, { ...CONDITION, status: '', reason: '', message: '' }] },
      `[status[1].type: Invalid value: "A": the type of the condition is not unique, it also appears in conditions[0], status[1].status: Invalid value: "": name part must be non-empty, status[1].status: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), status[1].reason: Required value: reason cannot be empty, status[1].message: Required value: message cannot be empty]`,
    ],
    [
      'a condition three times',
      { conditions: [CONDITION, CONDITION, CONDITION] },
      '[status[1].type: Invalid value: "A": the type of the condition is not unique, it also appears in conditions[0], status[2].type: Invalid value: "A": the type of the condition is not unique, it also appears in conditions[1]]',
    ],
  ])('%s', (_what, status, message) => {
    expect(aggregateFieldErrors(statusStrategy?.validateUpdate(context, version(status), version()) ?? [])).toBe(
      message,
    );
  });

  it('changes alone', () => {
    const changed = version({ conditions: [CONDITION] });
    changed.metadata.labels = { a: 'b' };
    void statusStrategy?.prepareForUpdate?.(context, changed, version());
    expect(changed).toEqual(version({ conditions: [CONDITION] }));
  });
});

it('shows three servers and the number of others', () => {
  const servers = ['a', 'b', 'c', 'd', 'e'].map((apiServerID) => ({ ...SERVER, apiServerID }));
  const cells = (status?: StorageVersionStatus) => columns.map((column) => column.cell(version(status), rowTime(0)));
  expect([cells(), cells({ storageVersions: servers, commonEncodingVersion: 'v1' })]).toEqual([
    ['apps.deployments', '<unset>', '<unset>', '<unknown>'],
    ['apps.deployments', 'v1', 'a=v1,b=v1,c=v1 + 2 more...', '<unknown>'],
  ]);
});
