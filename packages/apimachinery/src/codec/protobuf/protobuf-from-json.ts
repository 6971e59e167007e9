import type { StructSchema } from '../../schema/schema.js';
import { BackWriter } from '../from-json/back-writer.js';
import { KnownTexts } from '../from-json/known-texts.js';
import { NotPlain, refuse, TokenReader } from '../from-json/token-reader.js';
import { mayHaveHtml } from '../json/stringify-json.js';
import { type FieldPlan, LENGTH, type MessagePlan, type ValuePlan, valuePlan } from './message-plan.js';
import { PROTOBUF_MAGIC } from './protobuf-envelope.js';

/** contentEncoding and contentType of an envelope, which are empty. */
const ENVELOPE_END = Uint8Array.of(0x1a, 0, 0x22, 0);

let encoder: ProtobufFromJson | undefined;

/**
 * The bytes of `encodeEnveloped` for the object in a JSON text, without making the object: one pass finds its tokens,
 * another one writes them. Undefined for a text that this server would not write so, and for schemas with rare types.
 */
export function protobufFromJson(schema: StructSchema, json: Uint8Array): Uint8Array | undefined {
  encoder ??= new ProtobufFromJson();
  return encoder.encode(schema, json);
}

/** Messages are written from their end: the length of each one is known when its head is written. */
class ProtobufFromJson {
  readonly #reader = new TokenReader(new KnownTexts());
  readonly #out = new BackWriter();
  #json: Uint8Array = ENVELOPE_END;

  encode(schema: StructSchema, json: Uint8Array): Uint8Array | undefined {
    this.#json = json;
    try {
      this.#reader.begin(json);
      this.#out.clear();
      this.#envelope(valuePlan(schema).message);
      return this.#out.copy();
    } catch (error) {
      if (error instanceof NotPlain) return undefined;
      throw error;
    } finally {
      this.#json = ENVELOPE_END;
    }
  }

  #envelope(plan: MessagePlan): void {
    const out = this.#out;
    out.all(ENVELOPE_END);
    const afterRaw = out.length;
    const base = this.#open(plan, 0);
    this.#fields(plan.fields, base);
    this.#delimit(0x12, afterRaw);
    const afterType = out.length;
    this.#typeMeta(0x12, plan.kind, base);
    this.#typeMeta(0x0a, plan.apiVersion, base);
    this.#delimit(0x0a, afterType);
    out.all(PROTOBUF_MAGIC);
    this.#reader.close(base);
  }

  #typeMeta(tag: number, index: number, base: number): void {
    const token = index < 0 ? 0 : (this.#reader.slots[base + index] ?? 0);
    const end = this.#out.length;
    if (token !== 0) this.#text(token);
    this.#delimit(tag, end);
  }

  /** Writes the head of a content that ends where `end` bytes were written. */
  #delimit(tag: number, end: number): void {
    const out = this.#out;
    out.varint(out.length - end);
    out.varint(tag);
  }

  #message(plan: MessagePlan, token: number): void {
    const base = this.#open(plan, token);
    this.#fields(plan.fields, base);
    this.#reader.close(base);
  }

  /** Opens a struct. Of the fields that its message lacks, it may have its type. */
  #open(plan: MessagePlan, token: number): number {
    const reader = this.#reader;
    const base = reader.members(plan.names, token);
    for (const index of plan.missing) {
      const member = reader.slots[base + index] ?? 0;
      if (member === 0) continue;
      if (index !== plan.kind && index !== plan.apiVersion) refuse();
      reader.requireText(member);
    }
    return base;
  }

  #fields(fields: readonly FieldPlan[], base: number): void {
    const reader = this.#reader;
    const out = this.#out;
    for (const { proto, index, value, absent, isAbsentWhenEmpty, inline } of fields) {
      if (inline !== undefined) {
        const end = out.length;
        this.#fields(inline, base);
        this.#delimit((proto << 3) | value.wireType, end);
        continue;
      }
      const token = reader.slots[base + index] ?? 0;
      const isAbsent = token === 0 || reader.isNull(token) || (isAbsentWhenEmpty && reader.isEmptyText(token));
      if (!isAbsent) this.#value(value, proto, token);
      else if (absent.length > 0) out.all(absent);
    }
  }

  /** Writes a value with its tag. */
  #value(plan: ValuePlan, proto: number, token: number): void {
    if (plan.type === 'list' && !plan.isWrapped) {
      this.#items(plan, proto, token);
      return;
    }
    if (plan.type === 'map') {
      this.#entries(plan, proto, token);
      return;
    }
    const out = this.#out;
    const end = out.length;
    this.#content(plan, token);
    if (plan.wireType === LENGTH) out.varint(out.length - end);
    out.varint((proto << 3) | plan.wireType);
  }

  /** Writes a value without tag and length. */
  #content(plan: ValuePlan, token: number): void {
    const reader = this.#reader;
    switch (plan.type) {
      case 'string':
        this.#text(token);
        break;
      case 'struct':
        this.#message(plan.message, token);
        break;
      case 'bool':
        this.#out.byte(reader.boolean(token) ? 1 : 0);
        break;
      case 'int32':
        this.#out.varint(reader.int32(token));
        break;
      case 'int64':
        this.#out.varint(reader.integer(token));
        break;
      case 'list':
        this.#wrappedItems(plan, token);
        break;
      case 'bytes':
        this.#out.all(reader.base64(token));
        break;
      default:
        this.#smallMessage(plan.type, token);
    }
  }

  /** The content of a message that is no struct. */
  #smallMessage(type: ValuePlan['type'], token: number): void {
    const reader = this.#reader;
    switch (type) {
      case 'time':
        this.#time(reader.seconds(token), 0);
        break;
      case 'microTime': {
        const { seconds, nanos } = reader.microTime(token);
        this.#time(seconds, nanos);
        break;
      }
      case 'quantity':
        reader.requireQuantity(token);
        this.#delimitedText(0x0a, token);
        break;
      case 'intOrString':
        this.#intOrString(token);
        break;
      case 'fieldsV1':
        this.#raw(token);
        break;
      case 'rawExtension':
      case 'json':
        // Not verbatim: the message has escapes where the text has characters of HTML.
        if (mayHaveHtml(this.#json.subarray(reader.start(token), reader.end(token)))) refuse();
        this.#raw(token);
        break;
      default:
        refuse();
    }
  }

  #time(seconds: number, nanos: number): void {
    const out = this.#out;
    out.varint(nanos);
    out.byte(0x10);
    out.varint(seconds);
    out.byte(0x08);
  }

  #intOrString(token: number): void {
    const reader = this.#reader;
    const out = this.#out;
    const isText = reader.isText(token);
    if (isText) this.#delimitedText(0x1a, token);
    else this.#delimit(0x1a, out.length);
    out.varint(isText ? 0 : reader.int32(token));
    out.byte(0x10);
    out.byte(isText ? 1 : 0);
    out.byte(0x08);
  }

  /** A value in JSON, as the text has it. */
  #raw(token: number): void {
    const reader = this.#reader;
    const end = this.#out.length;
    reader.requireVerbatim(token, this.#json);
    this.#out.bytes(this.#json, reader.start(token), reader.end(token));
    this.#delimit(0x0a, end);
  }

  #items({ element }: ValuePlan, proto: number, token: number): void {
    const reader = this.#reader;
    const base = reader.items(token);
    for (let slot = reader.top - 1; slot >= base; slot--) this.#item(element, proto, reader.slots[slot] ?? 0);
    reader.close(base);
  }

  #wrappedItems(plan: ValuePlan, token: number): void {
    const end = this.#out.length;
    this.#items(plan, 1, token);
    // Only the decoder knows whether an empty list is left out.
    if (this.#out.length === end) refuse();
  }

  #entries({ element }: ValuePlan, proto: number, token: number): void {
    const reader = this.#reader;
    const out = this.#out;
    const base = reader.ascendingNames(token);
    for (let slot = reader.top - 1; slot >= base; slot--) {
      const name = reader.slots[slot] ?? 0;
      const end = out.length;
      this.#item(element, 2, name + 1);
      this.#delimitedText(0x0a, name);
      this.#delimit((proto << 3) | LENGTH, end);
    }
    reader.close(base);
  }

  #item(element: ValuePlan | undefined, proto: number, token: number): void {
    if (element === undefined || this.#reader.isNull(token)) refuse();
    this.#value(element, proto, token);
  }

  #delimitedText(tag: number, token: number): void {
    const end = this.#out.length;
    this.#text(token);
    this.#delimit(tag, end);
  }

  #text(token: number): void {
    const reader = this.#reader;
    reader.requireText(token);
    this.#out.bytes(reader.tokens.memory, reader.start(token) + 1, reader.textEnd(token));
  }
}
