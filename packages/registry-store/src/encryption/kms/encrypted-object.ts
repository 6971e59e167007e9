import {
  aggregateMessages,
  CappedErrors,
  type FieldError,
  FieldPath,
  fieldErrorMessage,
  fieldInvalid,
  fieldRequired,
  TEXT_CAP,
} from '@apiserver/apimachinery/field';
import { isDNS1123Label, isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { BoundedReader } from '../../grpc/bounded-reader.js';
import { EncryptionError } from '../encryption-error.js';
import { type Annotations, readAnnotation, readFields, writeAnnotations } from './kms-messages.js';

const KIB = 1024;
const MAX_KEY_ID = KIB;
const MAX_SOURCE = KIB;
const MAX_ANNOTATIONS = 32 * KIB;

/** The content of a decrypted source: the key itself, or a seed from which keys are derived. */
export const SourceType = { aesGcmKey: 0, seed: 1 } as const;

/** The source of a value's key, encrypted by a plugin. */
export interface KeySource {
  readonly keyId: string;
  readonly encryptedSource: Uint8Array;
  readonly annotations: Annotations;
  readonly sourceType: number;
}

/** An encrypted value with the source of its key. Upstream: kmsv2/v2/api.proto (EncryptedObject) */
export interface EncryptedObject extends KeySource {
  readonly encryptedData: Uint8Array;
}

/** Everything of an EncryptedObject except its data, which comes first. */
export function encodeKeySource({ keyId, encryptedSource, annotations, sourceType }: KeySource): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(2, WireType.LengthDelimited).string(keyId);
  writer.tag(3, WireType.LengthDelimited).bytes(encryptedSource);
  writeAnnotations(writer, 4, annotations);
  if (sourceType !== 0) writer.tag(5, WireType.Varint).int32(sourceType);
  return writer.finish();
}

/** `source` was made by encodeKeySource. */
export function encodeEncryptedObject(data: Uint8Array, source: Uint8Array): Uint8Array {
  const head = new BinaryWriter().tag(1, WireType.LengthDelimited).uint32(data.length).finish();
  return Buffer.concat([head, data, source]);
}

/** The data is a view into `bytes`. Throws for another message, or one that breaks a rule. */
export function decodeEncryptedObject(bytes: Uint8Array): EncryptedObject {
  const reader = new BoundedReader(bytes);
  const annotations = new Map<string, Uint8Array>();
  const object = {
    encryptedData: new Uint8Array(0) as Uint8Array,
    keyId: '',
    encryptedSource: new Uint8Array(0) as Uint8Array,
    annotations,
    sourceType: 0,
  };
  readFields(reader, (field) => {
    if (field === 1) object.encryptedData = reader.bytes();
    else if (field === 2) object.keyId = reader.string();
    else if (field === 3) object.encryptedSource = reader.bytes();
    else if (field === 4) readAnnotation(reader, annotations);
    else if (field === 5) object.sourceType = reader.int32();
    else return false;
    return true;
  });
  // In upstream's order: errors of the source come after this.
  if (isKnown(object.sourceType) && object.encryptedData.length === 0) {
    throw new EncryptionError('encrypted data is empty');
  }
  validateKeySource(object);
  return object;
}

/**
 * Throws an EncryptionError for data that a plugin must not return. Upstream: ValidateEncryptedObject of
 * kmsv2/envelope.go
 */
export function validateKeySource({ keyId, encryptedSource, annotations, sourceType }: KeySource): void {
  if (!isKnown(sourceType)) throw new EncryptionError(`unknown encryptedDEKSourceType: ${sourceType}`);
  const wrong = sourceFault(encryptedSource);
  if (wrong !== undefined) throw new EncryptionError(`failed to validate encrypted DEK source: ${wrong}`);
  const fault = keyIdFault(keyId);
  if (fault !== undefined) throw new EncryptionError(`failed to validate key id: ${fault.message}`);
  const faults = annotationFaults(annotations);
  if (faults.length > 0) throw new EncryptionError(`failed to validate annotations: ${aggregateMessages(faults)}`);
}

/** The error of a key's name, and its label in metrics. Upstream: ValidateKeyID */
export function keyIdFault(
  keyId: string,
): { readonly code: 'empty' | 'too_long'; readonly message: string } | undefined {
  if (keyId === '') return { code: 'empty', message: 'keyID is empty' };
  const length = Buffer.byteLength(keyId);
  if (length <= MAX_KEY_ID) return undefined;
  return { code: 'too_long', message: `keyID is ${length} bytes, which exceeds the max size of ${MAX_KEY_ID}` };
}

/** A string that is equal for two sources if and only if they are. Upstream: generateCacheKey */
export function cacheKeyOf({ keyId, encryptedSource, annotations, sourceType }: KeySource): string {
  const parts = [String(sourceType), latin1(encryptedSource), latin1(Buffer.from(keyId))];
  for (const name of [...annotations.keys()].sort()) {
    parts.push(name, latin1(annotations.get(name) ?? new Uint8Array(0)));
  }
  return parts.map((part) => `${part.length}:${part}`).join('');
}

function isKnown(sourceType: number): boolean {
  return sourceType === SourceType.aesGcmKey || sourceType === SourceType.seed;
}

function sourceFault({ length }: Uint8Array): string | undefined {
  if (length === 0) return 'encrypted DEK source is empty';
  if (length <= MAX_SOURCE) return undefined;
  return `encrypted DEK source is ${length} bytes, which exceeds the max size of ${MAX_SOURCE}`;
}

function annotationFaults(annotations: Annotations): string[] {
  const faults = new CappedErrors(TEXT_CAP);
  let size = 0;
  for (const [name, value] of annotations) {
    size += Buffer.byteLength(name) + value.length;
    if (faults.isFull) continue;
    const errors = domainErrors(name);
    if (errors.length > 0) faults.add(aggregateMessages(errors.map(fieldErrorMessage)));
  }
  if (size > MAX_ANNOTATIONS) {
    faults.add(`total size of annotations is ${size}, which exceeds the max size of ${MAX_ANNOTATIONS}`);
  }
  return faults.list();
}

/** Upstream: IsFullyQualifiedDomainName of k8s.io/apimachinery/pkg/util/validation */
function domainErrors(name: string): readonly FieldError[] {
  const path = FieldPath.of('annotations');
  if (name === '') return [fieldRequired(path, '')];
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const wrong = isDNS1123Subdomain(domain);
  if (wrong.length > 0) return [fieldInvalid(path, domain, wrong.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2) {
    return [fieldInvalid(path, domain, 'should be a domain with at least two segments separated by dots')];
  }
  for (const label of labels) {
    const errors = isDNS1123Label(label);
    if (errors.length > 0) return [fieldInvalid(path, label, errors.join(','))];
  }
  return [];
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
