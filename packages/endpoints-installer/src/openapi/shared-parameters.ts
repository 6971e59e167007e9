import type { JsonObject } from '@apiserver/apimachinery';

/** Parameters that are not shared: clients search operations for them to detect features, or they name an object. */
const ALWAYS_IN_PLACE: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation', 'name']);

/** Names of parameters by content: hashing one takes long. */
export type ParameterNames = Map<string, string>;

/**
 * Parameters that operations refer to, named by content.
 *
 * Upstream: k8s.io/kube-openapi/pkg/builder/parameters.go
 */
export class SharedParameters {
  readonly #byName = new Map<string, JsonObject>();
  readonly #names: ParameterNames;

  constructor(names: ParameterNames = new Map()) {
    this.#names = names;
  }

  /** A reference to the parameter, or the parameter itself where it belongs to one kind. */
  reference(parameter: JsonObject): JsonObject {
    if (!isShared(parameter)) return parameter;
    const content = contentOf(parameter);
    const name = this.#names.get(content) ?? sharedParameterName(parameter);
    this.#names.set(content, name);
    this.#byName.set(name, parameter);
    return { $ref: `#/parameters/${name}` };
  }

  /** All referenced parameters, by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function isShared({ name, in: place, schema }: JsonObject): boolean {
  if (place !== 'body') return typeof name === 'string' && !ALWAYS_IN_PLACE.has(name);
  return JSON.stringify(schema).includes('"#/definitions/io.k8s.apimachinery.');
}

/** `limit-1NfNmdNH`: the parameter's name and a hash of its JSON, with keys in upstream's order. */
export function sharedParameterName(parameter: JsonObject): string {
  const hash = fnv64(Buffer.from(contentOf(parameter)));
  return `${String(parameter['name'])}-${hash.subarray(0, 6).toString('base64').replaceAll('+', '-').replaceAll('/', '_')}`;
}

/** The JSON with Go's escapes. */
function contentOf(parameter: JsonObject): string {
  return JSON.stringify(parameter).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1 over 64 bits, big-endian. Upstream: Go's hash/fnv (New64) */
function fnv64(bytes: Uint8Array): Buffer {
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = BigInt.asUintN(64, hash * FNV_PRIME) ^ BigInt(byte);
  const result = Buffer.alloc(8);
  result.writeBigUInt64BE(hash);
  return result;
}
