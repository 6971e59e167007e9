import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import { isMembers } from '@apiserver/apimachinery/json';
import { once } from '@apiserver/apimachinery/lazy';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Writes a JSON value as a field of a message. The value is never undefined. */
export interface WriteField {
  (writer: BinaryWriter, field: number, value: unknown): void;
  /** The same in steps, for fields that contain maps of a document. */
  readonly steps?: WriteSteps | undefined;
}

type WriteSteps = (writer: BinaryWriter, field: number, value: unknown) => Generator<void, void>;

function withSteps(write: WriteField, steps: WriteSteps): WriteField {
  return Object.assign((...given: Parameters<WriteField>) => write(...given), { steps });
}

/** The fields of a message by JSON name: protobuf number and how to write it. */
export type MessageFields = Readonly<Record<string, readonly [field: number, write: WriteField]>>;

/** A message: its declared fields, and the form of extensions. */
export interface MessageType {
  fields(): MessageFields;
  /** The field of entries whose JSON name starts with `x-`; 0 if the message has none. */
  readonly extensions: number;
}

/** A message type; `fields` is called once, on first use, so that types may contain themselves. */
export function message(fields: () => MessageFields, extensions = 0): MessageType {
  return { extensions, fields: once(fields) };
}

export const text: WriteField = (writer, field, value) => {
  if (typeof value === 'string' && value !== '') writer.tag(field, WireType.LengthDelimited).string(value);
};
export const flag: WriteField = (writer, field, value) => {
  if (value === true) writer.tag(field, WireType.Varint).bool(true);
};
export const integer: WriteField = (writer, field, value) => {
  if (typeof value === 'number' && value !== 0) writer.tag(field, WireType.Varint).int64(value);
};
export const double: WriteField = (writer, field, value) => {
  if (typeof value === 'number' && value !== 0) writer.tag(field, WireType.Bit64).double(value);
};

/** Every element of an array under the same field number. */
export function repeated(write: WriteField): WriteField {
  return (writer, field, value) => {
    for (const element of Array.isArray(value) ? value : [value]) write(writer, field, element);
  };
}

/** Strings of an array, empty ones included. */
export const texts: WriteField = repeated((writer, field, value) => {
  if (typeof value === 'string') writer.tag(field, WireType.LengthDelimited).string(value);
});

/** The output of `write`, as a nested message. */
export function nested(write: (writer: BinaryWriter, value: unknown) => void): WriteField {
  return (writer, field, value) => {
    writer.tag(field, WireType.LengthDelimited).fork();
    write(writer, value);
    writer.join();
  };
}

/** Writes a message of the type. */
export function of(type: MessageType): WriteField {
  return withSteps(
    nested((writer, value) => writeMessage(writer, type, value)),
    function* (writer, field, value) {
      writer.tag(field, WireType.LengthDelimited).fork();
      yield* messageSteps(writer, type, value);
      writer.join();
    },
  );
}

/** Writes a message with a single field. The schema wraps alternatives in this way. */
export function wrapped(number: number, write: WriteField): WriteField {
  const { steps } = write;
  const whole = nested((writer, value) => write(writer, number, value));
  if (steps === undefined) return whole;
  return withSteps(whole, function* (writer, field, value) {
    writer.tag(field, WireType.LengthDelimited).fork();
    yield* steps(writer, number, value);
    writer.join();
  });
}

/** Writes a map as a list of messages with name and value, in the order of its keys. `keep` selects entries. */
export function named(write: WriteField, keep: (key: string) => boolean = () => true): WriteField {
  const steps: WriteSteps = function* (writer, field, value) {
    for (const [key, entry] of members(value)) {
      if (keep(key)) entryOf(key, write)(writer, field, entry);
      yield;
    }
  };
  return withSteps((writer, field, value) => {
    for (const [key, entry] of members(value)) {
      if (keep(key)) entryOf(key, write)(writer, field, entry);
    }
  }, steps);
}

function entryOf(key: string, write: WriteField): WriteField {
  return nested((writer, value) => {
    text(writer, 1, key);
    write(writer, 2, value);
  });
}

/** Writes the fields of a message in ascending order, each once. */
function writeMessage(writer: BinaryWriter, type: MessageType, value: unknown): void {
  for (const { number, write, value: member } of presentFields(type, value)) write(writer, number, member);
  if (type.extensions > 0) namedAny(writer, type.extensions, value);
}

/** The same, in a step for each entry of the maps in it; those of entries have no steps. */
function* messageSteps(writer: BinaryWriter, type: MessageType, value: unknown): Generator<void, void> {
  for (const { number, write, value: member } of presentFields(type, value)) {
    if (write.steps === undefined) write(writer, number, member);
    else yield* write.steps(writer, number, member);
  }
  if (type.extensions > 0) namedAny(writer, type.extensions, value);
}

function presentFields(type: MessageType, value: unknown) {
  const fields = type.fields();
  const present = members(value).flatMap(([name, member]) => {
    const known = fields[name];
    return known === undefined ? [] : [{ number: known[0], write: known[1], value: member }];
  });
  return present.sort((a, b) => a.number - b.number);
}

/** Encodes a whole message in steps. */
export function* encodeMessageOf(type: MessageType, value: unknown): Generator<void, Uint8Array> {
  const writer = new BinaryWriter();
  yield* messageSteps(writer, type, value);
  return writer.finish();
}

function members(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Any value, as YAML text. */
export const any: WriteField = nested((writer, value) => text(writer, 2, yamlOf(value)));

const namedAny = named(any, (key) => key.startsWith('x-'));

/** Upstream indents what is nested deeper than a list of maps by four blanks; the readers parse YAML. */
function yamlOf(value: unknown): string {
  const simple = simpleYaml(value);
  return simple === undefined ? Buffer.from(encodeYaml(value)).toString() : `${simple}\n`;
}

/** A word that YAML reads as text. */
const WORD = /^(?!(?:y|yes|on|true|n|no|off|false|null)$)[a-z][\w./-]*$/i;

/** The YAML of words, booleans, maps of words and lists of these: nearly all values. Others are undefined. */
function simpleYaml(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return WORD.test(value) ? value : undefined;
  if (!Array.isArray(value)) return simpleMap(value, '\n');
  const items = value.map((item) => (typeof item === 'object' ? simpleMap(item, '\n  ') : simpleYaml(item)));
  return items.length === 0 || items.includes(undefined) ? undefined : `- ${items.join('\n- ')}`;
}

function simpleMap(value: unknown, separator: string): string | undefined {
  if (!isMembers(value)) return undefined;
  const lines = Object.keys(value)
    .sort()
    .map((key) => {
      const member = value[key];
      return WORD.test(key) && typeof member === 'string' && WORD.test(member) ? `${key}: ${member}` : undefined;
    });
  return lines.length === 0 || lines.includes(undefined) ? undefined : lines.join(separator);
}
