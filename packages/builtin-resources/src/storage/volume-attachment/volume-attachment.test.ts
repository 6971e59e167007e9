import type { PersistentVolumeSpec } from '@apiserver/api/core/v1';
import type { VolumeAttachment, VolumeAttachmentSpec, VolumeAttachmentStatus } from '@apiserver/api/storage/v1';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { volumeAttachments } from './index.js';

const context = testContext({ namespace: '' });
const { strategy, columns, subresources, versions } = volumeAttachments;
const status = subresources['status']?.strategy ?? strategy;

function attachment(
  spec: Partial<VolumeAttachmentSpec> = {},
  state: VolumeAttachmentStatus = { attached: false },
): VolumeAttachment {
  const made: VolumeAttachment = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec: { attacher: 'd.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' }, ...structuredClone(spec) },
    status: structuredClone(state),
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

const CSI = { driver: 'd.example.com', volumeHandle: 'h' };
const INLINE: PersistentVolumeSpec = { csi: CSI, accessModes: ['ReadWriteOnce'] };
const inline = (fields: PersistentVolumeSpec) => ({ source: { inlineVolumeSpec: fields } });
const NOT_INLINE = 'may not be specified in the context of inline volumes';
const ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
const AT = 'spec.source.inlineVolumeSpec';

it.each<[string, Partial<VolumeAttachmentSpec>, string]>([
  ['the smallest', {}, ''],
  ['an inline volume', inline(INLINE), ''],
  ['no source', { source: {} }, `spec.source: Required value: ${ONE}`],
  [
    'two sources',
    { source: { persistentVolumeName: 'v', inlineVolumeSpec: INLINE } },
    `spec.source: Forbidden: ${ONE}`,
  ],
  [
    'a volume inside with what only others have',
    inline({
      ...INLINE,
      claimRef: {},
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Delete',
      nodeAffinity: {},
      storageClassName: 's',
      volumeMode: 'Block',
      volumeAttributesClassName: '',
    }),
    `[${AT}.claimRef: Forbidden: ${NOT_INLINE}, ${AT}.capacity: Forbidden: ${NOT_INLINE}, ${AT}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes, ${AT}.nodeAffinity: Forbidden: ${NOT_INLINE}, ${AT}.storageClassName: Forbidden: ${NOT_INLINE}, ${AT}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes, ${AT}.volumeAttributesClassName: Required value: an empty string is disallowed]`,
  ],
  [
    'a volume inside that is no CSI volume',
    inline({ hostPath: { path: '/a' } }),
    `[${AT}.csi: Required value: has to be specified in the context of inline volumes, ${AT}.accessModes: Required value]`,
  ],
])('%s', (_what, spec, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, attachment(spec)))).toBe(message);
});

it('validates the names of driver and volume once on create and on update', () => {
  const fields = (errors: readonly FieldError[]) => errors.map(({ type, field }) => `${field}: ${type}`);
  const unnamed = attachment({ attacher: '', source: { persistentVolumeName: '' } });
  const volume = 'spec.source.persistentVolumeName';
  const missing = [
    'spec.attacher: FieldValueRequired',
    `${volume}: FieldValueRequired`,
    `${volume}: FieldValueInvalid`,
  ];
  expect(fields(strategy.validate(context, unnamed))).toEqual(missing);
  const odd = attachment({ attacher: 'a_b', source: { persistentVolumeName: 'V' } });
  const wrong = ['spec.attacher: FieldValueInvalid', `${volume}: FieldValueInvalid`];
  expect(fields(strategy.validate(context, odd))).toEqual(wrong);
  expect(fields(strategy.validateUpdate(context, odd, odd))).toEqual(wrong);
});

it('is immutable', () => {
  const errors = strategy.validateUpdate(context, attachment({ nodeName: 'm' }), attachment());
  expect(aggregateFieldErrors(errors)).toBe(
    'spec: Invalid value: {"Attacher":"d.example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
  );
});

it.each<[string, VolumeAttachmentStatus, string]>([
  ['attached', { attached: true, attachmentMetadata: { path: '/dev/a' } }, ''],
  [
    'too much about the volume',
    { attached: true, attachmentMetadata: { a: 'x'.repeat(256 * 1024) } },
    'status.attachmentMetadata: Too long: may not be more than 262144 bytes',
  ],
  [
    'faults that are told at length',
    { attached: false, attachError: { message: 'x'.repeat(1025) }, detachError: { errorCode: -1 } },
    '[status.attachError.message: Too long: may not be more than 262144 bytes, status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive]',
  ],
])('with the status %s', (_what, state, message) => {
  const errors = status.validateUpdate(context, attachment({}, state), attachment());
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it('updates spec and status separately', () => {
  const made = attachment({}, { attached: true });
  void strategy.prepareForCreate?.(context, made);
  expect(made.status).toEqual({ attached: false });
  const old = attachment({}, { attached: true });
  const update = attachment();
  void strategy.prepareForUpdate?.(context, update, old);
  expect(update.status).toEqual({ attached: true });
  const written = attachment({ nodeName: 'm' }, { attached: true });
  written.metadata = { ...written.metadata, labels: { a: 'b' }, finalizers: ['x/y'] };
  const before = attachment();
  before.metadata.annotations = { c: 'd' };
  void status.prepareForUpdate?.(context, written, before);
  expect(written).toEqual({ ...before, status: { attached: true } });
});

it('shows volume, node and status', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  const cells = columns.map((column) => column.cell(attachment({}, { attached: true }), now));
  expect(cells).toEqual(['a', 'd.example.com', 'v', 'n', true, '<unknown>']);
});
