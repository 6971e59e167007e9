import { tryParseGroupVersion } from '@apiserver/apimachinery';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { jsonTypeName } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { EncryptionError } from '../encryption-error.js';

/** The kind and version declared in a file. */
export interface FileKind {
  readonly kind: string;
  readonly apiVersion: string;
}

/** A file with its declared kind. */
export interface InterpretedFile extends FileKind {
  readonly document: unknown;
  /** False for YAML. */
  readonly isJson: boolean;
}

const GROUP_VERSION = 'apiserver.config.k8s.io/v1';
/** Other kinds of that version. Upstream: k8s.io/apiserver/pkg/apis/apiserver/v1/register.go */
const OTHER_KINDS = [
  ...['AdmissionConfiguration', 'AuthenticationConfiguration', 'AuthorizationConfiguration', 'TracingConfiguration'],
];
/** The scheme's name in a build without paths. Upstream: runtime.NewScheme, naming.GetNameFromCallsite */
const SCHEME = 'pkg/server/options/encryptionconfig/config.go:142';
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads a file far enough to identify it. Throws an EncryptionError with upstream's messages.
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/recognizer, serializer/json (Decode, Interpret)
 */
export function interpretFile(bytes: Buffer): InterpretedFile {
  // Any other text is YAML, whose errors are reported unchanged.
  const isJson = /^\s*\{/.test(bytes.toString('latin1', 0, 4096));
  if (!isJson) {
    const document: unknown = parseYaml(bytes);
    return { ...kindOf(document), document, isJson };
  }
  try {
    const document: unknown = parseJsonValue(bytes);
    return { ...kindOf(document), document, isJson };
  } catch (error) {
    if (error instanceof EncryptionError || !(error instanceof Error)) throw error;
    throw unread(error.message);
  }
}

/** Throws an EncryptionError with upstream's messages for a file that is not an EncryptionConfiguration. */
export function checkKind({ kind, apiVersion, document }: InterpretedFile): void {
  if (tryParseGroupVersion(apiVersion) === undefined) {
    throw new EncryptionError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  if (kind === '') throw new EncryptionError(`Object 'Kind' is missing in '${outlineOf(document)}'`);
  if (apiVersion === '') throw new EncryptionError(`Object 'apiVersion' is missing in '${outlineOf(document)}'`);
  if (apiVersion === GROUP_VERSION && kind === 'EncryptionConfiguration') return;
  // Upstream also accepts this one, which its documentation once used.
  if (apiVersion === 'v1' && kind === 'EncryptionConfig') return;
  throw new EncryptionError(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(SCHEME)}`,
  );
}

/** The error of a file that configures another component; undefined for any other file. */
export function otherKindFault({ kind, apiVersion }: FileKind): string | undefined {
  if (apiVersion !== GROUP_VERSION || !OTHER_KINDS.includes(kind)) return undefined;
  return `got unexpected config type: ${apiVersion}, Kind=${kind}`;
}

/** Member names are case-insensitive here; the last of several spellings wins. */
function kindOf(document: unknown): FileKind {
  if (document === null || document === undefined) return { kind: '', apiVersion: '' };
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw unread(`json: cannot unmarshal ${jsonTypeName(document)} into Go value of type ${TYPE_META}`);
  }
  const found = { kind: '', apiVersion: '' };
  // Upstream reads YAML as JSON whose names are sorted.
  for (const [name, value] of Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const field = name.toLowerCase() === 'kind' ? 'kind' : 'apiVersion';
    if (field.toLowerCase() !== name.toLowerCase() || value === null) continue;
    if (typeof value !== 'string') {
      throw unread(`json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`);
    }
    found[field] = value;
  }
  return found;
}

function unread(reason: string): EncryptionError {
  return new EncryptionError(`couldn't get version/kind; json parse error: ${reason}`);
}

/** The file as JSON with names but without values: they include keys, and errors are logged. */
function outlineOf(document: unknown): string {
  if (document === null || document === undefined) return 'null';
  return JSON.stringify(document, (name, value: unknown) => {
    if ((typeof value === 'object' && value !== null) || name === 'kind' || name === 'apiVersion') return value;
    return 'REDACTED';
  });
}
