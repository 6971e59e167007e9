import { Buffer } from 'node:buffer';
import { type GroupVersionKind, tryParseGroupVersion } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { messageOf } from '@apiserver/apimachinery/errors';
import { isMembers, jsonTypeName } from '@apiserver/apimachinery/json';
import { ConfigurationError } from './configuration-error.js';

/** A configuration, parsed far enough to know its stated kind. */
export interface InterpretedConfiguration {
  readonly bytes: Uint8Array;
  readonly document: unknown;
  /** False for YAML. */
  readonly isJson: boolean;
  /** Parts that are not stated are empty. */
  readonly gvk: GroupVersionKind;
}

/** A brace behind what is a space in Go. */
const BRACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\{/;

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads the kind and version of a configuration. With `isYaml`, text that begins with a brace is YAML, too. Throws a
 * ConfigurationError with upstream's messages.
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/recognizer, serializer/json (Decode), serializer/json/meta.go
 */
export function interpretConfiguration(bytes: Uint8Array, isYaml = false): InterpretedConfiguration {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', 0, 4096);
  const isJson = !isYaml && BRACE.test(start);
  const document = isJson ? jsonDocument(bytes) : yamlDocument(bytes);
  const { kind, apiVersion } = statedKind(document, isJson);
  const groupVersion = tryParseGroupVersion(apiVersion);
  if (groupVersion === undefined) throw new ConfigurationError(`unexpected GroupVersion string: ${apiVersion}`);
  return { bytes, document, isJson, gvk: { ...groupVersion, kind } };
}

function jsonDocument(bytes: Uint8Array): unknown {
  try {
    return parseJsonValue(bytes);
  } catch (error) {
    throw unread(messageOf(error));
  }
}

function yamlDocument(bytes: Uint8Array): unknown {
  try {
    return parseYaml(bytes);
  } catch (error) {
    throw new ConfigurationError(messageOf(error), { cause: error });
  }
}

/** Member names are case-insensitive here; the last of several spellings wins. */
function statedKind(document: unknown, isJson: boolean): { readonly kind: string; readonly apiVersion: string } {
  const found = { kind: '', apiVersion: '' };
  if (document === null || document === undefined) return found;
  if (!isMembers(document)) {
    throw unread(`json: cannot unmarshal ${jsonTypeName(document)} into Go value of type ${TYPE_META}`);
  }
  const members = Object.entries(document);
  // Upstream reads YAML as JSON whose names are sorted.
  for (const [name, value] of isJson ? members : members.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const lower = name.toLowerCase();
    const field = lower === 'kind' ? 'kind' : lower === 'apiversion' ? 'apiVersion' : undefined;
    if (field === undefined || value === null) continue;
    if (typeof value !== 'string') {
      throw unread(`json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`);
    }
    found[field] = value;
  }
  return found;
}

function unread(reason: string): ConfigurationError {
  return new ConfigurationError(`couldn't get version/kind; json parse error: ${reason}`);
}
