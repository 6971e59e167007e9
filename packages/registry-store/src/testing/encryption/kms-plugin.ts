import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { GrpcCode } from '../../grpc/grpc-error.js';
import { frameMessage, MessageReader } from '../../grpc/message-frames.js';

/** The behaviour of a plugin; may be changed while it runs. */
export interface KmsPluginBehaviour {
  keyId: string;
  /** The key that Encrypt reports, if not `keyId`. */
  encryptKeyId?: string;
  healthz: string;
  version: string;
  annotations: Record<string, Uint8Array>;
  /** Every call fails with this code. */
  failsWith?: number;
  /** Milliseconds before every response. */
  delay: number;
}

/** A plugin of version 2 on a unix socket, with separate keys for every key id. */
export interface KmsPlugin extends AsyncDisposable {
  readonly behaviour: KmsPluginBehaviour;
  /** Calls in order: `Status`, `Encrypt key-1`, `Decrypt key-1`. */
  readonly calls: string[];
  /** Number of pending calls. */
  readonly underWay: number;
  /** Number of connected clients. */
  readonly connections: number;
  /** Number of calls of one method. */
  count(method: string): number;
}

/** Starts a healthy plugin with the key `key-1`. A plugin restarted at the same path has the same keys. */
export async function startKmsPlugin(path: string, behaviour: Partial<KmsPluginBehaviour> = {}): Promise<KmsPlugin> {
  const plugin = new Plugin(path, {
    keyId: 'key-1',
    healthz: 'ok',
    version: 'v2',
    annotations: {},
    delay: 0,
    ...behaviour,
  });
  await plugin.listen();
  return plugin;
}

const NONCE = 12;
const TAG = 16;
type Fields = Map<number, Uint8Array[]>;

class Plugin implements KmsPlugin {
  readonly behaviour: KmsPluginBehaviour;
  readonly calls: string[] = [];
  underWay = 0;
  readonly #path: string;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(path: string, behaviour: KmsPluginBehaviour) {
    this.#path = path;
    this.behaviour = behaviour;
    this.#server = createServer();
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
    this.#server.on('stream', (stream: ServerHttp2Stream, headers) => this.#serve(stream, String(headers[':path'])));
  }

  async listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.on('error', reject).listen(this.#path, resolve);
    await promise;
  }

  get connections(): number {
    return this.#sessions.size;
  }

  count(method: string): number {
    return this.calls.filter((call) => call.startsWith(method)).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    rmSync(this.#path, { force: true });
  }

  #serve(stream: ServerHttp2Stream, path: string): void {
    const reader = new MessageReader((message) => {
      this.underWay++;
      setTimeout(() => this.#response(stream, path, Buffer.from(message)), this.behaviour.delay);
    });
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => reader.push(chunk));
  }

  #response(stream: ServerHttp2Stream, path: string, message: Buffer): void {
    this.underWay--;
    if (stream.destroyed) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    const { failsWith } = this.behaviour;
    let [code, text] = failsWith === undefined ? [0, ''] : [failsWith, 'the plugin is told to fail'];
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(code), 'grpc-message': text }));
    try {
      const response = this.#call(path, message);
      if (code === 0) stream.write(frameMessage(response));
    } catch (error) {
      [code, text] = [GrpcCode.invalidArgument, String(error)];
    }
    stream.end();
  }

  #call(path: string, message: Buffer): Uint8Array {
    const fields = fieldsOf(message);
    const text = (field: number) => Buffer.from(fields.get(field)?.[0] ?? []).toString();
    const bytes = (field: number) => fields.get(field)?.[0] ?? new Uint8Array(0);
    const { behaviour } = this;
    switch (path) {
      case '/v2.KeyManagementService/Status':
        this.calls.push('Status');
        return textsOf([behaviour.version, behaviour.healthz, behaviour.keyId]);
      case '/v2.KeyManagementService/Encrypt': {
        const keyId = behaviour.encryptKeyId ?? behaviour.keyId;
        this.calls.push(`Encrypt ${keyId}`);
        if (text(2) === '') throw new Error('a call needs a uid');
        return this.#encrypted(keyId, bytes(1));
      }
      case '/v2.KeyManagementService/Decrypt':
        this.calls.push(`Decrypt ${text(3)}`);
        this.#checkAnnotations(fields.get(4) ?? []);
        return new BinaryWriter()
          .tag(1, WireType.LengthDelimited)
          .bytes(unseal(text(3), bytes(1)))
          .finish();
      default:
        throw new Error(`no such method: ${path}`);
    }
  }

  #encrypted(keyId: string, plaintext: Uint8Array): Uint8Array {
    const writer = new BinaryWriter();
    writer
      .tag(1, WireType.LengthDelimited)
      .bytes(seal(keyId, plaintext))
      .tag(2, WireType.LengthDelimited)
      .string(keyId);
    for (const [name, value] of Object.entries(this.behaviour.annotations)) {
      writer.tag(3, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(name);
      writer.tag(2, WireType.LengthDelimited).bytes(value).join();
    }
    return writer.finish();
  }

  /** Annotations that were returned must come back. */
  #checkAnnotations(entries: readonly Uint8Array[]): void {
    const came = entries.map((entry) => {
      const fields = fieldsOf(entry);
      return `${Buffer.from(fields.get(1)?.[0] ?? [])}=${Buffer.from(fields.get(2)?.[0] ?? [])}`;
    });
    const wanted = Object.entries(this.behaviour.annotations).map(([name, value]) => `${name}=${Buffer.from(value)}`);
    if (came.sort().join() !== wanted.sort().join()) throw new Error(`other annotations: ${came.join()}`);
  }
}

function textsOf(texts: readonly string[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [i, text] of texts.entries()) writer.tag(i + 1, WireType.LengthDelimited).string(text);
  return writer.finish();
}

function fieldsOf(message: Uint8Array): Fields {
  const reader = new BinaryReader(message);
  const fields: Fields = new Map();
  while (reader.pos < reader.len) {
    const [field] = reader.tag();
    fields.set(field, [...(fields.get(field) ?? []), reader.bytes()]);
  }
  return fields;
}

const keyOf = (keyId: string): Buffer => createHash('sha256').update(keyId).digest();

function seal(keyId: string, plaintext: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), nonce);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function unseal(keyId: string, ciphertext: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), ciphertext.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAuthTag(ciphertext.subarray(-TAG));
  return Buffer.concat([decipher.update(ciphertext.subarray(NONCE, -TAG)), decipher.final()]);
}
