import { readFileSync } from 'node:fs';
import { formatGroupVersion } from '@apiserver/apimachinery';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { struct } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import type { Logger } from '@apiserver/apiserver-contracts';
import { decodeConfigurationLeniently } from '@apiserver/component-base/configuration';
import { orStartupError, StartupError } from '@apiserver/component-base/process';
import type { AuditPolicy } from './audit-policy.js';
import { type DecodedPolicy, policyKind } from './policy-schema.js';
import { validatePolicy } from './validate-policy.js';

/** The source line by which upstream names the scheme of audit kinds. */
const SCHEME = 'pkg/audit/scheme.go:30';

/** A type none of whose fields has a JSON name. */
const ANYTHING = struct('audit.Policy', 'audit.Policy', () => []);

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
  // Upstream decodes into an object, whose kind counts where the file states none.
  const kind = policyKind();
  const defaultKind = { ...kind.gvk, version: '__internal' };
  const scheme = { kinds: [kind, { gvk: defaultKind, schema: ANYTHING }], name: SCHEME, defaultKind };
  const { object, gvk, strictError } = orStartupError(
    () => decodeConfigurationLeniently<DecodedPolicy>(bytes, scheme),
    'failed decoding: ',
  );
  if (gvk.version !== kind.gvk.version) {
    throw new StartupError(`unknown group version field ${formatGroupVersion(gvk)}, Kind=${gvk.kind} in policy`);
  }
  if (strictError !== undefined) {
    logger.warning(`Audit policy contains errors, falling back to lenient decoding: ${strictError}`);
  }
  return { ...object, rules: object.rules ?? [] };
}
