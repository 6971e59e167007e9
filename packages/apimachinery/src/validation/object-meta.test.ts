import { describe, expect, it } from 'vitest';
import { fieldErrorMessage } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import type { ObjectMeta } from '../types/object-meta.js';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.js';
import { nameIsDNSSubdomain } from './object-name.js';

const path = FieldPath.of('metadata');
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const LABEL_KEY =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

function messages(meta: ObjectMeta, namespaced = true): string[] {
  return validateObjectMeta(meta, { namespaced, validateName: nameIsDNSSubdomain, path }).map(fieldErrorMessage);
}

const named = { name: 'a', namespace: 'default' };
/** More values than a call accepts as arguments. */
const MANY = 150_000;
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

describe('validateObjectMeta', () => {
  it.each<readonly [string, ObjectMeta, readonly string[]]>([
    [
      'a valid one',
      {
        ...named,
        labels: { 'a.b/c': '', d: 'E_f' },
        annotations: { 'UPPER.com/x': '!' },
        ownerReferences: [owner],
        finalizers: ['kubernetes', 'a.com/b'],
        generateName: 'a-',
      },
      [],
    ],
    ['no name', { namespace: 'n' }, ['metadata.name: Required value: name or generateName is required']],
    ['a bad name', { name: 'a_b', namespace: 'n' }, [`metadata.name: Invalid value: "a_b": ${SUBDOMAIN}`]],
    [
      'a long name',
      { name: 'n'.repeat(254), namespace: 'n' },
      [`metadata.name: Invalid value: "${'n'.repeat(254)}": must be no more than 253 characters`],
    ],
    [
      'a bad generateName',
      { name: 'a', generateName: 'A_b-', namespace: 'n' },
      [`metadata.generateName: Invalid value: "A_b-": ${SUBDOMAIN}`],
    ],
    ['no namespace', { name: 'a' }, ['metadata.namespace: Required value']],
    [
      'a dotted namespace',
      { name: 'a', namespace: 'a.b' },
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    ['a bad namespace', { name: 'a', namespace: '-' }, [`metadata.namespace: Invalid value: "-": ${LABEL}`]],
    [
      'a negative generation',
      { ...named, generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'bad label values',
      { ...named, labels: { ok: 'with space', long: 'x'.repeat(64) } },
      [
        `metadata.labels: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
        `metadata.labels: Invalid value: "with space": ${LABEL_VALUE}`,
      ],
    ],
    [
      'bad label keys',
      { ...named, labels: { 'a/b/c': '1', '/x': '1', 'Bad_Domain/x': '1', '': '1' } },
      [
        'metadata.labels: Invalid value: "": name part must be non-empty',
        `metadata.labels: Invalid value: "": ${NAME_PART}`,
        'metadata.labels: Invalid value: "/x": prefix part must be non-empty',
        `metadata.labels: Invalid value: "Bad_Domain/x": prefix part ${SUBDOMAIN}`,
        `metadata.labels: Invalid value: "a/b/c": ${LABEL_KEY}`,
      ],
    ],
    [
      'a bad annotation key',
      { ...named, annotations: { 'sp ace': '1' } },
      [`metadata.annotations: Invalid value: "sp ace": ${NAME_PART}`],
    ],
    [
      'big annotations',
      { ...named, annotations: { a: 'é'.repeat(131072) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'an owner without uid',
      { ...named, ownerReferences: [{ ...owner, uid: '' }] },
      ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
    ],
    [
      'an empty owner',
      { ...named, ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: 'u' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      ],
    ],
    [
      'an Event as owner',
      { ...named, ownerReferences: [{ ...owner, kind: 'Event' }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'two controllers',
      {
        ...named,
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'q', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"u","controller":true}]: ' +
          'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      ],
    ],
    [
      'contrary finalizers',
      { ...named, finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'bad managed fields',
      {
        ...named,
        managedFields: [{ manager: 'm\u0007', operation: 'Delete', fieldsType: 'X', subresource: 's'.repeat(257) }],
      },
      [
        'metadata.managedFields[0].operation: Invalid value: "Delete": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "X": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "m\\a": invalid character U+0007 (at position 1)',
        'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
      ],
    ],
  ])('%s', (_, meta, expected) => {
    expect(messages(meta)).toEqual(expected);
  });

  it.each<readonly [string, (count: number) => ObjectMeta]>([
    ['labels', (count) => ({ labels: Object.fromEntries(numbers(count).map((n) => [`l${n}`, '!'])) })],
    ['annotations', (count) => ({ annotations: Object.fromEntries(numbers(count).map((n) => [`!${n}`, ''])) })],
    ['ownerReferences', (count) => ({ ownerReferences: numbers(count).map(() => ({ ...owner, uid: '' })) })],
    ['finalizers', (count) => ({ finalizers: numbers(count).map(() => '!') })],
    ['managedFields', (count) => ({ managedFields: numbers(count).map(() => ({ fieldsType: 'X' })) })],
  ])('finds faults in %s, however many there are', (_, faulty) => {
    expect(messages({ ...named, ...faulty(MANY) }).length).toBeGreaterThanOrEqual(MANY);
  });

  it('allows no namespace on cluster-scoped objects', () => {
    expect([messages(named, false), messages({ name: 'a' }, false)]).toEqual([
      ['metadata.namespace: Forbidden: not allowed on this type'],
      [],
    ]);
  });
});

describe('validateObjectMetaUpdate', () => {
  const old: ObjectMeta = {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '5',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['a.com/x'],
  };
  const deleted = { ...old, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 0 };

  it.each<readonly [string, ObjectMeta, ObjectMeta, readonly string[]]>([
    ['no change', old, old, []],
    ['a new finalizer', old, { ...old, finalizers: ['a.com/y', 'a.com/x'] }, []],
    [
      'new finalizers while being deleted',
      deleted,
      { ...deleted, finalizers: ['a.com/z', 'a.com/x', 'a.com/y'] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.com/y", "a.com/z"}',
      ],
    ],
    [
      'everything that cannot change',
      deleted,
      { generation: 1, uid: 'v', name: 'b' },
      [
        'metadata.resourceVersion: Invalid value: "": must be specified for an update',
        'metadata.generation: Invalid value: 1: must not be decremented',
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.namespace: Invalid value: "": field is immutable',
        'metadata.uid: Invalid value: "v": field is immutable',
        'metadata.creationTimestamp: Invalid value: null: field is immutable',
        'metadata.deletionTimestamp: Invalid value: null: field is immutable',
        'metadata.deletionGracePeriodSeconds: Invalid value: null: field is immutable',
      ],
    ],
    ['a bad label', old, { ...old, labels: { a: 'a b' } }, [`metadata.labels: Invalid value: "a b": ${LABEL_VALUE}`]],
  ])('%s', (_, oldMeta, newMeta, expected) => {
    expect(validateObjectMetaUpdate(newMeta, oldMeta, path).map(fieldErrorMessage)).toEqual(expected);
  });
});
