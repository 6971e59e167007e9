import { readFileSync } from 'node:fs';
import { formatGroupVersion, tryParseGroupVersion } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { jsonTypeName } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { Logger } from '@apiserver/apiserver-contracts';
import { StartupError } from '@apiserver/component-base/process';
import type { AuditPolicy } from './audit-policy.js';
import { type DecodedPolicy, policyKind } from './policy-schema.js';
import { validatePolicy } from './validate-policy.js';

const KIND = { group: 'audit.k8s.io', version: 'v1', kind: 'Policy' };
/** The source line by which upstream names the scheme of audit kinds. */
const SCHEME = 'pkg/audit/scheme.go:30';

/**
 * Reads a policy. Unknown and duplicate fields are a warning. Throws an Error with upstream's message.
 * Upstream: k8s.io/apiserver/pkg/audit/policy/reader.go
 */
export function loadPolicyFile(path: string, logger: Logger): AuditPolicy {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new StartupError(`failed to read file path ${quote(path)}: ${goFileError('open', path, errorOf(error))}`, {
      cause: error,
    });
  }
  try {
    return loadPolicy(bytes, logger);
  } catch (error) {
    throw new StartupError(`${messageOf(error)}: from file ${path}`, { cause: error });
  }
}

/** The same for the content of a file, YAML or JSON. */
export function loadPolicy(bytes: Uint8Array, logger: Logger): AuditPolicy {
  const policy = decode(bytes, logger);
  const errors = validatePolicy(policy);
  if (errors.length > 0) throw new StartupError(aggregateFieldErrors(errors));
  if (policy.rules.length === 0) throw new StartupError('loaded illegal policy with 0 rules');
  logger.v(4)?.info('Load audit policy rules success', { policyCnt: policy.rules.length });
  return policy;
}

function decode(bytes: Uint8Array, logger: Logger): AuditPolicy {
  let decoded: ReturnType<KindCodec<DecodedPolicy>['decodeYaml']>;
  try {
    checkKind(parseYaml(bytes), Buffer.from(bytes).toString());
    decoded = compileKind(policyKind()).decodeYaml(bytes, 'Strict');
  } catch (error) {
    throw new StartupError(`failed decoding: ${messageOf(error)}`, { cause: error });
  }
  const { object, strictErrors } = decoded;
  if (strictErrors.length > 0) {
    const why = `strict decoding error: ${strictErrors.join(', ')}`;
    logger.warning(`Audit policy contains errors, falling back to lenient decoding: ${why}`);
  }
  return { ...object, rules: object.rules ?? [] };
}

/** Upstream: Interpret of k8s.io/apimachinery/pkg/runtime/serializer/json, and the scheme's look-up */
function checkKind(value: unknown, text: string): void {
  const stated: Readonly<Record<string, unknown>> = Object(value);
  const kind = textOf(stated.kind, 'kind');
  const apiVersion = textOf(stated.apiVersion, 'apiVersion');
  if (tryParseGroupVersion(apiVersion) === undefined)
    throw new StartupError(`unexpected GroupVersion string: ${apiVersion}`);
  if (kind === '') throw new StartupError(`Object 'Kind' is missing in '${text}'`);
  if (apiVersion === '') throw new StartupError(`Object 'apiVersion' is missing in '${text}'`);
  if (kind === KIND.kind && apiVersion === formatGroupVersion(KIND)) return;
  throw new StartupError(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(SCHEME)}`,
  );
}

function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new StartupError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${name} of type string`,
  );
}
