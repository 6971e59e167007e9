import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { systemClock } from '@apiserver/apimachinery/clock';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { messageEnd, readFields, readInt64, readKey } from '../etcd3/messages/key-value.js';
import { RANGE, STATUS, TRANSACTION, WATCH } from '../etcd3/methods.js';
import { frameMessage, MessageReader } from '../grpc/message-frames.js';
import type { CommitRequest, KeyValue, KeyValueEvent, KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';

/**
 * A member of etcd of any version, with reads, transactions on one key, watches and progress: for features that the
 * installed etcd lacks. Its watches can be held back, and then report their progress late, like those of a lagging
 * etcd.
 */
export class FakeEtcd implements AsyncDisposable {
  /** Calls in order: `range`, `count`, `transaction`, `watch`, `progress`, `status`. */
  readonly calls: string[] = [];
  /** The content, for writes of other servers. */
  store: KeyValueStore = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
  /** The identity of the member in headers. */
  readonly identity = { cluster: 1, member: 2, term: 5 };
  readonly #version: string;
  readonly #server: Http2Server = createServer();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Pending sends of watches while they are held back. */
  #held: (() => void)[] | undefined;

  private constructor(version: string) {
    this.#version = version;
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
    this.#server.on('stream', (stream: ServerHttp2Stream, headers) => this.#serve(stream, String(headers[':path'])));
  }

  static async start(version: string): Promise<FakeEtcd> {
    const fake = new FakeEtcd(version);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  /** Restarts empty: connections break, and revisions start from the beginning. */
  async empty(): Promise<void> {
    const { store } = this;
    this.store = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
    for (const session of this.#sessions) session.destroy();
    await store[Symbol.asyncDispose]();
  }

  /** Watches send nothing from now on, neither events nor progress. */
  hold(): void {
    this.#held ??= [];
  }

  /** They send everything held back, in order. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.store[Symbol.asyncDispose]();
  }

  #serve(stream: ServerHttp2Stream, path: string): void {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    const send = (message: Uint8Array): void => {
      if (!stream.destroyed) stream.write(frameMessage(message));
    };
    const response = (work: Promise<Uint8Array>): void => {
      void work.then(
        (message) => stream.end(frameMessage(message)),
        (error: unknown) => stream.destroy(error as Error),
      );
    };
    const reader = new MessageReader((message) => {
      const bytes = new BinaryReader(Buffer.from(message));
      if (path === WATCH) this.#watch(stream, bytes, send);
      else if (path === RANGE) response(this.#range(bytes));
      else if (path === TRANSACTION) response(this.#transact(bytes));
      else if (path === STATUS) response(this.#status());
      else stream.destroy(new Error(`no such method: ${path}`));
    });
    stream.on('data', (chunk: Buffer) => reader.push(chunk));
  }

  async #status(): Promise<Uint8Array> {
    this.calls.push('status');
    return new BinaryWriter().uint32(0x12).string(this.#version).finish();
  }

  async #range(reader: BinaryReader): Promise<Uint8Array> {
    const { start, end, limit, revision, writtenFrom, onlyCounts } = readRange(reader, reader.len);
    this.calls.push(onlyCounts ? 'count' : 'range');
    const at = revision === 0 ? {} : { revision };
    const all = await this.store.range({ start, end, ...at });
    const wanted = all.kvs.filter(({ modRevision }) => modRevision >= writtenFrom);
    const sent = limit === 0 ? wanted : wanted.slice(0, limit);
    const writer = writeHeader(new BinaryWriter(), all.revision, this.identity);
    for (const kv of onlyCounts ? [] : sent) writeKeyValue(writer.uint32(0x12), kv);
    return writer
      .uint32(0x18)
      .bool(sent.length < wanted.length)
      .uint32(0x20)
      .int64(all.kvs.length)
      .finish();
  }

  /** One comparison and one write, or only reads. */
  async #transact(reader: BinaryReader): Promise<Uint8Array> {
    this.calls.push('transaction');
    const { request, reads } = readTransaction(reader);
    if (request === undefined) return await this.#reads(reads);
    const result = await this.store.commit(request);
    const writer = writeHeader(new BinaryWriter(), result.revision, this.identity).uint32(0x10).bool(result.committed);
    return (result.committed ? writer : writeRead(writer, result.current, result.revision)).finish();
  }

  async #reads(keys: readonly string[]): Promise<Uint8Array> {
    const found = await Promise.all(keys.map((key) => this.store.get(key)));
    const revision = found[0]?.revision ?? 0;
    const writer = writeHeader(new BinaryWriter(), revision, this.identity).uint32(0x10).bool(true);
    for (const { kv } of found) writeRead(writer, kv, revision);
    return writer.finish();
  }

  #watch(stream: ServerHttp2Stream, reader: BinaryReader, send: (message: Uint8Array) => void): void {
    const [field] = reader.tag();
    if (field === 3) {
      this.calls.push('progress');
      void this.store
        .currentRevision()
        .then((revision) => this.#tell(() => send(writeHeader(new BinaryWriter(), revision).finish())));
      return;
    }
    this.calls.push('watch');
    const { start, end, limit: fromRevision } = readRange(reader, messageEnd(reader));
    const event = (one: KeyValueEvent): void => this.#tell(() => send(encodeEvent(one)));
    const from = fromRevision === 0 ? {} : { fromRevision };
    const watch = this.store.watch({ start, end, ...from }, { event, end: () => stream.destroy() });
    stream.on('close', () => watch.close());
    send(writeHeader(new BinaryWriter(), watch.revision).uint32(0x18).bool(true).finish());
  }

  #tell(send: () => void): void {
    if (this.#held === undefined) send();
    else this.#held.push(send);
  }
}

/** RangeRequest; for a WatchCreateRequest `limit` is the first revision. */
function readRange(reader: BinaryReader, messageEndsAt: number) {
  const range = { start: '', end: '', limit: 0, revision: 0, writtenFrom: 0, onlyCounts: false };
  readFields(reader, messageEndsAt, (field) => {
    if (field === 1) range.start = readKey(reader);
    else if (field === 2) range.end = readKey(reader);
    else if (field === 3) range.limit = readInt64(reader);
    else if (field === 4) range.revision = readInt64(reader);
    else if (field === 9) range.onlyCounts = reader.bool();
    else if (field === 10) range.writtenFrom = readInt64(reader);
    else return false;
    return true;
  });
  if (range.end === '') range.end = `${range.start}\0`;
  return range;
}

function readTransaction(reader: BinaryReader) {
  let expectedRevision = 0;
  let request: CommitRequest | undefined;
  const reads: string[] = [];
  readFields(reader, reader.len, (field) => {
    if (field === 1) {
      readFields(reader, messageEnd(reader), (part) => {
        if (part !== 6) return false;
        expectedRevision = readInt64(reader);
        return true;
      });
    } else if (field === 2) {
      readFields(reader, messageEnd(reader), (kind) => {
        const operation = readPut(reader);
        if (kind === 1) reads.push(operation.key);
        else if (kind === 2) request = { type: 'put', ...operation, expectedRevision };
        else request = { type: 'delete', key: operation.key, expectedRevision };
        return true;
      });
    } else return false;
    return true;
  });
  return { request, reads };
}

/** A RangeRequest of one key, a PutRequest or a DeleteRangeRequest. */
function readPut(reader: BinaryReader): { key: string; value: Uint8Array } {
  let key = '';
  let value: Uint8Array = new Uint8Array(0);
  readFields(reader, messageEnd(reader), (field) => {
    if (field === 1) key = readKey(reader);
    else if (field === 2) value = Buffer.from(reader.bytes());
    else return false;
    return true;
  });
  return { key, value };
}

interface Identity {
  readonly cluster: number;
  readonly member: number;
  readonly term: number;
}

function writeHeader(writer: BinaryWriter, revision: number, identity?: Identity): BinaryWriter {
  const header = writer.uint32(0x0a).fork();
  if (identity !== undefined) header.uint32(0x08).uint64(identity.cluster).uint32(0x10).uint64(identity.member);
  header.uint32(0x18).int64(revision);
  if (identity !== undefined) header.uint32(0x20).uint64(identity.term);
  return header.join();
}

function writeKeyValue(writer: BinaryWriter, { key, value, modRevision }: KeyValue): BinaryWriter {
  writer.fork().uint32(0x0a).string(key).uint32(0x18).int64(modRevision);
  return writer.uint32(0x20).int64(1).uint32(0x2a).bytes(value).join();
}

/** A ResponseOp of TxnResponse that is a range. */
function writeRead(writer: BinaryWriter, kv: KeyValue | undefined, revision: number): BinaryWriter {
  writer.uint32(0x1a).fork().uint32(0x0a).fork();
  writeHeader(writer, revision);
  if (kv !== undefined) writeKeyValue(writer.uint32(0x12), kv);
  return writer.join().join();
}

function encodeEvent(event: KeyValueEvent): Uint8Array {
  const { key, revision, type, previous } = event;
  const writer = writeHeader(new BinaryWriter(), revision).uint32(0x5a).fork();
  if (type === 'delete') writer.uint32(0x08).int32(1);
  const value = type === 'put' ? event.value : new Uint8Array(0);
  writeKeyValue(writer.uint32(0x12), { key, value, modRevision: revision });
  if (previous !== undefined) writeKeyValue(writer.uint32(0x1a), previous);
  return writer.join().finish();
}
